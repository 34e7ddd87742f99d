package ui

import (
	"testing"

	"fyne.io/fyne/v2/test"

	"hearth/relay/console"
)

// An event leads to those of its chain, each way, and the list goes with it.
func TestChainLeadsOn(t *testing.T) {
	s := openScene(t)
	s.publish(append([]string{`{"type":"begins","message":"here"}`}, numbered("noise", 5)...)...)
	e := openEvents(s)
	first, _ := e.pager.at(1)
	s.postEvents(`{"events":[{"event":{"type":"goes on","message":"there"}}],"correlation_id":"` + first.ID + `"}`)
	s.look()
	e.list.choose(0)
	s.settle()
	test.Tap(e.pane.tabs[asChain])
	reads(t, e.pane.content, "Chain · 1", "What caused it", "begins", "began the chain · here", "What it caused", "Nothing so far.")
	test.Tap(e.pane.chain.lines[0].pressable)
	s.settle()
	if e.pane.event.Position != 1 || (*eventRows)(e).chosen() != 6 {
		t.Errorf("the way leads to event %d, row %d", e.pane.event.Position, (*eventRows)(e).chosen())
	}
	reads(t, e.pane.content, "Nothing: it began its own chain.", "goes on", "there")
	e.list.choose(3)
	s.settle()
	reads(t, e.pane.content, "Nothing: it began its own chain.", "Nothing so far.")
	readsNot(t, e.pane.content, "Look further")
}

// What cannot be found of a chain is said, with how far it was looked for.
func TestChainSaysWhatIsMissing(t *testing.T) {
	event := func(position uint64) console.Event { return console.Event{Position: position, ID: "e", Type: "t"} }
	for _, test := range []struct {
		name  string
		chain console.Chain
		want  []string
	}{
		{"nothing anywhere", console.Chain{From: 1, To: 5, Head: 5}, []string{"Nothing: it began its own chain.", "Nothing so far."}},
		{"its beginning", console.Chain{Began: "root", From: 1, To: 5, Head: 5}, []string{"The event that began the chain, root, is not in this stream."}},
		{"its firing and run", console.Chain{Firing: "f1", Run: "r1", From: 40, To: 50, Head: 60}, []string{
			"The firing that it comes from, f1, is not since event 40.", "The run that it comes from, r1, is not since event 40.",
			"Nothing up to event 50.", "Events 40 to 50 were looked at.", "Look further",
		}},
		{"more than are listed", console.Chain{
			From: 1, To: 5, Head: 5, MoreCauses: true, MoreEffects: true,
			Causes:  []console.Related{{Event: event(1), Relation: console.RelationChain}},
			Effects: []console.Related{{Event: event(3), Relation: console.RelationFired}},
		}, []string{"There are more of the same chain before it than these.", "a rule fired", "There are more than these."}},
	} {
		s := openScene(t)
		v := newChainView(s.window.shell, func(console.Event) {}, func(string) {})
		v.show(test.chain)
		v.content.Resize(v.content.MinSize().AddWidthHeight(400, 400))
		t.Run(test.name, func(t *testing.T) { reads(t, v.content, test.want...) })
	}
}
