package engine

import (
	"context"
	"log/slog"
	"maps"
	"sync"
	"time"

	"hearth/relay/store"
)

// MaxDepth is how long chains of causes may be, unless the options say something
// else: longer than any that people mean, and short enough to end soon.
const MaxDepth = 8

// atOnce is how many streams are evaluated at a time: together they hold a few pages of
// events in memory, and they share the disk's commits.
const atOnce = 16

// Options are what an [Engine] works with.
type Options struct {
	Store    Store
	Hub      Hub
	Now      func() time.Time // the wall clock
	Logger   *slog.Logger
	MaxDepth int // how long chains of causes may be; 0 is MaxDepth
}

// Engine evaluates the rules of all spaces. Its methods may be called from any
// goroutine.
type Engine struct {
	store    Store
	hub      Hub
	now      func() time.Time
	logger   *slog.Logger
	maxDepth int
	slots    chan struct{}
	news     chan struct{} // that changed is not empty

	mu         sync.Mutex
	changed    map[string]bool // the spaces whose rules have to be read
	sets       map[string]*ruleset
	evaluators map[store.Ref]*evaluator
	running    map[store.Ref]bool
	troubles   map[store.Ref]error
}

// New returns an engine, which does nothing until it runs.
func New(o Options) *Engine {
	if o.MaxDepth == 0 {
		o.MaxDepth = MaxDepth
	}
	return &Engine{
		store: o.Store, hub: o.Hub, now: o.Now, logger: o.Logger, maxDepth: o.MaxDepth,
		slots: make(chan struct{}, atOnce), news: make(chan struct{}, 1),
		changed: make(map[string]bool), sets: make(map[string]*ruleset), evaluators: make(map[store.Ref]*evaluator),
		running: make(map[store.Ref]bool), troubles: make(map[store.Ref]error),
	}
}

// Run evaluates until the context ends, and returns when nothing of it is left
// running. It is called once.
func (e *Engine) Run(ctx context.Context) {
	var all sync.WaitGroup
	defer all.Wait()
	pause := firstPause
	for known := false; ; {
		err := e.readAll(ctx, &known)
		e.startMissing(ctx, &all)
		var again <-chan time.Time
		if pause = min(2*pause, longestPause); err == nil {
			pause = firstPause
		} else {
			e.logger.Error("rules cannot be read", slog.Any("error", err))
			again = time.After(pause)
		}
		e.report(store.Ref{}, err)
		select {
		case <-ctx.Done():
			return
		case <-e.news:
		case <-again:
		}
	}
}

// RulesChanged says that the rules of a space have changed. Whoever changes them says
// so afterwards.
func (e *Engine) RulesChanged(space string) {
	e.mu.Lock()
	e.changed[space] = true
	e.mu.Unlock()
	select {
	case e.news <- struct{}{}:
	default:
	}
}

// Troubles returns why the rules of streams cannot be evaluated at the moment, by the
// streams; under the zero Ref, why rules cannot be read. It is empty if all is well.
func (e *Engine) Troubles() map[store.Ref]error {
	e.mu.Lock()
	defer e.mu.Unlock()
	return maps.Clone(e.troubles)
}

// report notes how the last attempt of an evaluator went.
func (e *Engine) report(ref store.Ref, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if err == nil {
		delete(e.troubles, ref)
	} else {
		e.troubles[ref] = err
	}
}

// readAll reads the rules of the spaces in which they have changed; at first, which
// spaces have any.
func (e *Engine) readAll(ctx context.Context, known *bool) error {
	if !*known {
		list, _, err := e.store.Rules(ctx, "")
		if err != nil {
			return err
		}
		e.mu.Lock()
		for _, r := range list {
			e.changed[r.Space] = true
		}
		e.mu.Unlock()
		*known = true
	}
	e.mu.Lock()
	changed := maps.Clone(e.changed)
	e.mu.Unlock()
	for space := range changed {
		if err := e.reload(ctx, space); err != nil {
			return err
		}
	}
	return nil
}

// reload reads the rules of a space, and makes those look again whom it concerns.
func (e *Engine) reload(ctx context.Context, space string) error {
	e.mu.Lock()
	before := e.sets[space]
	delete(e.changed, space)
	e.mu.Unlock()
	set, err := e.readRules(ctx, space, before)
	e.mu.Lock()
	defer e.mu.Unlock()
	if err != nil {
		e.changed[space] = true
		return err
	}
	if now := e.sets[space]; now != nil && now.revision >= set.revision {
		return nil // somebody else was quicker
	}
	e.sets[space] = set
	for name := range set.streams {
		e.evaluator(store.Ref{Space: space, Name: name})
	}
	for ref, v := range e.evaluators {
		if ref.Space == space {
			v.poke()
		}
	}
	select {
	case e.news <- struct{}{}: // there may be streams that nobody evaluates yet
	default:
	}
	return nil
}

// evaluator returns the evaluator of a stream. The lock is held.
func (e *Engine) evaluator(ref store.Ref) *evaluator {
	v := e.evaluators[ref]
	if v == nil {
		v = newEvaluator(e, ref)
		e.evaluators[ref] = v
	}
	return v
}

// startMissing lets those evaluators run that do not yet.
func (e *Engine) startMissing(ctx context.Context, all *sync.WaitGroup) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for ref, v := range e.evaluators {
		if !e.running[ref] {
			e.running[ref] = true
			all.Go(func() { v.run(ctx) })
		}
	}
}

// rules returns the rules of a space as they were read last, nil if they were not.
func (e *Engine) rules(space string) *ruleset {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.sets[space]
}

// enter waits until there is room for one more evaluator to work; leave makes room.
func (e *Engine) enter(ctx context.Context) error {
	select {
	case e.slots <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (e *Engine) leave() { <-e.slots }

// until returns how long to wait for a moment, in microseconds since 1970: not longer
// than it takes until it is looked for again.
func (e *Engine) until(at int64) time.Duration {
	now := e.now()
	if at >= now.Add(lookAgain).UnixMicro() {
		return lookAgain
	}
	return max(0, time.Duration(at-now.UnixMicro())*time.Microsecond)
}
