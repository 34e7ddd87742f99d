package sqlite_test

import (
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

// publication is events with ids, or without if they are empty, on their way into a
// stream.
func publication(name string, ids ...string) store.Publish {
	p := store.Publish{
		Ref: named(name), Origin: fmt.Appendf(nil, `"stream_id":%q,"actor":{"kind":"user","id":"local"},"causation":null`, name),
	}
	for _, id := range ids {
		p.Events = append(p.Events, store.Event{ID: id, JSON: []byte(`{"type":"said"}`)})
	}
	return p
}

// publish publishes what must be taken.
func publish(t testing.TB, s store.Store, p store.Publish) store.Publication {
	t.Helper()
	done, err := s.Publish(t.Context(), p)
	if err != nil {
		t.Fatalf("publishing to %s: %v", p.Name, err)
	}
	return done
}

// numbered returns ids.
func numbered(prefix string, count int) []string {
	ids := make([]string, count)
	for i := range ids {
		ids[i] = fmt.Sprint(prefix, i)
	}
	return ids
}

// A large publication that was being written when the process was killed is gone:
// its ids and its command are free, and it can be published once more.
func TestKilledInLargePublication(t *testing.T) {
	t.Parallel()
	path := place(t)
	var killed string // the files, copied while the large publication was half there
	half := make(chan struct{})
	s := open(t, path, sqlite.Options{Publish: func([]store.Moved) {
		if killed == "" && number(t, path, "SELECT count(*) FROM stream WHERE tail > head") > 0 {
			killed = copyOf(t, path)
			close(half)
		}
	}})
	publish(t, s, publication("old", "a"))
	for attempt := 0; ; attempt++ {
		large := publication("old", numbered(fmt.Sprint(attempt, "-"), 20_000)...)
		done := make(chan struct{})
		go func() {
			defer close(done)
			if _, err := s.Publish(t.Context(), large); err != nil {
				t.Error(err)
			}
		}()
		for running := true; running; {
			publish(t, s, publication("small", ""))
			select {
			case <-done:
				running = false
			default:
			}
		}
		select {
		case <-half:
		default:
			if attempt < 10 {
				continue // no small one came in between, which can happen once
			}
			t.Fatal("small publications stand behind large ones of other streams")
		}
		break
	}
	again := open(t, killed, sqlite.Options{})
	if stream, err := again.Stream(t.Context(), named("old")); err != nil {
		t.Fatal(err)
	} else if v := verified(t, again, store.Verify{}); !v.Sound() {
		t.Errorf("after the kill at %d: %+v", stream.Head, v)
	}
	before := publish(t, again, publication("old", "b")).Last
	done := publish(t, again, publication("old", append(numbered("again-", 20_000), "a", "b")...))
	if done.First != before+1 || done.Last != before+20_000 {
		t.Errorf("the second time it is at %d to %d behind %d", done.First, done.Last, before)
	}
	if v := verified(t, again, store.Verify{}); !v.Sound() {
		t.Errorf("after the second time: %+v", v)
	}
}

// A command with one large event takes several transactions, and is remembered with
// the last of them or not at all.
func TestLargeCommand(t *testing.T) {
	t.Parallel()
	s := open(t, place(t), sqlite.Options{})
	p := publication("orders", "")
	p.Events[0].JSON = []byte(`{"type":"said","text":"` + strings.Repeat("x", 3<<20) + `"}`)
	p.Command = &store.Command{Space: "default", Actor: "user:local", Stream: "orders", ID: "1"}
	var running sync.WaitGroup
	results := make([]string, 8)
	for i := range results {
		running.Go(func() {
			done, err := s.Publish(t.Context(), p)
			if err != nil {
				t.Error(err)
				return
			}
			if results[i] = string(done.Earlier); done.Earlier == nil {
				results[i] = string(done.Events[0].Result())
			}
		})
	}
	running.Wait()
	if all := slices.Compact(results); len(all) != 1 {
		t.Errorf("the copies were told %q", all)
	}
	if stream, err := s.Stream(t.Context(), named("orders")); err != nil || stream.Head != 1 {
		t.Errorf("the stream is %+v, %v", stream, err)
	}
}

// The index has just the events whose ids do not tell where they are; what is
// missing there or is there beside them is told.
func TestVerifyEvents(t *testing.T) {
	t.Parallel()
	path := place(t)
	s := open(t, path, sqlite.Options{})
	publish(t, s, publication("orders", "a", "")) // one id a transaction, which goes into the index at once
	publish(t, s, publication("orders", "b"))
	publish(t, s, publication("well", "", "a"))
	shut(t, s)
	if n := number(t, path, "SELECT count(*) FROM batch"); n != 3 {
		t.Errorf("the index has %d rows", n)
	}
	const key = "(SELECT key FROM stream WHERE name = 'orders')"
	const index = "its index of batches has other ones than there are from here to 3"
	for name, hurt := range map[string]func(path string){
		"missing": func(path string) {
			without(t, path, "batch_never_goes", "DELETE FROM batch WHERE first = 3")
		},
		"too many": func(path string) {
			raw(t, path, "INSERT INTO batch (stream, key, first) VALUES ("+key+", 7, 2)")
		},
		"elsewhere": func(path string) {
			without(t, path, "batch_never_changes", "UPDATE batch SET first = 2 WHERE first = 3")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := copyOf(t, path)
			hurt(path)
			wantTold(t, told{Damaged: []string{"orders 1: " + index}}, verified(t, open(t, path, sqlite.Options{}), store.Verify{}))
		})
	}
}

// An event that is none any more is damage to its stream, whoever comes upon it.
func TestDamagedEvent(t *testing.T) {
	t.Parallel()
	whole := place(t)
	s := open(t, whole, sqlite.Options{})
	publish(t, s, publication("hurt", "a"))
	publish(t, s, publication("hurt", "b"))
	publish(t, s, publication("well", "a"))
	shut(t, s)
	for name, meet := range map[string]func(ctx context.Context, s *sqlite.Store) error{
		"a copy": func(ctx context.Context, s *sqlite.Store) error {
			_, err := s.Publish(ctx, publication("hurt", "a"))
			return err
		},
		"a chain": func(ctx context.Context, s *sqlite.Store) error {
			p := publication("hurt", "c")
			p.Chain = "a"
			_, err := s.Publish(ctx, p)
			return err
		},
		"who looks for it": func(ctx context.Context, s *sqlite.Store) error {
			_, err := s.Find(ctx, named("hurt"), "a")
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := copyOf(t, whole)
			without(t, path, "run_never_changes", `UPDATE run SET body = CAST(replace(body, '"id":"a"', '"ID":"a"') AS BLOB) WHERE `+hurtRun+"1")
			s := open(t, path, sqlite.Options{})
			if damage := is[*store.DamagedError](t, meet(t.Context(), s)); damage.Seq != 1 {
				t.Errorf("the damage is %v", damage)
			}
			_, err := s.Publish(t.Context(), publication("hurt", "d"))
			is[*store.DamagedError](t, err)
			publish(t, s, publication("well", "b"))
		})
	}
}

// A clock that is behind does not take the time of events back, also not after a
// restart.
func TestEventTime(t *testing.T) {
	t.Parallel()
	late := time.Date(9999, 1, 2, 3, 4, 5, 6000, time.UTC)
	p := publication("orders", "a")
	id, ts := []byte(`"a"`), store.AppendTime(nil, late)
	data := store.AppendEnvelope(nil, 1, id, ts, p.Origin, id, p.Events[0].JSON)
	stream := store.Stream{
		Ref: p.Ref, Kind: store.Events, Identity: protocol.Identity{1}, Head: 1, Bytes: uint64(len(data)), CreatedAt: late, WrittenAt: late,
	}
	stream.Link = protocol.NewChain(0, protocol.Genesis(stream.Identity)).Next(0, data)
	e := protocol.Entry{Seq: 1, Link: stream.Link, Data: data, EndsBatch: true}
	run := store.Run{First: 1, Count: 1, Bytes: len(data), WrittenAt: late, Wire: e.Append(nil)}
	part, err := store.NewWalk(p.Ref, store.Events, stream.Identity).Take([]store.Run{run})
	if err != nil {
		t.Fatal(err)
	}
	path := place(t)
	l, err := sqlite.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(l.Stream(stream), l.Run(run, part.Keyed), l.End(stream), l.Close()); err != nil {
		t.Fatal(err)
	}
	s := open(t, path, sqlite.Options{})
	publish(t, s, publication("orders", "b"))
	shut(t, s)
	s = open(t, path, sqlite.Options{})
	if done := publish(t, s, publication("orders", "c", "a")); !done.Events[1].Duplicate {
		t.Errorf("an id that was loaded is not known: %+v", done)
	}
	for _, id := range []string{"b", "c"} {
		record, err := s.Find(t.Context(), named("orders"), id)
		if err != nil {
			t.Fatal(err)
		}
		if e, err := store.ReadEnvelope(record.Data); err != nil || !e.TS.Equal(late) {
			t.Errorf("%s is of %v, %v", id, e.TS, err)
		}
	}
	if v := verified(t, s, store.Verify{}); !v.Sound() {
		t.Errorf("%+v", v)
	}
}

// Results of commands go after thirty days, and when there are more than a million,
// a few for each that comes; the newest ones stay.
func TestCommandsPruned(t *testing.T) {
	t.Parallel()
	path := place(t)
	s := open(t, path, sqlite.Options{})
	command := func(n int) store.Command { return store.Command{ID: fmt.Sprint(n)} }
	settle := func(n int) {
		t.Helper()
		if _, err := s.Settle(t.Context(), command(n), []byte("{}")); err != nil {
			t.Fatal(err)
		}
	}
	left := func() (all []int) {
		t.Helper()
		for n := range 20 {
			_, found, err := s.Recall(t.Context(), command(n))
			if err != nil {
				t.Fatal(err)
			}
			if found {
				all = append(all, n)
			}
		}
		return all
	}
	want := func(numbers ...int) {
		t.Helper()
		if diff := cmp.Diff(numbers, left()); diff != "" {
			t.Errorf("what is remembered (-want +got):\n%s", diff)
		}
	}
	for n := range 6 {
		settle(n)
	}
	want(0, 1, 2, 3, 4, 5)
	shut(t, s)
	day := 24 * time.Hour.Milliseconds()
	without(t, path, "command_never_changes",
		fmt.Sprintf("UPDATE command SET at = at - %d WHERE seq <= 3", 31*day),
		fmt.Sprintf("UPDATE command SET at = at - %d WHERE seq > 3", 29*day))
	s = open(t, path, sqlite.Options{})
	settle(6)
	want(2, 3, 4, 5, 6)
	settle(7)
	want(3, 4, 5, 6, 7)
	settle(8)
	want(3, 4, 5, 6, 7, 8)
	shut(t, s)
	raw(t, path, "INSERT INTO command (seq, key, at, result) VALUES (1000004, zeroblob(16), 0, x'00')")
	s = open(t, path, sqlite.Options{})
	settle(9) // at 1000005, so that the first five have to go
	want(5, 6, 7, 8, 9)
	settle(10) // and the sixth
	want(6, 7, 8, 9, 10)

	// Many together take many away together, the oldest first.
	shut(t, s)
	without(t, path, "command_never_changes", "UPDATE command SET at = 0 WHERE seq < 1000004")
	s = open(t, path, sqlite.Options{})
	var settling sync.WaitGroup
	for n := range 4 {
		settling.Go(func() { settle(11 + n) })
	}
	settling.Wait()
	want(9, 10, 11, 12, 13, 14)
}
