package engine

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"hearth/relay/store"

	"github.com/google/go-cmp/cmp"
)

const (
	onPing = `{"name":"pong","when":{"filter":{"kind":"on","types":["ping"]}},"then":{"action":"note"}}`
	quiet  = `{"name":"quiet","when":{"filter":{"kind":"on","types":["ping"]},"pattern":{"kind":"absence","within":"PT30S"}},"then":{"action":"note"}}`
)

// types returns the types of a log's events.
func (p *place) types() (list []string) {
	p.t.Helper()
	for _, e := range p.events() {
		kind, _, _ := strings.Cut(strings.TrimPrefix(e, `{"type":"`), `"`)
		list = append(list, kind)
	}
	return list
}

func equal(t *testing.T, what string, want, got any) {
	t.Helper()
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("%s (-want +got)\n%s", what, diff)
	}
}

// TestWoken: a rule fires since an event was published, and begins since it was put,
// also in a stream that comes to be later; nothing asks for that time and again.
func TestWoken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := found(t, 0)
		stop := p.start()
		defer stop()
		p.put(onPing)
		synctest.Wait()
		began := time.Now()
		p.publish(`{"type":"ping"}`)
		synctest.Wait()
		p.publish(`{"type":"ping"}`, `{"type":"other"}`)
		synctest.Wait()
		equal(t, "the log", []string{"ping", "rule_fired", "ping", "other", "rule_fired"}, p.types())
		equal(t, "the time that went by", time.Duration(0), time.Since(began).Round(time.Second))
		equal(t, "what is wrong", 0, len(p.Troubles()))
	})
}

// TestAbsenceOnTime: without any event an absence fires at its moment, by an event in the
// log at which a replay fires, too; and no rule looks at that event.
func TestAbsenceOnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := found(t, 0)
		p.put(quiet)
		p.put(`{"name":"any","when":{"filter":{"kind":"on","types":["rule_due"]}},"then":{"action":"note"}}`)
		stop := p.start()
		p.publish(`{"type":"ping"}`)
		synctest.Wait()
		published := p.log()[0].TS
		time.Sleep(29 * time.Second)
		synctest.Wait()
		equal(t, "before the moment", []string{"ping"}, p.types())
		time.Sleep(2 * time.Second)
		synctest.Wait()
		equal(t, "behind the moment", []string{"ping", "rule_due", "rule_fired"}, p.types())
		if late := p.log()[2].TS.Sub(published.Add(30 * time.Second)); late < 0 || late > time.Second {
			t.Errorf("it fired %v late", late)
		}
		equal(t, "what is due", fmt.Sprintf(`{"type":"rule_due","rule":"quiet","at":%q}`,
			published.Add(30*time.Second).Format(time.RFC3339Nano)), p.events()[1])
		stop()

		if _, _, err := p.Replay(t.Context(), Replay{Ref: home, Rule: "quiet", Refire: true, Actor: anna}); err != nil {
			t.Fatal(err)
		}
		p.evaluate()
		runs := p.runs()
		if len(runs) != 2 || runs[0].FiredSeq != 2 || runs[1].FiredSeq != 2 || runs[0].ID == runs[1].ID {
			t.Errorf("the replay fired elsewhere: %+v", runs)
		}
	})
}

// TestAbsenceOverRestart: what comes due while no engine runs fires once one does.
func TestAbsenceOverRestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := found(t, 0)
		p.put(quiet)
		stop := p.start()
		p.publish(`{"type":"ping"}`)
		synctest.Wait()
		stop()
		time.Sleep(time.Hour)
		again := &place{Engine: New(Options{Store: p.store, Hub: p.hub, Now: time.Now, Logger: p.logger}), t: t, store: p.store}
		stop = again.start()
		defer stop()
		synctest.Wait()
		equal(t, "the log", []string{"ping", "rule_due", "rule_fired"}, p.types())
	})
}

// TestClockSet: an absence fires no more than half a minute late when the clock is set,
// and not at all when it is set back.
func TestClockSet(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := found(t, 0)
		e := New(Options{Store: p.store, Hub: p.hub, Now: func() time.Time { return time.Now().Add(-time.Hour) }, Logger: p.logger})
		p.Engine = e
		p.put(quiet)
		stop := p.start()
		defer stop()
		p.publish(`{"type":"ping"}`)
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		equal(t, "an hour behind", []string{"ping"}, p.types())
		time.Sleep(51 * time.Minute)
		synctest.Wait()
		equal(t, "an hour later", []string{"ping", "rule_due", "rule_fired"}, p.types())
	})
}

// TestManyAreDue: scopes that come due together all fire, some at each envelope.
func TestManyAreDue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := found(t, 0)
		p.put(`{"name":"quiet","when":{"filter":{"kind":"on","types":["ping"]},"pattern":{"kind":"absence","within":"PT30S"}},
			"scope":{"fields":["n"]},"then":{"action":"note"}}`)
		stop := p.start()
		defer stop()
		const scopes = 3*maxDues + 1
		var events []string
		for i := range scopes {
			events = append(events, fmt.Sprintf(`{"type":"ping","n":%d}`, i))
		}
		p.publish(events...)
		time.Sleep(31 * time.Second)
		synctest.Wait()
		seen := make(map[string]bool)
		for _, r := range p.runs() {
			seen[r.ScopeKey] = true
		}
		equal(t, "the scopes that fired", scopes, len(seen))
		equal(t, "the runs", scopes, len(p.runs()))
		_, s := p.standing("quiet")
		equal(t, "the scopes that wait", 0, s.Scopes)
	})
}

// TestErrors: an event that cannot be evaluated is told, and a letter, and the rule goes on;
// that telling of it cannot be evaluated is a letter only.
func TestErrors(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := found(t, 0)
		p.put(`{"name":"scoped","when":{"filter":{"kind":"on","types":["ping"]}},"scope":{"fields":["host"]},"then":{"action":"note"}}`)
		p.put(`{"name":"watch","when":{"filter":{"kind":"on","types":["rule_errored"]}},"scope":{"fields":["host"]},"then":{"action":"note"}}`)
		p.publish(`{"type":"ping"}`, `{"type":"ping","host":"<a>"}`)
		p.evaluate()
		equal(t, "the log", []string{"ping", "ping", "rule_errored", "rule_fired"}, p.types())
		equal(t, "the chain of what is told", "#1", p.log()[2].Chain)
		if fired := p.events()[3]; !strings.Contains(fired, `"scope":{"host":"<a>"}`) {
			t.Errorf("what fired: %s", fired)
		}
		letters, err := p.store.Letters(t.Context(), home, store.LetterFilter{}, 10)
		if err != nil {
			t.Fatal(err)
		}
		var of []string
		for _, l := range letters {
			of = append(of, fmt.Sprintf("%s %d", l.Rule, l.Seq))
		}
		equal(t, "the letters", []string{"watch 3", "scoped 1"}, of)
	})
}

// TestDepth: rules that set each other off end at the limit, which is told.
func TestDepth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := found(t, 3)
		for _, name := range []string{"a", "b"} {
			p.put(`{"name":"` + name + `","when":{"filter":{"kind":"on","types":["ping","rule_fired"]}},"then":{"action":"note"}}`)
		}
		p.publish(`{"type":"ping"}`)
		p.evaluate()
		deepest, errored := 0, 0
		for i, e := range p.log() {
			deepest = max(deepest, e.Depth)
			if p.types()[i] == "rule_errored" {
				errored++
			}
		}
		equal(t, "the deepest", 3, deepest)
		equal(t, "what was refused", 2, errored)
	})
}

// TestBeginning: a rule that comes later begins at the head or at the start, as it says,
// and the one that is behind does not hold up those in step.
func TestBeginning(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := found(t, 0)
		p.publish(slices.Repeat([]string{`{"type":"ping"}`}, 2*maxBatch+10)...)
		time.Sleep(time.Second)
		p.put(onPing)
		p.put(`{"name":"all","start":"beginning","when":{"filter":{"kind":"on","types":["ping"]}},"then":{"action":"note"}}`)
		p.evaluate()
		p.publish(`{"type":"ping"}`)
		p.evaluate()
		count := make(map[string]int)
		for _, r := range p.runs() {
			count[r.Rule]++
		}
		equal(t, "the runs", map[string]int{"pong": 1, "all": 2*maxBatch + 11}, count)
		for _, rule := range []string{"pong", "all"} {
			head, s := p.standing(rule)
			if !s.InStep || s.Cursor != head {
				t.Errorf("the rule %s is at %+v of %d", rule, s, head)
			}
		}
	})
}

// TestArchivedAndBack: a rule that was out of use begins anew, with other ids, and knows
// nothing of what was meanwhile.
func TestArchivedAndBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := found(t, 0)
		p.put(quiet)
		p.publish(`{"type":"ping"}`)
		p.evaluate()
		p.archive("quiet")
		p.evaluate()
		_, s := p.standing("quiet")
		equal(t, "the scopes of an archived rule", 0, s.Scopes)
		p.publish(`{"type":"ping"}`)
		p.put(quiet)
		stop := p.start()
		defer stop()
		time.Sleep(time.Hour)
		synctest.Wait()
		equal(t, "the log", []string{"ping", "ping", "rule_reset"}, p.types())
		p.publish(`{"type":"ping"}`)
		time.Sleep(time.Hour)
		synctest.Wait()
		equal(t, "the log", []string{"ping", "ping", "rule_reset", "ping", "rule_due", "rule_fired"}, p.types())
	})
}

// disturbed is a store in which something happens before a reaction.
type disturbed struct {
	*placeStore
	before func() error
}

type placeStore struct{ Store }

func (d *disturbed) React(ctx context.Context, r store.Reaction) (store.Reacted, error) {
	if d.before != nil && len(r.NewRuns) > 0 {
		before := d.before
		d.before = nil
		if err := before(); err != nil {
			return store.Reacted{}, err
		}
	}
	return d.placeStore.React(ctx, r)
}

// TestChangedMeanwhile: if rules change between what was read and what is written, nothing
// of it lands, and it is decided by the new ones.
func TestChangedMeanwhile(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := found(t, 0)
		p.put(onPing)
		d := &disturbed{placeStore: &placeStore{p.store}}
		p.Engine = New(Options{Store: d, Hub: p.hub, Now: time.Now, Logger: p.logger})
		p.publish(`{"type":"other"}`)
		p.evaluate()
		d.before = func() error {
			p.put(strings.Replace(onPing, "{", `{"enabled":false,`, 1))
			return nil
		}
		p.publish(`{"type":"ping"}`)
		p.evaluate()
		equal(t, "the log", []string{"other", "ping"}, p.types())
		_, s := p.standing("pong")
		equal(t, "where the rule holds", uint64(1), s.Cursor)
	})
}

// TestTrouble: what fails is told as long as it does, and tried again.
func TestTrouble(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := found(t, 0)
		p.put(onPing)
		d := &disturbed{placeStore: &placeStore{p.store}}
		p.Engine = New(Options{Store: d, Hub: p.hub, Now: time.Now, Logger: p.logger})
		full := errors.New("the disk is full")
		panics := func() error { panic("something") }
		stop := p.start()
		defer stop()
		p.publish(`{"type":"other"}`)
		synctest.Wait()
		for _, before := range []func() error{func() error { return full }, panics} {
			d.before = before
			p.publish(`{"type":"ping"}`)
			synctest.Wait()
			if p.Troubles()[home] == nil {
				t.Error("nothing is told")
			}
			time.Sleep(2 * firstPause)
			synctest.Wait()
			equal(t, "what is wrong afterwards", 0, len(p.Troubles()))
		}
		equal(t, "the log", []string{"other", "ping", "rule_fired", "ping", "rule_fired"}, p.types())
	})
}

// TestBroken: a rule whose memory makes no sense holds, and the others go on; a replay
// puts it right.
func TestBroken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := found(t, 0)
		p.put(onPing)
		p.put(strings.Replace(onPing, `"pong","when":{`, `"twice","when":{"pattern":{"kind":"count","at_least":2,"within":"PT1H"},`, 1))
		p.publish(`{"type":"other"}`)
		p.evaluate()
		_, s := p.standing("twice")
		_, err := p.store.React(t.Context(), store.Reaction{Ref: home, Rules: []store.RuleProgress{{
			Rule: "twice", Was: s.Progress, Now: s.Progress, States: []store.ScopeState{{Scope: "[]", State: []byte(`{"deadline":1}`)}},
		}}})
		if err != nil {
			t.Fatal(err)
		}
		p.publish(`{"type":"ping"}`, `{"type":"ping"}`)
		p.evaluate()
		equal(t, "the log", []string{"other", "ping", "ping", "rule_fired", "rule_fired"}, p.types())
		if _, _, err := p.Replay(t.Context(), Replay{Ref: home, Rule: "twice", Refire: true, Actor: anna}); err != nil {
			t.Fatal(err)
		}
		p.evaluate()
		equal(t, "the runs", 3, len(p.runs()))
	})
}

// TestTooMuch: what one event comes to in very many rules is written bit by bit, and each
// fires once.
func TestTooMuch(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := found(t, 0)
		const many = 450
		for i := range many {
			p.put(fmt.Sprintf(`{"name":"r%03d","when":{"filter":{"kind":"on","types":["ping"]}},"scope":{"fields":["text"]},"then":{"action":"note"}}`, i))
		}
		long := strings.Repeat("x", 4000)
		p.publish(`{"type":"ping","text":"`+long+`"}`, `{"type":"ping","text":"`+long+`"}`)
		p.evaluate()
		seen := make(map[string]bool)
		for _, e := range p.events() {
			if seen[e] {
				t.Fatalf("twice: %.200s", e)
			}
			seen[e] = !strings.HasPrefix(e, `{"type":"ping"`)
		}
		head, s := p.standing("r000")
		equal(t, "the end of the log", uint64(2+2*many), head)
		equal(t, "where the rules are", head, s.Cursor)
	})
}

// TestReplayRefused: what cannot be replayed is refused, and nothing is done.
func TestReplayRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := found(t, 0)
		p.put(onPing)
		replay := func(r Replay) error {
			r.Actor = anna
			_, _, err := p.Replay(t.Context(), r)
			return err
		}
		if _, ok := errors.AsType[*store.NotFoundError](replay(Replay{Ref: home, Rule: "pong"})); !ok {
			t.Error("there is no stream")
		}
		p.publish(`{"type":"ping"}`)
		p.evaluate()
		if _, ok := errors.AsType[*store.UnknownRuleError](replay(Replay{Ref: home, Rule: "none"})); !ok {
			t.Error("there is no such rule")
		}
		if _, ok := errors.AsType[*BeyondError](replay(Replay{Ref: home, Rule: "pong", From: 3})); !ok {
			t.Error("there is nothing behind the end")
		}
		if _, ok := errors.AsType[*ElsewhereError](replay(Replay{Ref: store.Ref{Space: home.Space, Name: "away"}, Rule: "pong"})); !ok {
			t.Error("the rule does not look there")
		}
		equal(t, "the log", []string{"ping", "rule_fired"}, p.types())
	})
}

// TestReplayOnce: a replay that is a command is done once.
func TestReplayOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := found(t, 0)
		p.put(onPing)
		p.publish(`{"type":"ping"}`)
		p.evaluate()
		r := Replay{
			Ref: home, Rule: "pong", Refire: true, Actor: anna,
			Command: &store.Command{Space: home.Space, Actor: anna.Participant(), Stream: home.Name, ID: "once"},
			Result: func(now store.Progress) []byte {
				return fmt.Appendf(nil, `{"outcome":{"generation":%d}}`, now.Generation)
			},
		}
		for i := range 2 {
			_, earlier, err := p.Replay(t.Context(), r)
			if err != nil || (earlier != nil) != (i == 1) {
				t.Errorf("time %d: %s, %v", i, earlier, err)
			}
			p.evaluate()
		}
		equal(t, "the log", []string{"ping", "rule_fired", "rule_reset", "rule_fired"}, p.types())
	})
}

// TestOpaque: streams of opaque entries are none for rules.
func TestOpaque(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := reopen(t, filepath.Join(t.TempDir(), "hearth.db"), 0)
		p.put(onPing)
		p.append("entry")
		p.evaluate()
		head, s := p.standing("pong")
		if head != 1 || s.Definition != "" {
			t.Errorf("the rule looked at %d: %+v", head, s)
		}
	})
}
