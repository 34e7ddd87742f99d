package streamhttp

import (
	"context"
	"net/http"
	"slices"
	"time"

	"hearth/relay/protocol"
	"hearth/relay/store"
)

// waiter is what a wait is for, and how far it has come. There may be ten thousand
// of them, so it holds no more than it needs. The names of the streams are pieces
// of the query.
type waiter struct {
	timeout time.Duration // 0 only looks
	watches []protocol.Watch
	refs    []store.Ref   // the streams, in the same order
	states  []store.State // where they stand
}

// wait answers as soon as a watched stream differs from what the client knows
// ("Waiting").
func (x *exchange) wait() error {
	w, err := parseWait(x.visitor.Space, x.r.URL.RawQuery)
	if err != nil {
		return err
	}
	if server, ok := x.mayPark(); ok {
		return x.park(w, server)
	}
	start := time.Now()
	heads, err := x.handler.hold(x.r.Context(), w)
	if err != nil {
		return err
	}
	x.tell(w, heads, start)
	return nil
}

// tell answers a wait that began at a time.
func (x *exchange) tell(w *waiter, heads []protocol.Head, start time.Time) {
	x.handler.options.Observer.Waited(x.r.Context(), x.visitor, len(w.watches), len(heads), time.Since(start))
	// A client that is gone asks again.
	_ = x.send(http.StatusOK, protocol.Encode(protocol.Heads{Heads: heads}))
}

func parseWait(space, rawQuery string) (*waiter, error) {
	q, err := parseQuery(rawQuery, "watch", "timeout")
	if err != nil {
		return nil, err
	}
	seconds, err := q.number("timeout", int(protocol.DefaultWait/time.Second), 0, int(protocol.MaxWait/time.Second))
	if err != nil {
		return nil, err
	}
	watches := q.values["watch"]
	if len(watches) == 0 || len(watches) > protocol.MaxWatches {
		return nil, errorf(protocol.BadRequest, "a wait watches 1 to %d streams, not %d", protocol.MaxWatches, len(watches))
	}
	w := &waiter{
		timeout: time.Duration(seconds) * time.Second,
		watches: make([]protocol.Watch, len(watches)),
		refs:    make([]store.Ref, len(watches)),
	}
	for i, text := range watches {
		watch, err := protocol.ParseWatch(text)
		if err != nil {
			return nil, errorf(protocol.BadRequest, "the watch %.80q: %v", text, err)
		}
		ref := store.Ref{Space: space, Name: string(watch.Stream)}
		if slices.Contains(w.refs[:i], ref) {
			return nil, errorf(protocol.BadRequest, "the stream %q is watched twice", watch.Stream)
		}
		w.watches[i], w.refs[i] = watch, ref
	}
	return w, nil
}

// hold waits, where a wait cannot be parked, until there is something to tell, the
// time is up or the relay is stopping. The error is the store's, or the context's
// if the client is gone.
func (h *Handler) hold(ctx context.Context, w *waiter) ([]protocol.Head, error) {
	h.options.Observer.Waiting(1)
	defer h.options.Observer.Waiting(-1)

	// To subscribe first and to look then misses nothing in between.
	news := h.options.Hub.Subscribe(w.refs...)
	defer news.Stop()
	if err := w.look(ctx, h.options.Store); err != nil {
		if _, closed := news.Take(); closed {
			return []protocol.Head{}, nil
		}
		return nil, err
	}
	heads := w.differing()
	if len(heads) > 0 || w.timeout == 0 {
		return heads, nil
	}
	timer := time.NewTimer(w.timeout)
	defer timer.Stop()
	for {
		select {
		case <-news.Woken():
			moved, closed := news.Take()
			w.merge(moved)
			if heads := w.differing(); len(heads) > 0 || closed {
				return heads, nil
			}
		case <-timer.C:
			return heads, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// look asks the store where the streams stand.
func (w *waiter) look(ctx context.Context, from Store) error {
	names := make([]string, len(w.refs))
	for i, ref := range w.refs {
		names[i] = ref.Name
	}
	var err error
	w.states, err = from.Heads(ctx, w.refs[0].Space, names)
	return err
}

// merge takes in where streams have moved to. The store may have told of a later
// move already than the one that is heard of now.
func (w *waiter) merge(moved map[store.Ref]store.State) {
	for i, ref := range w.refs {
		now, ok := moved[ref]
		if ok && (now.Stream != w.states[i].Stream || now.Head > w.states[i].Head) {
			w.states[i] = now
		}
	}
}

// differing lists the streams that differ from what the client knows, in the
// order in which it named them.
func (w *waiter) differing() []protocol.Head {
	heads := []protocol.Head{}
	for i, watch := range w.watches {
		state := w.states[i]
		if !state.Differs(watch.Cursor) {
			continue
		}
		head := protocol.Head{Stream: watch.Stream, Head: state.Head}
		if state.Exists() {
			head.ID = &state.Stream
		}
		heads = append(heads, head)
	}
	return heads
}
