package sqlite_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"hearth/relay/protocol"
	"hearth/relay/store"
	"hearth/relay/store/sqlite"

	"github.com/google/go-cmp/cmp"
)

// original is a database as it was before something happened to it.
type original struct {
	path    string
	streams map[string]kept
}

// kept is a stream of an original.
type kept struct {
	store.Stream
	entries []protocol.Entry
}

// variety makes a database that has pages of every kind: inner ones, leaves and
// overflows, free ones, and what only SQLite needs.
func variety(t *testing.T) original {
	t.Helper()
	path := place(t)
	s := open(t, path, sqlite.Options{})
	var writing sync.WaitGroup
	add := func(name string, batches int, entry func(i int) string) {
		writing.Go(func() {
			for i := range batches {
				if _, err := try(t, s, name, entry(i), "S\x01"+fmt.Sprint(i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	for i := range 20 { // more than are looked at when the store is opened
		add(fmt.Sprint("stream-", i), 1, func(int) string { return strings.Repeat("s", 50*i) })
	}
	for i := range 16 { // together, lest each commit holds but one batch, which goes into the index at once
		add(fmt.Sprint("sealed-", i), 20, func(i int) string { return fmt.Sprint("S\x01 sealed ", i) })
	}
	add("large", 4, func(i int) string { return strings.Repeat("l", 9_000*i) })
	writing.Wait()
	for i := range 400 {
		write(t, s, "alone", fmt.Sprint("S\x01 alone ", i))
	}
	shut(t, s)
	raw(t, path, "CREATE TABLE gone (x)", "INSERT INTO gone VALUES (zeroblob(100000))", "DROP TABLE gone")
	return originalOf(t, path)
}

// originalOf takes in what a database holds.
func originalOf(t *testing.T, path string) original {
	t.Helper()
	s := open(t, copyOf(t, path), sqlite.Options{})
	list, err := s.Streams(t.Context(), store.Ref{}, 1000)
	if err != nil {
		t.Fatal(err)
	}
	o := original{path, make(map[string]kept)}
	for _, stream := range list {
		p, err := s.Page(t.Context(), store.Read{Ref: stream.Ref, Entries: 1 << 30, Bytes: 1 << 30})
		if err != nil {
			t.Fatal(err)
		}
		entries, sound := follow(p, protocol.NewChain(0, protocol.Genesis(stream.Identity)))
		if !sound {
			t.Fatalf("%s is not in its chain", stream.Name)
		}
		o.streams[stream.Name] = kept{stream, entries}
	}
	return o
}

// follow checks a page like a client that stands where the chain does, and says
// whether it would take the entries for good.
func follow(p store.Page, chain *protocol.Chain) (entries []protocol.Entry, sound bool) {
	for e, err := range p.All() {
		if err != nil || e.Link != chain.Next(e.Epoch, e.Data) || e.Seq != chain.Seq() {
			return entries, false
		}
		entries = append(entries, e)
	}
	return entries, len(entries) == p.Count
}

// fate is what became of a hurt database.
type fate string

const (
	refused  fate = "not opened"   // and left as it was to the last byte
	noticed  fate = "told"         // by the store as it was opened or read
	found    fate = "found"        // by the check, or by a client that follows the chain
	harmless fate = "of no moment" // all is there as it was
)

// judge opens what has been made of the original, and says what came of it. Nobody
// may be served anything for good that is not what it was; and after the check what
// is not told to be damaged has to be all there. With a log that was hurt, the
// database may be as it was once: earlier allows that.
func (o original) judge(t *testing.T, path string, earlier bool) fate {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	before := hashes(t, path)
	s, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		o.refused(t, path, before, err)
		return refused
	}
	defer func() {
		if err := s.Close(); err != nil {
			t.Logf("closing: %v", err)
		}
	}()
	late := o.serve(ctx, t, s)
	early := len(s.Damaged()) > 0
	v, err := s.Verify(ctx, store.Verify{})
	if err != nil {
		t.Errorf("it cannot be checked: %v", err)
	}
	told := make(map[string]bool)
	for _, d := range v.Damaged {
		told[d.Name] = true
		if d.Seq == 0 || d.Reason == "" {
			t.Errorf("the damage is told as %+v", d)
		}
	}
	for name, k := range o.streams {
		if told[name] {
			if _, err := s.Page(ctx, store.Read{Ref: k.Ref, Entries: 1, Bytes: 1}); err == nil {
				t.Errorf("%s is damaged, and answers", name)
			}
			continue
		}
		if len(v.Faults) > 0 {
			continue // what is wrong is told, if not of which stream
		}
		if diff := o.compare(ctx, s, k, earlier); diff != "" {
			t.Errorf("%s is not as it was, which is told nowhere:\n%s", name, diff)
		}
	}
	o.write(ctx, t, s, len(v.Faults) > 0)
	switch {
	case early:
		return noticed
	case !v.Sound():
		return found
	case late:
		t.Error("a client saw damage, and the check did not")
	}
	return harmless
}

// refused checks how an open was refused.
func (o original) refused(t *testing.T, path string, before map[string]string, err error) {
	t.Helper()
	var (
		notOurs *sqlite.NotOursError
		newer   *sqlite.NewerError
		schema  *sqlite.SchemaError
		damaged *sqlite.DamagedFileError
	)
	if !errors.As(err, &notOurs) && !errors.As(err, &newer) && !errors.As(err, &schema) && !errors.As(err, &damaged) {
		t.Errorf("it is refused with %T: %v", err, err)
	}
	if diff := cmp.Diff(before, hashes(t, path)); diff != "" {
		t.Errorf("it was changed although it was refused (%v):\n%s", err, diff)
	}
}

// serve reads every stream page by page, as clients do: what they would take for
// good has to be what it was. It says whether they would have seen damage.
func (o original) serve(ctx context.Context, t *testing.T, s *sqlite.Store) (damage bool) {
	t.Helper()
	for name, k := range o.streams {
		chain := protocol.NewChain(0, protocol.Genesis(k.Identity))
		var after *protocol.Cursor
		for {
			p, err := s.Page(ctx, store.Read{Ref: k.Ref, After: after, Entries: 11, Bytes: protocol.MaxPageData})
			if err != nil {
				damage = damage || isDamage(err)
				break
			}
			entries, sound := follow(p, chain)
			if !sound {
				damage = true
				break
			}
			if len(entries) == 0 {
				break
			}
			at := int(entries[0].Seq) - 1
			if at+len(entries) > len(k.entries) || !slices.EqualFunc(entries, k.entries[at:at+len(entries)], sameEntry) {
				t.Errorf("%s is served with other entries from %d on, in a chain that is sound", name, at+1)
			}
			after = &protocol.Cursor{Stream: k.Identity, Seq: chain.Seq(), Link: chain.Link()}
		}
		if _, err := s.Back(ctx, k.Ref, 0, 5); err != nil {
			damage = damage || isDamage(err)
		}
	}
	return damage
}

// compare says how a stream differs from what it was.
func (o original) compare(ctx context.Context, s *sqlite.Store, k kept, earlier bool) string {
	got, err := s.Stream(ctx, k.Ref)
	if earlier && (err != nil || got.Head < k.Head) {
		if err == nil {
			k.entries = k.entries[:got.Head]
			k.Head, k.Link, k.Bytes = got.Head, k.entries[got.Head-1].Link, got.Bytes
		} else if _, none := errors.AsType[*store.NotFoundError](err); none {
			return ""
		}
	}
	if err != nil {
		return err.Error()
	}
	got.CreatedAt, got.WrittenAt = k.CreatedAt, k.WrittenAt
	if diff := cmp.Diff(k.Stream, got); diff != "" {
		return diff
	}
	p, err := s.Page(ctx, store.Read{Ref: k.Ref, Entries: 1 << 30, Bytes: 1 << 30})
	if err != nil {
		return err.Error()
	}
	entries, sound := follow(p, protocol.NewChain(0, protocol.Genesis(p.Stream)))
	if !sound || p.Stream != k.Identity || !slices.EqualFunc(entries, k.entries, sameEntry) {
		return fmt.Sprintf("%d of %d entries are good", len(entries), len(k.entries))
	}
	return ""
}

// write writes to each stream. That may be refused, and so may be reading it where
// the database is damaged; but nothing else is read than what was written, unless
// more is known to be damaged than streams.
func (o original) write(ctx context.Context, t *testing.T, s *sqlite.Store, faults bool) {
	t.Helper()
	var writing sync.WaitGroup
	for name := range o.streams {
		writing.Go(func() {
			w, err := s.Append(ctx, store.Append{Ref: named(name), Batch: one("more")})
			if err != nil {
				return
			}
			r, err := s.Record(ctx, named(name), w.Last)
			if err == nil && string(r.Data) != "more" && !faults {
				t.Errorf("what was written to %s at %d is %.20q", name, w.Last, r.Data)
			}
		})
	}
	writing.Wait()
}

func isDamage(err error) bool {
	_, ok := errors.AsType[*store.DamagedError](err)
	return ok
}

func sameEntry(a, b protocol.Entry) bool {
	return a.Seq == b.Seq && a.Epoch == b.Epoch && a.Link == b.Link && a.EndsBatch == b.EndsBatch && bytes.Equal(a.Data, b.Data)
}
