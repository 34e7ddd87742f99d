package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hearth/discovery"
	"hearth/relay/console"
)

// selfTest is a relay that is open to the network. For each line that it reads
// it tests itself, once it is closed to the network if the line says so, and
// prints what it found.
func selfTest(folder string) {
	check := func(err error) {
		if err != nil {
			panic(err)
		}
	}
	s, err := loadSettings(testSettings(folder, keptSettings{}).givens)
	check(err)
	h, err := openHome(context.Background(), s, homeOptions{Logger: discard()})
	check(err)
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		if lines.Text() == "close" {
			_, err := h.Change(context.Background(), console.Change{Open: new(false)})
			check(err)
		}
		checks, err := h.SelfTest(context.Background())
		check(err)
		check(json.NewEncoder(os.Stdout).Encode(checks))
	}
	check(h.Close())
}

// What came of trying multicast is told for each interface, and whether anyone
// answers only where something went out.
func TestMulticastChecks(t *testing.T) {
	for name, test := range map[string]struct {
		trials []discovery.Trial
		failed error
		want   map[string]console.Outcome
	}{
		"nowhere": {failed: discovery.ErrNoNetwork, want: map[string]console.Outcome{"Connected to a network": console.OutcomeBad}},
		"taken": {
			trials: []discovery.Trial{{Interface: "eth0", Err: discovery.ErrPortTaken}},
			want:   map[string]console.Outcome{"Multicast on eth0": console.OutcomeBad},
		},
		"one of two": {
			trials: []discovery.Trial{{Interface: "eth0", Err: errors.New("it is forbidden")}, {Interface: "wlan0"}},
			want:   map[string]console.Outcome{"Multicast on eth0": console.OutcomeBad, "Multicast on wlan0": console.OutcomeGood, "Other devices answer": console.OutcomeUnknown},
		},
	} {
		got := make(map[string]console.Outcome)
		for _, c := range multicastChecks(test.trials, test.failed) {
			got[c.Title] = c.Outcome
			if c.Detail == "" || (c.Outcome == console.OutcomeGood) != (c.Todo == "") {
				t.Errorf("%s: %+v says too little or too much", name, c)
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// Going to the relay over an address of its own machine has to work; over a
// router's it may fail from here alone.
func TestReachCheck(t *testing.T) {
	failed := errors.New("nothing answers there")
	for name, test := range map[string]struct {
		own    bool
		failed error
		want   console.Outcome
	}{
		"own":              {true, nil, console.OutcomeGood},
		"own, shut":        {true, failed, console.OutcomeBad},
		"a router's":       {false, nil, console.OutcomeGood},
		"a router's, shut": {false, failed, console.OutcomeUnknown},
	} {
		c := reachCheck(place{loopback, 2451}, test.own, test.failed)
		if c.Outcome != test.want || c.Detail == "" || (test.failed == nil) != (c.Todo == "") {
			t.Errorf("%s: %+v", name, c)
		}
	}
}

// Whether a firewall is in the way is known only once another device came in.
func TestFirewallCheck(t *testing.T) {
	for name, test := range map[string]struct {
		system, visitor string
		want            console.Outcome
		told            string
	}{
		"there is one":      {"windows", "", console.OutcomeUnknown, "the Windows firewall"},
		"none is known":     {"plan9", "", console.OutcomeUnknown, "No firewall was found"},
		"somebody came in":  {"windows", "192.0.2.7", console.OutcomeGood, "192.0.2.7"},
		"in without a wall": {"plan9", "192.0.2.7", console.OutcomeGood, "192.0.2.7"},
	} {
		c := firewallCheck(test.system, 2451, test.visitor)
		if c.Outcome != test.want || !strings.Contains(c.Detail, test.told) || (c.Outcome == console.OutcomeGood) != (c.Todo == "") {
			t.Errorf("%s: %+v", name, c)
		}
	}
}
