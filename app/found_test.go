package main

import (
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hearth/discovery"
	"hearth/relay/console"
)

// What the network says is told so that it cannot steer a terminal, with the
// addresses that work from any machine, with this relay known as itself, and
// relays of one name told apart by the number that they have on the network.
// One that says nothing of keys is not told to need one.
func TestRelaysOf(t *testing.T) {
	found := []discovery.Found{
		{
			Instance: "Hearth (2)", Host: "hearth-01.local", Port: 2451,
			Addresses: []netip.Addr{
				netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("2001:db8::1"), netip.MustParseAddr("fe80::1%eth0"),
			},
			TXT: map[string]string{"id": "0123", "name": "Küche\x1b[31m\n", "key": "0"},
		},
		{Instance: "other", Host: "other.local", Port: 80, TXT: map[string]string{"key": "1"}},
		{
			Instance: "silent", Host: "silent.local", Port: 80, Stale: true,
			Addresses: []netip.Addr{netip.MustParseAddr("fe80::1%eth0")},
		},
		{Instance: "Home", Host: "a.local", TXT: map[string]string{"name": "Home"}},
		{Instance: "Home (2)", Host: "b.local", TXT: map[string]string{"name": "Home"}},
		{Instance: "Attic (2)", Host: "c.local", TXT: map[string]string{"name": "Attic", "key": "yes"}},
		{Instance: "c [47]", Host: "d.local", TXT: map[string]string{"name": "Cellar"}},
		{Instance: "d [48]", Host: "e.local", TXT: map[string]string{"name": "Cellar"}},
	}
	want := []console.FoundRelay{
		{
			Name: "Küche[31m", ID: "0123", Host: "hearth-01.local", Key: console.KeyNotNeeded, Self: true,
			URLs: []string{"http://192.0.2.1:2451", "http://[2001:db8::1]:2451"},
		},
		{Name: "other", Host: "other.local", URLs: []string{}, Key: console.KeyNeeded},
		{Name: "silent", Host: "silent.local", URLs: []string{"http://[fe80::1%25eth0]:80"}, Stale: true},
		{Name: "Home", Host: "a.local", URLs: []string{}},
		{Name: "Home (2)", Host: "b.local", URLs: []string{}},
		{Name: "Attic (2)", Host: "c.local", URLs: []string{}},
		{Name: "c [47]", Host: "d.local", URLs: []string{}},
		{Name: "d [48]", Host: "e.local", URLs: []string{}},
	}
	if diff := cmp.Diff(want, relaysOf(found, "0123")); diff != "" {
		t.Error(diff)
	}
	for _, r := range relaysOf(found, "") {
		if r.Self {
			t.Errorf("%s is taken for oneself by nobody", r.Name)
		}
	}
}
