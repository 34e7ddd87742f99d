package relay

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hearth/relay/reflex"
	"hearth/relay/store"
)

// begin is when time begins here.
var begin = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func move(name string, before, head uint64) store.Moved {
	return store.Moved{Ref: store.Ref{Space: "default", Name: name}, State: store.State{Head: head}, Before: before}
}

// What happens in a usual evening is told as soon as it may be, and nothing twice: a
// stream's making with what is written in the same moment, its moves each second, a
// device's refusals of one kind each minute.
func TestNews(t *testing.T) {
	t.Parallel()
	var n news
	expect := func(after time.Duration, more bool, want ...reflex.Happening) {
		t.Helper()
		told, later := n.take(begin.Add(after))
		if diff := cmp.Diff(want, told); diff != "" {
			t.Errorf("after %v (-want +got):\n%s", after, diff)
		}
		if later != more {
			t.Errorf("after %v: more is %v", after, later)
		}
	}
	wrong := refusalKind{code: "epoch_behind", key: "k1"}

	expect(0, false)
	n.moved(begin, move("notes", 0, 1), true, true)
	n.moved(begin, move("notes", 1, 3), true, true)
	n.refuse(begin, wrong, "write", "notes")
	n.add(reflex.DiskLow{Free: 7})
	expect(0, false,
		reflex.DiskLow{Free: 7},
		reflex.DeviceRefused{Code: "epoch_behind", Action: "write", Stream: "notes", Key: "k1", Count: 1},
		reflex.StreamCreated{Stream: "notes", Holds: "entries", Identity: "00000000000000000000000000000000", Head: 3},
	)

	n.moved(begin, move("notes", 3, 4), true, true)
	n.moved(begin, move("notes", 4, 9), true, true)
	n.refuse(begin, wrong, "write", "tasks")
	n.refuse(begin, wrong, "read", "notes")
	expect(movedEvery-1, true)
	expect(movedEvery, true, reflex.StreamMoved{Stream: "notes", Head: 9, Moves: 2})
	expect(refusedEvery-1, true)
	expect(refusedEvery, false, reflex.DeviceRefused{Code: "epoch_behind", Action: "read", Stream: "notes", Key: "k1", Count: 2})
	expect(time.Hour, false)

	// What is not asked for is not told.
	later := begin.Add(time.Hour)
	n.moved(later, move("notes", 9, 10), true, false)
	n.moved(later, move("tasks", 0, 1), false, false)
	expect(time.Hour, false)
	n.moved(later, move("lists", 0, 2), false, true)
	expect(time.Hour, false, reflex.StreamMoved{Stream: "lists", Head: 2, Moves: 1})
}

// Whatever comes, how much is told and remembered is bounded, nothing is told twice,
// and what is not told is counted.
func TestNewsBounded(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var n news
		now := begin
		heads := make(map[string]uint64)   // where streams are
		known := make(map[string]uint64)   // where they were told to be
		last := make(map[string]time.Time) // when something was last told of each thing
		var moves, refusals, others uint64
		var toldMoves, toldRefusals, toldOthers, leftOut uint64
		total := 0

		once := func(what string, every time.Duration) {
			if before, ok := last[what]; ok && now.Sub(before) < every {
				t.Fatalf("%s told after %v", what, now.Sub(before))
			}
			last[what] = now
		}
		take := func() bool {
			told, more := n.take(now)
			total += len(told)
			if most := newsBurst + int(now.Sub(begin)/newsEvery); total > most {
				t.Fatalf("%d events in %v", total, now.Sub(begin))
			}
			for _, h := range told {
				switch h := h.(type) {
				case reflex.StreamCreated:
					once(h.Stream, movedEvery)
					toldMoves += h.Head - known[h.Stream]
					known[h.Stream] = h.Head
				case reflex.StreamMoved:
					once(h.Stream, movedEvery)
					toldMoves += h.Moves
					known[h.Stream] = h.Head
				case reflex.DeviceRefused:
					once("refusal "+h.Code, refusedEvery)
					toldRefusals += h.Count
				case reflex.LeftOut:
					leftOut += h.Count
				default:
					toldOthers++
				}
			}
			return more
		}
		t.Repeat(map[string]func(*rapid.T){
			"move": func(t *rapid.T) {
				first := rapid.IntRange(0, 2*maxNews).Draw(t, "first")
				for i := range rapid.SampledFrom([]int{1, 10, 3 * maxNews}).Draw(t, "times") {
					name := fmt.Sprint((first + i) % (2 * maxNews))
					n.moved(now, move(name, heads[name], heads[name]+1), true, true)
					heads[name]++
					moves++
				}
			},
			"refuse": func(t *rapid.T) {
				first := rapid.IntRange(0, 2*maxNews).Draw(t, "first")
				for i := range rapid.SampledFrom([]int{1, 10, 3 * maxNews}).Draw(t, "times") {
					code := fmt.Sprint((first + i) % (2 * maxNews))
					n.refuse(now, refusalKind{code: code}, "write", "notes")
					refusals++
				}
			},
			"other": func(t *rapid.T) {
				for range rapid.IntRange(1, 3*maxNews).Draw(t, "times") {
					n.add(reflex.DiskLow{})
					others++
				}
			},
			"wait": func(t *rapid.T) {
				now = now.Add(time.Duration(rapid.Int64Range(0, int64(2*refusedEvery)).Draw(t, "time")))
			},
			"take": func(*rapid.T) { take() },
			"": func(t *rapid.T) {
				if len(n.streams.things) > maxNews || len(n.refused.things) > maxNews || len(n.others) > maxNews {
					t.Fatal("too much is remembered")
				}
			},
		})
		for take() {
			now = now.Add(newsBurst * newsEvery)
		}
		if told := toldMoves + toldRefusals + toldOthers + leftOut; told != moves+refusals+others {
			t.Fatalf("of %d, %d and %d were told %d, %d and %d, and %d left out",
				moves, refusals, others, toldMoves, toldRefusals, toldOthers, leftOut)
		}
		if leftOut == 0 {
			if diff := cmp.Diff(heads, known); diff != "" {
				t.Fatalf("streams are not where they were told to be:\n%s", diff)
			}
		}
		if now = now.Add(time.Hour); !n.idle(now) {
			t.Fatal("something is remembered for ever")
		}
	})
}
