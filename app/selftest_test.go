package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
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
		want   map[string]bool
	}{
		"nowhere": {failed: discovery.ErrNoNetwork, want: map[string]bool{"Connected to a network": false}},
		"taken": {
			trials: []discovery.Trial{{Interface: "eth0", Err: discovery.ErrPortTaken}},
			want:   map[string]bool{"Multicast on eth0": false},
		},
		"one of two": {
			trials: []discovery.Trial{{Interface: "eth0", Err: errors.New("it is forbidden")}, {Interface: "wlan0"}},
			want:   map[string]bool{"Multicast on eth0": false, "Multicast on wlan0": true, "Other devices answer": false},
		},
	} {
		got := make(map[string]bool)
		for _, c := range multicastChecks(test.trials, test.failed) {
			got[c.Title] = c.OK
			if c.Detail == "" || c.OK != (c.Todo == "") {
				t.Errorf("%s: %+v says too little or too much", name, c)
			}
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}
