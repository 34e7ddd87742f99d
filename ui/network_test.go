package ui

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearth/relay/console"
)

// The screen tells where apps reach the relay, how it is announced, and what
// else is there.
func TestNetwork(t *testing.T) {
	s := openScene(t)
	s.window.visit(s.window.network)
	v := s.window.network
	s.neighbourhood = console.Neighbourhood{
		Announced: []console.Announcement{{Interface: "eth0", Addresses: []string{"192.0.2.20", "2001:db8::20"}, Instance: "shelf (2)"}},
		Found: []console.FoundRelay{
			{Name: "shelf", Host: "shelf.local", URLs: []string{"http://192.0.2.20:2451"}, Key: console.KeyNotNeeded, Self: true, SeenAt: s.now},
			{Name: "attic", ID: "06ff7d25aabbccdd", Host: "attic.local", URLs: []string{"https://192.0.2.31:2451"}, Key: console.KeyNeeded, SeenAt: s.now.Add(-4 * time.Minute)},
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

// Where the relay is not announced is told with the reason, once for all interfaces
// that are left out for the same one.
func TestUnusedInterfaces(t *testing.T) {
	s := openScene(t)
	s.window.visit(s.window.network)
	s.neighbourhood = console.Neighbourhood{
		Announced: []console.Announcement{{Interface: "eth0", Addresses: []string{"192.0.2.20"}, Instance: "shelf"}},
		Unused: []console.UnusedInterface{
			{Interface: "docker0", Reason: "it belongs to containers"},
			{Interface: "wlan0", Reason: "it is down"},
			{Interface: "veth0", Reason: "it belongs to containers"},
		},
	}
	s.look()
	reads(t, s.window.network.body, // what stands to the left comes last here
		"Announced as “shelf” 192.0.2.20 eth0",
		"Not announced: it belongs to containers docker0, veth0",
		"Not announced: it is down wlan0")
}

// Apps are told the addresses that lead to this machine only apart from the others,
// and a relay that listens nowhere says so.
func TestReachable(t *testing.T) {
	s := openScene(t)
	s.window.visit(s.window.network)
	v := s.window.network
	v.reachable(nil)
	reads(t, v.body, "The relay listens nowhere just now.")
	v.reachable([]string{"http://192.0.2.20:2451"})
	readsNot(t, v.body, "this machine only")
	v.reachable([]string{"http://192.0.2.20:2451", "http://127.0.0.1:2451"})
	reads(t, v.body, "http://127.0.0.1:2451 this machine only")
}

// A relay that does not answer any more is said to be so and comes last, this one
// first, however many others there are.
func TestStaleRelay(t *testing.T) {
	s := openScene(t)
	s.window.visit(s.window.network)
	s.neighbourhood.Found = []console.FoundRelay{
		{Name: "gone", Host: "gone.local", SeenAt: s.now.Add(-5 * time.Minute), Stale: true},
		{Name: "attic", Host: "attic.local", SeenAt: s.now},
		{Name: "shelf", Host: "shelf.local", SeenAt: s.now, Self: true},
	}
	s.look()
	reads(t, s.window.network.body, "gone does not answer any more gone.local · does not say whether it needs a key · last seen 5 min ago")
	var names []string
	for _, row := range s.window.network.found.rows {
		names = append(names, row.relay.Name)
	}
	if diff := cmp.Diff([]string{"shelf", "attic", "gone"}, names); diff != "" {
		t.Error(diff)
	}
}

// A relay that is seen again keeps its row, so that whoever is about to press one of
// its buttons finds it there.
func TestRelaySeenAgain(t *testing.T) {
	s := openScene(t)
	s.window.visit(s.window.network)
	s.neighbourhood.Found = []console.FoundRelay{{Name: "attic", Host: "attic.local", URLs: []string{"http://192.0.2.31:2451"}, SeenAt: s.now.Add(-time.Hour)}}
	s.look()
	row := s.window.network.found.rows[0]
	reads(t, row.content, "seen 1 h ago")
	s.neighbourhood.Found = []console.FoundRelay{s.neighbourhood.Found[0]}
	s.neighbourhood.Found[0].SeenAt = s.now
	s.look()
	if s.window.network.found.rows[0] != row {
		t.Error("the row was made anew")
	}
	reads(t, row.content, "seen just now")
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

// However many relays a network announces, and whatever is called how, the screen
// stays usable.
func TestCrowdedNetwork(t *testing.T) {
	s := openScene(t)
	s.window.visit(s.window.network)
	for i := range 1000 {
		name := fmt.Sprintf("%04d ", i) + strings.Repeat("W", 200)
		s.neighbourhood.Found = append(s.neighbourhood.Found, console.FoundRelay{Name: name, Host: name, Stale: true, Self: true, URLs: slices.Repeat([]string{"http://" + name}, 9)})
	}
	s.neighbourhood.Announced = []console.Announcement{{Interface: strings.Repeat("W", 200), Instance: strings.Repeat("W", 200), Addresses: slices.Repeat([]string{"2001:db8::20"}, 50)}}
	s.neighbourhood.Unused = []console.UnusedInterface{{Interface: strings.Repeat("W", 200), Reason: strings.Repeat("W", 200)}}
	s.checks = []console.Check{{Title: strings.Repeat("W", 200), Detail: strings.Repeat("W", 200), Todo: strings.Repeat("W", 200), Command: strings.Repeat("W", 200)}}
	s.window.network.test.start()
	s.look()
	reads(t, s.window.network.body, "and 936 more", "and 3 more addresses")
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
