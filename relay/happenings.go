package relay

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"hearth/relay/access"
	"hearth/relay/reflex"
	"hearth/relay/store"
)

const (
	// roundEvery is how often something is told at the most: a round costs the
	// writers a place in a commit, and a person does not notice a second.
	roundEvery = time.Second

	// maxSpaces is of how many spaces happenings are told at once. A home has a few;
	// whoever is on this machine can name as many as he likes.
	maxSpaces = 64

	// quietTime is how long nothing is told after the store could not take it: then
	// the disk is full, or worse, and what room there is belongs to others.
	quietTime = time.Minute

	// diskEvery is how often the room on the disk is looked at. Who fills 256 MiB in
	// less time notices by himself.
	diskEvery = 30 * time.Second
)

// happenings tells what happens on the relay, as events on the stream _relay of each
// space that is used. Who reports to it is never held up: it remembers a bounded
// amount, and a goroutine of its own writes.
type happenings struct {
	store interface {
		Publish(ctx context.Context, p store.Publish) (store.Publication, error)
		Streams(ctx context.Context, after store.Ref, limit int) ([]store.Stream, error)
	}
	free func() uint64 // the room on the disk; 0 if that is not known
	log  *slog.Logger

	woken    chan struct{}
	stopping chan struct{}

	low   bool      // whether the disk was low when it was last looked at
	quiet time.Time // nothing is told before then

	mu         sync.Mutex
	told       map[reflex.HappeningKind]bool
	spaces     map[string]*spaceNews
	swept      time.Time
	everywhere []reflex.Happening // for every space that is used
}

// spaceNews is what is to be told in one space.
type spaceNews struct {
	news
	used bool // whether there is a stream in it, as far as is known
}

func newHappenings(kinds []reflex.HappeningKind, free func() uint64, log *slog.Logger) *happenings {
	h := &happenings{
		free: free, log: log, woken: make(chan struct{}, 1), stopping: make(chan struct{}), spaces: make(map[string]*spaceNews),
	}
	h.tell(kinds)
	return h
}

// tell has just these kinds told from now on.
func (h *happenings) tell(kinds []reflex.HappeningKind) {
	told := make(map[reflex.HappeningKind]bool, len(kinds))
	for _, k := range kinds {
		told[k] = true
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.told = told
}

// moved hears of streams that moved, on the way of every write.
func (h *happenings) moved(moves []store.Moved) {
	h.mu.Lock()
	defer h.mu.Unlock()
	created, moved := h.told[reflex.StreamsCreated], h.told[reflex.StreamsMoved]
	if !created && !moved {
		return
	}
	now := time.Now()
	for _, m := range moves {
		if m.Name == reflex.RelayStream {
			continue
		}
		if n := h.space(now, m.Space); n != nil {
			n.used = true
			n.moved(now, m, created, moved)
		}
	}
	h.wake()
}

// refused hears of a refusal. Those of strangers are not told, since they cost
// nothing, and neither are those on the stream of happenings itself.
func (h *happenings) refused(v access.Visitor, code, action, stream string) {
	known := v.Space != "" && (v.Key != "" || v.Loopback)
	if !known || stream == reflex.RelayStream {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.told[reflex.Refusals] {
		return
	}
	now := time.Now()
	if n := h.space(now, v.Space); n != nil {
		n.refuse(now, refusalKind{code, v.Key}, action, stream)
		h.wake()
	}
}

// add tells something in one space.
func (h *happenings) add(space string, happening reflex.Happening) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.told[reflex.KindOf(happening)] {
		return
	}
	if n := h.space(time.Now(), space); n != nil {
		n.add(happening)
		h.wake()
	}
}

// addEverywhere tells something in every space that is used.
func (h *happenings) addEverywhere(happening reflex.Happening) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.told[reflex.KindOf(happening)] && len(h.everywhere) < maxNews {
		h.everywhere = append(h.everywhere, happening)
		h.wake()
	}
}

// space returns what is to be told in a space; nil if there are too many. h.mu is
// held.
func (h *happenings) space(now time.Time, name string) *spaceNews {
	n := h.spaces[name]
	if n == nil {
		if len(h.spaces) >= maxSpaces && now.Sub(h.swept) >= sweepEvery {
			h.swept = now
			maps.DeleteFunc(h.spaces, func(_ string, n *spaceNews) bool { return n.idle(now) })
		}
		if len(h.spaces) >= maxSpaces {
			return nil
		}
		n = new(spaceNews)
		h.spaces[name] = n
	}
	return n
}

// wake never blocks: a value that is there already says the same.
func (h *happenings) wake() {
	select {
	case h.woken <- struct{}{}:
	default:
	}
}

// run tells what happens, until stop.
func (h *happenings) run() {
	disk := time.NewTicker(diskEvery)
	defer disk.Stop()
	h.lookAtDisk()
	for {
		select {
		case <-h.woken:
		case <-disk.C:
			h.lookAtDisk()
			continue
		case <-h.stopping:
			h.round()
			return
		}
		if h.round() {
			h.wake()
		}
		select {
		case <-time.After(roundEvery):
		case <-h.stopping:
		}
	}
}

// stop has what is still to be told told, and ends it.
func (h *happenings) stop() { close(h.stopping) }

// round tells what is to be told now, and says whether there is more.
func (h *happenings) round() (more bool) {
	if time.Now().Before(h.quiet) {
		return true
	}
	if err := h.spread(); err != nil {
		h.hush(err)
		return true
	}
	h.mu.Lock()
	names := slices.Sorted(maps.Keys(h.spaces))
	h.mu.Unlock()
	for _, name := range names {
		later, err := h.tellIn(name)
		if err != nil {
			h.hush(err)
			return true
		}
		more = more || later
	}
	return more
}

// hush has nothing told for a while.
func (h *happenings) hush(err error) {
	if errors.Is(err, store.ErrClosed) {
		return
	}
	h.quiet = time.Now().Add(quietTime)
	h.log.Debug("what happens on the relay could not be told", "error", err)
}

// spread puts what concerns everyone into each space that is used.
func (h *happenings) spread() error {
	h.mu.Lock()
	everywhere := h.everywhere
	h.everywhere = nil
	h.mu.Unlock()
	if len(everywhere) == 0 {
		return nil
	}
	names, err := h.usedSpaces()
	if err != nil {
		return err
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	now := time.Now()
	for _, name := range names {
		if n := h.space(now, name); n != nil {
			n.used = true
			for _, happening := range everywhere {
				n.add(happening)
			}
		}
	}
	return nil
}

// anyUsed says whether any space is used, so that there is somebody to tell.
func (h *happenings) anyUsed() bool {
	first, err := h.store.Streams(context.Background(), store.Ref{}, 1)
	return err == nil && len(first) > 0
}

// afterNames comes behind every name of a stream, as names are ordered.
const afterNames = "\U0010FFFF"

// usedSpaces lists the spaces that have a stream, at most maxSpaces.
func (h *happenings) usedSpaces() (names []string, err error) {
	var after store.Ref
	for len(names) < maxSpaces {
		first, err := h.store.Streams(context.Background(), after, 1)
		if err != nil || len(first) == 0 {
			return names, err
		}
		names = append(names, first[0].Space)
		after = store.Ref{Space: first[0].Space, Name: afterNames}
	}
	return names, nil
}

// tellIn tells what is to be told in a space, unless nobody uses it, and says whether
// there is more. Of a stream that is damaged nothing is made up for.
func (h *happenings) tellIn(space string) (more bool, err error) {
	h.mu.Lock()
	n := h.spaces[space]
	if n == nil || !n.pending() {
		h.mu.Unlock()
		return false, nil
	}
	used := n.used
	h.mu.Unlock()
	if !used {
		first, err := h.store.Streams(context.Background(), store.Ref{Space: space}, 1)
		if err != nil {
			return true, err
		}
		used = len(first) > 0 && first[0].Space == space
	}
	told, more := h.take(space, n, used)
	if len(told) == 0 {
		return more, nil
	}
	err = h.publish(space, told)
	if _, damaged := errors.AsType[*store.DamagedError](err); damaged {
		return more, nil
	}
	if err != nil {
		h.mu.Lock()
		n.leftOut += leftOut(told)
		h.mu.Unlock()
	}
	return more || err != nil, err
}

// take takes out what is to be told in a space now.
func (h *happenings) take(space string, n *spaceNews, used bool) (told []reflex.Happening, more bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	n.used = n.used || used
	if !n.used {
		delete(h.spaces, space)
		return nil, false
	}
	return n.take(time.Now())
}

// leftOut counts what was not told after all.
func leftOut(list []reflex.Happening) (count uint64) {
	for _, happening := range list {
		if before, ok := happening.(reflex.LeftOut); ok {
			count += before.Count
		} else {
			count++
		}
	}
	return count
}

// happeningsOrigin is whose the events are, and where they come from.
const happeningsOrigin = `"stream_id":"` + reflex.RelayStream + `","actor":{"kind":"system","name":"relay"},"causation":null`

// publish appends events to the stream of happenings in a space.
func (h *happenings) publish(space string, list []reflex.Happening) error {
	p := store.Publish{Ref: store.Ref{Space: space, Name: reflex.RelayStream}, Origin: []byte(happeningsOrigin)}
	for _, happening := range list {
		event, err := reflex.HappeningJSON(happening)
		if err != nil {
			return err
		}
		p.Events = append(p.Events, store.Event{JSON: event})
	}
	_, err := h.store.Publish(context.Background(), p)
	return err
}

// lookAtDisk tells that the room on the disk is scarce, and that it is not any more
// once it is so by a margin: what goes up and down around a bound is told once.
func (h *happenings) lookAtDisk() {
	free := h.free()
	switch {
	case free == 0:
	case !h.low && free < scarce && h.anyUsed():
		h.low = true
		h.addEverywhere(reflex.DiskLow{Free: free})
	case h.low && free >= scarce+scarce/4:
		h.low = false
		h.addEverywhere(reflex.DiskOK{Free: free})
	}
}
