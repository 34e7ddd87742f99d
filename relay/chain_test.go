package relay_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hearth/relay/console"
)

// related is a link of a chain in short.
func related(list []console.Related) []string {
	short := []string{}
	for _, r := range list {
		short = append(short, fmt.Sprintf("%d %s", r.Position, r.Relation))
	}
	return short
}

// What caused an event, and what it caused, is found by the chain that they share
// and by the firing and the run that they name; what is not there is not made up.
func TestChain(t *testing.T) {
	dir := t.TempDir()
	rules := `{"kind":"system","name":"rules"}`
	ran := `{"firing_id":"f1","run_id":"r1","depth":1}`
	publish(t, dir,
		reported{id: "alone", event: `{"type":"door.opened"}`},                                                     // 1
		reported{id: "other", event: `{"type":"service.error"}`},                                                   // 2: of another chain, and matched
		reported{id: "root", event: `{"type":"service.error"}`},                                                    // 3
		reported{id: "noise", event: `{"type":"rule_fired_not","matched":[3]}`},                                    // 4
		reported{event: `{"type":"rule_fired","firing_id":"f1","matched":[2,3]}`, chain: "root", actor: rules},     // 5
		reported{event: `{"type":"run_started","run_id":"r1"}`, chain: "root", causation: ran, actor: rules},       // 6
		reported{id: "sent", event: `{"type":"sent"}`, chain: "root", causation: ran},                              // 7
		reported{event: `{"type":"lost"}`, chain: "root", causation: `{"firing_id":"f9","run_id":"r9","depth":3}`}, // 8
	)
	c := stopped(t, dir)
	for position, want := range map[uint64]struct {
		causes, effects    []string
		began, firing, run string
	}{
		1: {causes: []string{}, effects: []string{}},
		2: {causes: []string{}, effects: []string{"5 fired"}},
		3: {causes: []string{}, effects: []string{"5 fired", "6 chain", "7 chain", "8 chain"}},
		5: {causes: []string{"2 matched", "3 began"}, effects: []string{"6 ran", "7 ran", "8 chain"}, began: "root"},
		7: {
			causes: []string{"2 matched", "3 began", "5 fired", "6 ran"}, effects: []string{"8 chain"},
			began: "root", firing: "f1", run: "r1",
		},
		8: {
			causes: []string{"3 began", "5 chain", "6 chain", "7 chain"}, effects: []string{},
			began: "root", firing: "f9", run: "r9",
		},
	} {
		got, err := c.Chain(t.Context(), house, position, 100)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want.causes, related(got.Causes)); diff != "" {
			t.Errorf("what caused %d (-want +got):\n%s", position, diff)
		}
		if diff := cmp.Diff(want.effects, related(got.Effects)); diff != "" {
			t.Errorf("what %d caused (-want +got):\n%s", position, diff)
		}
		if got.Began != want.began || got.Firing != want.firing || got.Run != want.run || got.From != 1 || got.To != 8 || got.Head != 8 {
			t.Errorf("the chain of %d: %+v", position, got)
		}
	}
	if _, err := c.Chain(t.Context(), house, 9, 100); !errors.Is(err, console.ErrNotFound) {
		t.Errorf("the chain of an event that is not there: %v", err)
	}
}

// A chain is looked for as far as one may look, and says how far that is; what began
// it is found wherever it lies.
func TestChainIsBounded(t *testing.T) {
	dir := t.TempDir()
	events := []reported{{id: "root", event: `{"type":"begins"}`}}
	for range 300 {
		events = append(events, reported{event: `{"type":"goes on"}`, chain: "root"})
	}
	publish(t, dir, events...)
	c := stopped(t, dir)
	near, err := c.Chain(t.Context(), house, 150, 10)
	if err != nil || near.From != 140 || near.To != 160 || near.Head != 301 || near.MoreCauses || near.MoreEffects {
		t.Errorf("between %d and %d of %d, %v", near.From, near.To, near.Head, err)
	}
	if len(near.Causes) != 11 || near.Causes[0].Relation != console.RelationBegan || near.Causes[0].Position != 1 || len(near.Effects) != 10 {
		t.Errorf("the causes %v, the effects %v", related(near.Causes), related(near.Effects))
	}
	far, err := c.Chain(t.Context(), house, 150, 1000)
	if err != nil || !far.MoreCauses || !far.MoreEffects || len(far.Causes) != 101 || len(far.Effects) != 100 {
		t.Errorf("%d causes, %d effects, %v", len(far.Causes), len(far.Effects), err)
	}
	if far.Causes[1].Position != 50 || far.Effects[99].Position != 250 {
		t.Errorf("the causes %v, the effects %v", related(far.Causes), related(far.Effects))
	}
}
