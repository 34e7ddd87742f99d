package ui

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"hearth/relay/console"
)

// The screen tells where apps reach the relay, how it is announced, and what
// else is there.
func TestNetwork(t *testing.T) {
	s := openScene(t)
	s.window.visit(s.window.network)
	v := s.window.network
	v.reachable([]string{"http://192.0.2.20:2451", "http://127.0.0.1:2451"})
	s.neighbourhood = console.Neighbourhood{
		Announced: []console.Announcement{{Interface: "eth0", Addresses: []string{"192.0.2.20", "2001:db8::20"}, Instance: "shelf (2)"}},
		Found: []console.FoundRelay{
			{Name: "shelf", Host: "shelf.local", URLs: []string{"http://192.0.2.20:2451"}, Self: true, SeenAt: s.now},
			{Name: "attic", ID: "06ff7d25aabbccdd", Host: "attic.local", URLs: []string{"https://192.0.2.31:2451"}, NeedsKey: true, SeenAt: s.now.Add(-4 * time.Minute)},
		},
	}
	s.look()
	s.window.network.reachable([]string{"http://192.0.2.20:2451", "http://127.0.0.1:2451"})
	reads(t, v.body,
		"http://127.0.0.1:2451", "eth0", "192.0.2.20, 2001:db8::20", "“shelf (2)”",
		"this relay", "shelf.local · open without a key · seen just now",
		"attic.local · needs a key · id 06ff7d25… · seen 4 min ago", "https://192.0.2.31:2451")

	s.now = s.now.Add(time.Hour)
	v.age()
	reads(t, v.body, "seen 1 h ago")
}

// A relay that is not announced, and one that sees nobody, says why and what to
// do.
func TestQuietNetwork(t *testing.T) {
	s := openScene(t)
	s.window.visit(s.window.network)
	s.neighbourhood = console.Neighbourhood{Quiet: "It listens on this machine only.", Trouble: "Multicast is blocked here."}
	s.look()
	reads(t, s.window.network.body, "It listens on this machine only.", "Multicast is blocked here.", "None was found yet.")
}

// However many relays a network announces, with whatever names, the screen
// stays usable.
func TestCrowdedNetwork(t *testing.T) {
	s := openScene(t)
	s.window.visit(s.window.network)
	for i := range 1000 {
		name := fmt.Sprintf("%04d %0200d", i, 0)
		s.neighbourhood.Found = append(s.neighbourhood.Found, console.FoundRelay{Name: name, Host: name})
	}
	s.look()
	reads(t, s.window.network.body, "and 936 more")
	if least := s.window.content.MinSize(); least.Width > 800 {
		t.Errorf("the window is at least %v wide", least.Width)
	}
}

// A network that cannot be looked at is told above the screen, until it can.
func TestNetworkTrouble(t *testing.T) {
	s := openScene(t)
	s.window.visit(s.window.network)
	s.err = errors.New("no interface is up")
	s.look()
	reads(t, s.window.content, "The network cannot be looked at: no interface is up.", "Try again")
	s.err = nil
	s.look()
	readsNot(t, s.window.content, "no interface is up")
}
