// Package protocol is what a client and a relay say to each other in relay
// protocol v1: names, identities, cursors, the chain, the messages in CBOR, the
// refusals and the limits. It is pure: bytes in, values out. It opens nothing,
// asks no clock and draws no random number.
//
// Section names in the comments are those of the protocol's contract.
package protocol
