package relay

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"hearth/relay/console"
	"hearth/relay/protocol"
	"hearth/relay/store"
)

// mostRelated is how many events a chain lists on either side of the one that it is
// about.
const mostRelated = 100

// Types of events of which a chain makes more than that they belong to it
// (reflexr.v1, "Server frames").
const (
	ruleFired  = "rule_fired"
	runStarted = "run_started"
)

// Chain implements [console.EventLog].
func (l look) Chain(ctx context.Context, ref console.StreamRef, position uint64, most int) (console.Chain, error) {
	if err := l.holdsEvents(ctx, ref); err != nil {
		return console.Chain{}, err
	}
	r, err := l.store.Record(ctx, store.Ref(ref), position)
	if err != nil {
		return console.Chain{}, notFound(err)
	}
	c, err := newChainer(r)
	if err != nil {
		return console.Chain{}, fmt.Errorf("event %d cannot be read: %w", position, err)
	}
	c.From, c.To = position, position
	most = min(max(most, 1), console.MaxScan)
	if err := l.causes(ctx, store.Ref(ref), c, most); err != nil {
		return console.Chain{}, err
	}
	if err := l.effects(ctx, store.Ref(ref), c, most); err != nil {
		return console.Chain{}, err
	}
	return c.Chain, nil
}

// chainer puts a chain together.
type chainer struct {
	console.Chain
	*sieve
	event   store.Envelope // that the chain is about
	content told           // what that says
}

// told is what events of the relay's own say of others, and causation.
type told struct {
	FiringID string   `json:"firing_id"`
	RunID    string   `json:"run_id"`
	Matched  []uint64 `json:"matched"`
}

// tells reads what an event, or a causation, says of others. Who publishes events of
// other types may give these members any meaning, and any form.
func tells(data []byte) (t told) {
	if json.Unmarshal(data, &t) != nil {
		return told{}
	}
	return t
}

func newChainer(r store.Record) (*chainer, error) {
	e, err := store.ReadEnvelope(r.Data)
	if err != nil {
		return nil, err
	}
	c := &chainer{event: e, sieve: newSieve(console.EventQuery{})}
	if c.kind(e) == ruleFired {
		c.content = tells(e.Event)
	}
	cause := tells(e.Causation)
	c.Firing, c.Run = cause.FiringID, cause.RunID
	began, err := store.Text(e.CorrelationID)
	if began != e.ID {
		c.Began = began
	}
	return c, err
}

// causes looks at what came before the event.
func (l look) causes(ctx context.Context, ref store.Ref, c *chainer, most int) error {
	matched := c.content.Matched
	err := l.back(ctx, scan{ref: ref, before: c.event.Seq, most: most, bytes: scanBytes}, func(r store.Record) bool {
		c.From = r.Seq
		e, err := store.ReadEnvelope(r.Data)
		if err != nil {
			return true
		}
		relation, ok := c.cause(e)
		if relation == console.RelationFired {
			matched = append(matched, tells(e.Event).Matched...)
		}
		if ok {
			c.MoreCauses = !c.caused(relation, e, r) || c.MoreCauses
		}
		return true
	})
	if err != nil {
		return err
	}
	if err := l.matched(ctx, ref, c, matched); err != nil {
		return err
	}
	if err := l.began(ctx, ref, c); err != nil {
		return err
	}
	slices.SortFunc(c.Causes, func(a, b console.Related) int { return cmp.Compare(a.Position, b.Position) })
	return nil
}

// cause says what an earlier event has to do with the one that the chain is about.
func (c *chainer) cause(e store.Envelope) (console.Relation, bool) {
	kind := c.kind(e)
	switch {
	case e.ID == c.Began: // which is not empty then, as no id is
		return console.RelationBegan, true
	case kind == ruleFired && c.Firing != "" && tells(e.Event).FiringID == c.Firing:
		return console.RelationFired, true
	case kind == runStarted && c.Run != "" && tells(e.Event).RunID == c.Run:
		return console.RelationRan, true
	case bytes.Equal(e.CorrelationID, c.event.CorrelationID):
		return console.RelationChain, true
	default:
		return "", false
	}
}

// matched puts what a rule was looking for among the causes, wherever that is.
func (l look) matched(ctx context.Context, ref store.Ref, c *chainer, positions []uint64) error {
	for _, seq := range positions[:min(len(positions), mostRelated)] {
		if seq >= c.event.Seq {
			continue // nothing comes of what is later
		}
		if i := slices.IndexFunc(c.Causes, func(r console.Related) bool { return r.Position == seq }); i >= 0 {
			if c.Causes[i].Relation == console.RelationChain {
				c.Causes[i].Relation = console.RelationMatched
			}
			continue
		}
		r, err := l.store.Record(ctx, ref, seq)
		if isA[*store.NotFoundError](err) {
			continue
		}
		if err != nil {
			return err
		}
		if e, err := store.ReadEnvelope(r.Data); err == nil {
			c.caused(console.RelationMatched, e, r)
		}
	}
	return nil
}

// began finds the event that began the chain, however far back that is.
func (l look) began(ctx context.Context, ref store.Ref, c *chainer) error {
	if c.Began == "" || console.Has(c.Causes, console.RelationBegan) {
		return nil
	}
	r, err := l.store.Find(ctx, ref, c.Began)
	if isA[*store.NotFoundError](err) || err == nil && r.Seq > c.event.Seq {
		return nil
	}
	if err != nil {
		return err
	}
	e, err := store.ReadEnvelope(r.Data)
	if err == nil {
		c.caused(console.RelationBegan, e, r)
	}
	return nil
}

// effects looks at what came after the event, a page after the other.
func (l look) effects(ctx context.Context, ref store.Ref, c *chainer, most int) error {
	for room := scanBytes; most > 0 && room > 0 && !c.MoreEffects; {
		page, err := l.store.Page(ctx, store.Read{Ref: ref, Behind: c.To, Entries: min(most, scanStep), Bytes: protocol.MaxPageData})
		if err != nil {
			return notFound(err)
		}
		c.Head = page.Head
		for r, err := range page.All() {
			if err != nil {
				return err
			}
			c.To = r.Seq
			most--
			room -= len(r.Data)
			e, err := store.ReadEnvelope(r.Data)
			if err != nil {
				continue
			}
			relation, ok := c.effect(e)
			if c.MoreEffects = ok && len(c.Effects) >= mostRelated; c.MoreEffects {
				break
			}
			if ok {
				c.Effects = append(c.Effects, console.Related{Event: c.shown(r.Seq, e, len(r.Data)), Relation: relation})
			}
		}
		page.Release()
		if c.To >= page.Head {
			return nil
		}
	}
	return nil
}

// effect says what a later event has to do with the one that the chain is about.
func (c *chainer) effect(e store.Envelope) (console.Relation, bool) {
	if c.kind(e) == ruleFired && slices.Contains(tells(e.Event).Matched, c.event.Seq) {
		return console.RelationFired, true
	}
	if c.content.FiringID != "" && tells(e.Causation).FiringID == c.content.FiringID {
		return console.RelationRan, true
	}
	return console.RelationChain, bytes.Equal(e.CorrelationID, c.event.CorrelationID)
}

// caused lists a cause, if there is room; what began the chain, and what matched,
// fired and ran, always has it.
func (c *chainer) caused(relation console.Relation, e store.Envelope, r store.Record) bool {
	if relation == console.RelationChain && len(c.Causes) >= mostRelated {
		return false
	}
	c.Causes = append(c.Causes, console.Related{Event: c.shown(r.Seq, e, len(r.Data)), Relation: relation})
	return true
}
