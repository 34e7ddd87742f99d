package main

import (
	"net/netip"
	"slices"
	"strings"

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
	txtAKey  = "1"
)

// relaysOf tells the services found on the network as relays; self is the id of
// the one that asks, if it is one.
func relaysOf(found []discovery.Found, self string) []console.FoundRelay {
	names := make(map[string]int)
	relays := make([]console.FoundRelay, 0, len(found))
	for _, f := range found {
		r := console.FoundRelay{
			Name:   nameOf(f),
			ID:     printable(f.TXT[txtID]),
			Host:   f.Host,
			URLs:   urlsOf(f),
			Key:    keyOf(f),
			SeenAt: f.SeenAt,
			Stale:  f.Stale,
		}
		r.Self = self != "" && r.ID == self
		relays = append(relays, r)
		names[r.Name]++
	}
	for i, r := range relays {
		if names[r.Name] > 1 {
			relays[i].Name = printable(found[i].Instance) // which no other on its network has
		}
	}
	return relays
}

// nameOf is what a relay calls itself, with the number that it has on the
// network where others do so too.
func nameOf(f discovery.Found) string {
	name, instance := printable(f.TXT[txtName]), printable(f.Instance)
	if strings.HasPrefix(instance, name) { // also where it does not say
		return instance
	}
	return name
}

// keyOf is what a relay says of keys.
func keyOf(f discovery.Found) console.KeyNeed {
	switch f.TXT[txtKey] {
	case txtNoKey:
		return console.KeyNotNeeded
	case txtAKey:
		return console.KeyNeeded
	default:
		return console.KeyNotTold
	}
}

// urlsOf says how a service is reached: under those of its addresses that work
// on every machine, or, where there are none, under those that work on this one.
func urlsOf(f discovery.Found) []string {
	urls := []string{} // in JSON none are [], not null
	addrs := f.Addresses
	if slices.ContainsFunc(addrs, usable) {
		addrs = slices.DeleteFunc(slices.Clone(addrs), func(a netip.Addr) bool { return !usable(a) })
	}
	for _, a := range addrs {
		urls = append(urls, urlOf(place{a, uint16(f.Port)}))
	}
	return urls
}

// usable says whether an address makes a URL that works on every machine: a
// link-local one of IPv6 would need the zone, which is another one on each.
func usable(a netip.Addr) bool { return a.Is4() || !a.IsLinkLocalUnicast() }
