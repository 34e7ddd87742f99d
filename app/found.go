package main

import (
	"cmp"
	"net/netip"

	"hearth/discovery"
	"hearth/relay/console"
)

// serviceType is the name of the protocol in DNS-SD (RFC 6763, section 7), so
// that every client of the protocol can find every relay.
const serviceType = "_efema._tcp"

// What a relay says of itself beside its address.
const (
	txtID    = "id"   // its id
	txtName  = "name" // its name
	txtKey   = "key"  // whether it takes visitors with a key only
	txtNoKey = "0"    // it takes everyone
)

// relaysOf tells the services found on the network as relays; self is the id of
// the one that asks, if it is one.
func relaysOf(found []discovery.Found, self string) []console.FoundRelay {
	relays := make([]console.FoundRelay, 0, len(found))
	for _, f := range found {
		r := console.FoundRelay{
			Name:     cmp.Or(printable(f.TXT[txtName]), f.Instance),
			ID:       printable(f.TXT[txtID]),
			Host:     f.Host,
			URLs:     []string{}, // in JSON none are [], not null
			NeedsKey: f.TXT[txtKey] != txtNoKey,
			SeenAt:   f.SeenAt,
		}
		r.Self = self != "" && r.ID == self
		for _, a := range f.Addresses {
			if usable(a) {
				r.URLs = append(r.URLs, urlOf(place{a, uint16(f.Port)}))
			}
		}
		relays = append(relays, r)
	}
	return relays
}

// usable says whether an address makes a URL that works on every machine: a
// link-local one of IPv6 would need the zone, which is another one on each.
func usable(a netip.Addr) bool { return a.Is4() || !a.IsLinkLocalUnicast() }
