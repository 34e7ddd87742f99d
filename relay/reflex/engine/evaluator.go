package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"sync"
	"time"

	"hearth/relay/store"
)

const (
	// lookAgain is how long an evaluator that waits for a moment sleeps at the most: a
	// machine that sleeps, or whose clock is set, is not more than this behind.
	lookAgain = 30 * time.Second

	// firstPause and longestPause are how long an evaluator waits before it tries again
	// what failed, at first and in the end.
	firstPause   = time.Second
	longestPause = 30 * time.Second

	// maxStale is how often in a row something may have changed before that is taken for a
	// failure. Rules and replays change now and then.
	maxStale = 20

	// maxKept is about how many bytes of what rules remember are kept in memory for a
	// stream.
	maxKept = 8 << 20
)

// evaluator evaluates the rules of one stream.
type evaluator struct {
	engine *Engine
	ref    store.Ref
	poked  chan struct{}

	mu      sync.Mutex        // held while anything is read, decided and written
	ctx     context.Context   // of that: what rules remember is asked for without one
	missing bool              // whether the stream was not there when it was looked for last
	broken  map[string]uint64 // the versions of rules that cannot go on
	next    int64             // the earliest moment for which a rule waits

	// What is known of the stream, once it was read.
	loaded bool
	set    *ruleset
	cursor uint64    // where the rules in step are
	inStep *group    // these
	apart  []*member // and those that are elsewhere
}

func newEvaluator(e *Engine, ref store.Ref) *evaluator {
	return &evaluator{engine: e, ref: ref, poked: make(chan struct{}, 1), broken: make(map[string]uint64), next: never}
}

// poke makes the evaluator look again.
func (v *evaluator) poke() {
	select {
	case v.poked <- struct{}{}:
	default:
	}
}

// run evaluates until the context ends or the notifier is closed.
func (v *evaluator) run(ctx context.Context) {
	news := v.engine.hub.Subscribe(v.ref)
	defer news.Stop()
	pause := firstPause
	for {
		next, err := v.work(ctx)
		wait := v.engine.until(next)
		switch {
		case ctx.Err() != nil || errors.Is(err, store.ErrClosed):
			return
		case err != nil:
			v.engine.logger.Error("rules cannot be evaluated", slog.String("space", v.ref.Space), slog.String("stream", v.ref.Name),
				slog.Any("error", err), slog.Duration("again_in", pause))
			wait, pause = pause, min(2*pause, longestPause)
		default:
			pause = firstPause
		}
		v.engine.report(v.ref, err)
		if !v.sleep(ctx, news.Woken(), wait) {
			return
		}
		if _, closed := news.Take(); closed {
			return
		}
	}
}

// sleep waits until there is something to do, or a time has passed. It says whether
// the evaluator goes on.
func (v *evaluator) sleep(ctx context.Context, woken <-chan struct{}, wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-woken:
	case <-v.poked:
	case <-timer.C:
	}
	return true
}

// work evaluates all that is there, and says for which moment a rule waits then.
func (v *evaluator) work(ctx context.Context) (next int64, err error) {
	if err := v.engine.enter(ctx); err != nil {
		return never, err
	}
	defer v.engine.leave()
	v.mu.Lock()
	defer v.mu.Unlock()
	defer func() {
		if value := recover(); value != nil {
			v.forget()
			next, err = never, fmt.Errorf("evaluating rules: panic: %v\n%s", value, debug.Stack())
		}
	}()
	err = v.until(ctx, func(ctx context.Context) (bool, error) {
		worked, err := v.step(ctx)
		if worked || err != nil || !v.loaded {
			return worked, err
		}
		return v.ring(ctx)
	})
	if err != nil || !v.loaded {
		return never, err
	}
	return v.next, nil
}

// pass evaluates all that is there, whatever the time is.
func (v *evaluator) pass(ctx context.Context) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.until(ctx, v.step)
}

// until takes steps until there is nothing more to do. What has changed since it was
// read is read again.
func (v *evaluator) until(ctx context.Context, step func(context.Context) (bool, error)) error {
	v.ctx = ctx
	for stale := 0; ; {
		worked, err := step(ctx)
		if err == nil {
			if !worked {
				return nil
			}
			stale = 0
			continue
		}
		v.forget()
		if broken, ok := errors.AsType[*brokenError](err); ok {
			v.broken[broken.rule.Name] = broken.rule.Version
			v.engine.logger.Error("a rule cannot go on: replay or change it", slog.String("space", v.ref.Space),
				slog.String("stream", v.ref.Name), slog.String("rule", broken.rule.Name), slog.Any("error", broken.why))
			continue
		}
		old, ok := errors.AsType[*store.StaleError](err)
		if stale++; !ok || stale > maxStale {
			return err
		}
		if old.What == "rules" {
			if err := v.engine.reload(ctx, v.ref.Space); err != nil {
				return err
			}
		}
	}
}

// forget lets go of what is known of the stream.
func (v *evaluator) forget() {
	v.loaded, v.set, v.inStep, v.apart = false, nil, nil, nil
}

// step does some of what there is to do, if there is anything.
func (v *evaluator) step(ctx context.Context) (worked bool, err error) {
	if v.loaded && v.set != v.engine.rules(v.ref.Space) {
		v.forget()
	}
	if !v.loaded {
		if err := v.load(ctx); err != nil || !v.loaded {
			return false, err
		}
	}
	moved, err := v.forward(ctx)
	if err != nil {
		return false, err
	}
	caught, err := v.catchUp(ctx)
	return moved || caught, err
}

// forward evaluates the rules in step at what comes next.
func (v *evaluator) forward(ctx context.Context) (worked bool, err error) {
	if len(v.inStep.members) == 0 {
		return false, nil
	}
	upTo := uint64(never)
	for _, m := range v.apart {
		if m.progress.Cursor > v.cursor {
			upTo = min(upTo, m.progress.Cursor)
		}
	}
	b, err := v.evaluate(ctx, v.inStep, v.cursor, upTo)
	if b == nil || err != nil {
		return false, err
	}
	return true, v.land(ctx, b, len(b.group.members) == len(v.inStep.members))
}

// catchUp evaluates those that are the furthest behind, up to where others are.
func (v *evaluator) catchUp(ctx context.Context) (worked bool, err error) {
	from, upTo := v.cursor, v.cursor
	for _, m := range v.apart {
		from = min(from, m.progress.Cursor)
	}
	var last []*member
	for _, m := range v.apart {
		switch at := m.progress.Cursor; {
		case at > from:
			upTo = min(upTo, at)
		default:
			last = append(last, m)
		}
	}
	if from == v.cursor {
		return false, nil
	}
	b, err := v.evaluate(ctx, newGroup(last), from, upTo)
	if b == nil || err != nil {
		return false, err
	}
	return true, v.land(ctx, b, false)
}

// land writes what comes of a batch. If it is of all rules in step, these move on
// together.
func (v *evaluator) land(ctx context.Context, b *batch, together bool) error {
	at := v.cursor
	if together {
		at = b.last
	}
	r := store.Reaction{
		Ref: v.ref, Revision: v.set.revision, Stream: &store.StreamProgress{Was: v.cursor, Now: at},
		Facts: b.facts, NewRuns: b.runs, Letters: b.letters,
	}
	moved := make(map[*member]bool)
	for _, m := range b.group.members {
		states, err := m.memory.changes()
		if err != nil {
			return err
		}
		m.progress.Cursor = b.last
		if now := m.at(at); now.InStep != m.stored.InStep || !now.InStep || len(states) > 0 {
			r.Rules = append(r.Rules, store.RuleProgress{Rule: m.Name, Was: m.stored, Now: now, States: states})
		}
		moved[m] = true
	}
	for _, m := range v.apart {
		if !moved[m] && m.progress.Cursor == at {
			r.Rules = append(r.Rules, store.RuleProgress{Rule: m.Name, Was: m.stored, Now: m.at(at)})
		}
	}
	if _, err := v.engine.store.React(ctx, r); err != nil {
		return fmt.Errorf("writing what comes of rules: %w", err)
	}
	for _, m := range b.group.members {
		m.memory.written()
	}
	v.cursor = at
	v.arrange()
	return nil
}

// at returns the progress as it is stored when the rules in step are at a position.
func (m *member) at(inStep uint64) store.Progress {
	return store.Progress{
		InStep: m.progress.Cursor == inStep, Cursor: m.progress.Cursor, Generation: uint64(m.progress.Generation),
		Definition: m.progress.Definition, SilentThrough: m.progress.SilentThrough,
	}
}
