// Package reflex is reflexr.v1 on the relay's own log: events with their
// envelopes, commands, pages and subscriptions. REST, WebSocket and whatever comes
// later decode what they are sent here and hand it to the one [Service], so that
// they behave alike. It knows neither HTTP nor SQL.
package reflex

// Protocol is the name of the protocol, and of its WebSocket subprotocol
// (contract, "Versioning and schema").
const Protocol = "reflexr.v1"
