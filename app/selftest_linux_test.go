package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hearth/relay/console"
)

// A relay that can be reached finds nothing wrong; one whose address changed, or
// that is given an address where nobody answers, or is for its machine only,
// says so.
func TestSelfTest(t *testing.T) {
	t.Parallel()
	home, guest := machines(t)
	folder := t.TempDir()
	kept := keptSettings{Port: new(0), Open: new(true)}
	if err := kept.write(folder); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	relay := inside(home, self)
	relay.Env = append(os.Environ(), selfTestIn+"="+folder)
	relay.Stderr = t.Output()
	ask, err := relay.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	answers, err := relay.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := relay.Start(); err != nil {
		t.Fatal(err)
	}
	other := inside(guest, filepath.Join(programs, programName), "serve", "--data", t.TempDir(), "--open", "--listen", ":0")
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = other.Process.Kill() // it has nothing to lose
		_ = other.Wait()
	})
	checked := json.NewDecoder(answers)
	until := func(what, line string, so func(map[string]console.Check) bool) {
		t.Helper()
		for deadline := time.Now().Add(patience); ; {
			if _, err := fmt.Fprintln(ask, line); err != nil {
				t.Fatal(err)
			}
			var checks []console.Check
			if err := checked.Decode(&checks); err != nil {
				t.Fatal(err)
			}
			byTitle := make(map[string]console.Check)
			for _, c := range checks {
				byTitle[c.Title] = c
			}
			if so(byTitle) {
				return
			}
			if time.Now().After(deadline) {
				t.Fatalf("not %s: %+v", what, checks)
			}
		}
	}
	reached := func(addr string, checks map[string]console.Check) bool {
		for title, c := range checks {
			if strings.HasPrefix(title, "Reached at "+addr+":") {
				return c.Outcome == console.OutcomeGood
			}
		}
		return false
	}
	until("well", "", func(checks map[string]console.Check) bool {
		_, moved := checks["Still at the same addresses"]
		return checks["Multicast on "+card].Outcome == console.OutcomeGood && checks["Other devices answer"].Outcome == console.OutcomeGood && checks["Announced on the network"].Outcome == console.OutcomeGood &&
			reached(homeAddr, checks) && checks["Firewall"].Outcome == console.OutcomeUnknown && !moved
	})
	enter(t, guest, folder)
	until("visited", "", func(checks map[string]console.Check) bool {
		return checks["Firewall"].Outcome == console.OutcomeGood && strings.Contains(checks["Firewall"].Detail, "10.78.0.2")
	})
	ip(t, "-n", home, "address", "del", homeAddr+"/24", "dev", card)
	ip(t, "-n", home, "address", "add", "10.78.0.9/24", "dev", card)
	until("moved", "", func(checks map[string]console.Check) bool {
		moved, ok := checks["Still at the same addresses"]
		return ok && moved.Outcome == console.OutcomeBad && strings.Contains(moved.Detail, homeAddr) && reached("10.78.0.9", checks)
	})
	until("closed", "close", func(checks map[string]console.Check) bool {
		return len(checks) == 1 && checks["Open to the network"].Outcome == console.OutcomeBad
	})
	if err := ask.Close(); err != nil {
		t.Error(err)
	}
	if err := relay.Wait(); err != nil {
		t.Error(err)
	}
}

// enter lets another machine ask for a stream of the relay on a data folder. That
// there is none makes it no stranger.
func enter(t *testing.T, machine, folder string) {
	t.Helper()
	run, err := readRunFile(folder)
	if err != nil || run == nil {
		t.Fatalf("it does not say that it runs: %v", err)
	}
	getInside(t, machine, run.URLs[0]+"/v1/streams/pantry/entries", "", "")
}
