package reflex_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"hearth/relay/protocol"
	"hearth/relay/reflex"
	"hearth/relay/store"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// An envelope holds who published what, where and when, with all that was said,
// byte for byte; its chain is its own if none is given.
func TestEnvelopes(t *testing.T) {
	p := found(t)
	done := p.publish(t, "notes", ` { "n" : 1e400 , "type" : "x.y" , "s" : "\u00e4\/" , "in" : [ 0.10 , -0 ] } `)
	p.publish(t, "notes", `{"events":[{"event":{"type":"z"},"id":"b"}],"correlation_id":"`+done[0].ID+`"}`)
	list, page := p.read(t, "notes", reflex.Query{})
	if want := []string{`{"type":"x.y","n":1e400,"s":"\u00e4\/","in":[0.10,-0]}`, `{"type":"z"}`}; string(list[0].Event.JSON) != want[0] || string(list[1].Event.JSON) != want[1] {
		t.Errorf("the events are %s and %s", list[0].Event.JSON, list[1].Event.JSON)
	}
	if list[0].TS.IsZero() || list[1].TS.Before(list[0].TS) {
		t.Errorf("they were published at %v and %v", list[0].TS, list[1].TS)
	}
	for i := range list {
		list[i].TS, list[i].Event = list[0].TS, reflex.Event{}
	}
	want := []reflex.Envelope{
		{Seq: 1, ID: done[0].ID, TS: list[0].TS, StreamID: "notes", Actor: anna.Actor, CorrelationID: done[0].ID},
		{Seq: 2, ID: "b", TS: list[0].TS, StreamID: "notes", Actor: anna.Actor, CorrelationID: done[0].ID},
	}
	if diff := cmp.Diff(want, list); diff != "" {
		t.Errorf("the envelopes (-want +got):\n%s", diff)
	}
	stream, err := p.store.Stream(t.Context(), store.Ref{Space: "default", Name: "notes"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(&protocol.Cursor{Stream: stream.Identity, Seq: 2, Link: stream.Link}, page.Cursor); diff != "" {
		t.Errorf("the cursor (-want +got):\n%s", diff)
	}
}

// A stream that nobody has written to is empty.
func TestUnknownStreamIsEmpty(t *testing.T) {
	p := found(t)
	for _, q := range []reflex.Query{{}, {After: 7}, {Last: new(10)}, {Types: []string{"x"}}} {
		list, page := p.read(t, "nothing", q)
		if len(list) > 0 || page.Cursor != nil || page.Next+page.Earlier > 0 || page.Reset != "" {
			t.Errorf("%+v has %d events: %+v", q, len(list), page)
		}
	}
}

// A page has the events between two positions that are wanted, the first ones or
// the last ones, and says where there are more: a model of it, on streams of events
// and of opaque entries.
func TestPagesAsTheModelHasThem(t *testing.T) {
	const head = 60
	p := found(t)
	kinds := []string{"a", "b", "c"}
	for i := range head {
		p.publish(t, "events", fmt.Sprintf(`{"type":%q,"n":%d}`, kinds[i*i%7%3], i))
		p.append(t, "opaque", fmt.Sprint(i))
	}
	typeAt := map[string]func(seq uint64) string{
		"events": func(seq uint64) string { i := int(seq) - 1; return kinds[i*i%7%3] },
		"opaque": func(uint64) string { return "entry" },
	}
	rapid.Check(t, func(t *rapid.T) {
		stream := rapid.SampledFrom([]string{"events", "opaque"}).Draw(t, "stream")
		q := reflex.Query{
			After:  rapid.Uint64Range(0, head).Draw(t, "after"),
			Before: rapid.Uint64Range(0, head+5).Draw(t, "before"),
			Types:  rapid.SampledFrom([][]string{nil, nil, {"a"}, {"b", "c"}, {"entry", "a"}, {}}).Draw(t, "types"),
		}
		n := rapid.IntRange(0, head+5).Draw(t, "n")
		last := rapid.Bool().Draw(t, "last")
		if last {
			q.Last = &n
		} else {
			q.Limit = &n
		}
		var wanted []uint64
		for seq := q.After + 1; seq <= head && (q.Before == 0 || seq < q.Before); seq++ {
			if q.Types == nil || slices.Contains(q.Types, typeAt[stream](seq)) {
				wanted = append(wanted, seq)
			}
		}
		want := wanted[:min(n, len(wanted))]
		if last {
			want = wanted[len(wanted)-min(n, len(wanted)):]
		}
		list, page := readIn(t, p, stream, q)
		if got := seqs(list); !slices.Equal(got, want) {
			t.Fatalf("the page has %v, want %v", got, want)
		}
		for _, e := range list {
			if e.Event.Type != typeAt[stream](e.Seq) {
				t.Errorf("the event %d is of the type %q", e.Seq, e.Event.Type)
			}
		}
		if last {
			if more := len(want) < len(wanted) && n > 0; more && page.Earlier == 0 || page.Earlier > 0 && len(want) > 0 && page.Earlier > want[0] {
				t.Errorf("there are more of %v before %d", wanted, page.Earlier)
			}
			return
		}
		if more := len(want) < len(wanted) && n > 0; more && page.Next == 0 || page.Next > 0 && page.Next != page.Cursor.Seq {
			t.Errorf("there are more of %v behind %d", wanted, page.Next)
		}
	})
}

// readIn is read for a property.
func readIn(t *rapid.T, p *place, stream string, q reflex.Query) ([]reflex.Envelope, reflex.Page) {
	page, err := p.Read(t.Context(), anna, stream, q)
	if err != nil {
		t.Fatal(err)
	}
	defer page.Release()
	var list []reflex.Envelope
	if err := json.Unmarshal(slices.Concat(page.Pieces...), &list); err != nil {
		t.Fatal(err)
	}
	return list, page
}

// Who follows Next from page to page gets each event once, however they are cut:
// by their number, their bytes, or what is looked at.
func TestPagesJoin(t *testing.T) {
	p := found(t)
	for range 3 {
		p.publish(t, "notes", many(4, `{"type":"large","data":"`+strings.Repeat("x", 1<<20)+`"}`))
		p.repeat(t, "notes", 2000, `{"type":"small"}`)
	}
	for _, c := range []struct {
		name  string
		q     reflex.Query
		count int
		pages int
	}{
		{"as it comes", reflex.Query{}, 3*4 + 3*2000, 7},
		{"many at once", reflex.Query{Limit: new(10_000)}, 3*4 + 3*2000, 2},
		{"the large ones", reflex.Query{Types: []string{"large"}}, 12, 2},
		{"the small ones", reflex.Query{Types: []string{"small"}, Limit: new(10_000)}, 6000, 1},
		{"the others", reflex.Query{Types: []string{"other"}}, 0, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			count, pages := 0, 0
			for {
				page := p.page(t, "notes", c.q)
				count += page.Count
				pages++
				if page.Next == 0 {
					break
				}
				if page.Next <= c.q.After {
					t.Fatalf("behind %d one goes on behind %d", c.q.After, page.Next)
				}
				c.q.After = page.Next
			}
			if count != c.count || pages != c.pages {
				t.Errorf("%d events in %d pages, want %d in %d", count, pages, c.count, c.pages)
			}
		})
	}
	t.Run("backwards", func(t *testing.T) {
		q := reflex.Query{Last: new(1000), Types: []string{"large"}}
		count, pages := 0, 0
		for {
			page := p.page(t, "notes", q)
			count += page.Count
			pages++
			if page.Earlier == 0 {
				break
			}
			q.Before = page.Earlier
		}
		if count != 12 || pages != 2 {
			t.Errorf("%d events in %d pages", count, pages)
		}
	})
}

// page reads a page and checks its bounds.
func (p *place) page(t *testing.T, stream string, q reflex.Query) reflex.Page {
	t.Helper()
	page, err := p.Read(t.Context(), anna, stream, q)
	if err != nil {
		t.Fatal(err)
	}
	size := 0
	for _, piece := range page.Pieces {
		size += len(piece)
	}
	if size > reflex.MaxPage {
		t.Errorf("a page of %d bytes", size)
	}
	page.Release()
	return page
}

// repeat publishes an event many times.
func (p *place) repeat(t *testing.T, stream string, n int, event string) {
	t.Helper()
	once := decoded(t, event)
	if _, err := p.Publish(t.Context(), anna, stream, reflex.Publication{Events: slices.Repeat(once.Events, n)}); err != nil {
		t.Fatal(err)
	}
}

// A page ends after so many entries at which it looked, and says where to go on,
// though nothing that is wanted was there.
func TestPagesLookAtSoMuch(t *testing.T) {
	p := found(t)
	for range 2 {
		p.repeat(t, "notes", 60_000, `{"type":"x"}`)
	}
	p.publish(t, "notes", `{"type":"y"}`)
	list, page := p.read(t, "notes", reflex.Query{Types: []string{"y"}})
	if len(list) > 0 || page.Next != 100_000 || page.Cursor.Seq != 100_000 {
		t.Errorf("the first page has %d events, and goes on behind %d", len(list), page.Next)
	}
	if list, page = p.read(t, "notes", reflex.Query{Types: []string{"y"}, After: page.Next}); len(list) != 1 || page.Next != 0 {
		t.Errorf("the second page has %d events, and goes on behind %d", len(list), page.Next)
	}
	if list, page = p.read(t, "notes", reflex.Query{Types: []string{"z"}, Last: new(1)}); len(list) > 0 || page.Earlier != 20_002 {
		t.Errorf("the last page has %d events, and goes on before %d", len(list), page.Earlier)
	}
}

// A page ends after so many bytes at which it looked, too.
func TestPagesLookAtSoManyBytes(t *testing.T) {
	p := found(t)
	for range 6 {
		p.repeat(t, "notes", 12, `{"type":"x","s":"`+strings.Repeat("s", 1<<20)+`"}`)
	}
	p.publish(t, "notes", `{"type":"y"}`)
	list, page := p.read(t, "notes", reflex.Query{Types: []string{"y"}})
	if len(list) > 0 || page.Next != 64 {
		t.Errorf("the first page has %d events, and goes on behind %d", len(list), page.Next)
	}
	if list, page = p.read(t, "notes", reflex.Query{Types: []string{"z"}, Last: new(1)}); len(list) > 0 || page.Earlier < 2 || page.Earlier > 10 {
		t.Errorf("the last page has %d events, and goes on before %d", len(list), page.Earlier)
	}
}

// A reader with a cursor goes on behind it; one whose cursor is of another history
// begins anew and learns why.
func TestResumeCursor(t *testing.T) {
	p := found(t)
	for range 3 {
		p.publish(t, "notes", `{"type":"x"}`)
	}
	p.append(t, "opaque", "a", "b", "c")
	for _, stream := range []string{"notes", "opaque"} {
		_, page := p.read(t, stream, reflex.Query{Limit: new(2)})
		at := *page.Cursor
		other, ahead, start := at, at, at
		other.Link[0]++
		ahead.Seq = 9
		start.Seq, start.Link = 0, protocol.Genesis(at.Stream)
		replaced := at
		replaced.Stream[0]++
		for _, c := range []struct {
			name  string
			q     reflex.Query
			want  []uint64
			reset string
		}{
			{"its own", reflex.Query{Cursor: &at}, []uint64{3}, ""},
			{"its own, from farther back", reflex.Query{Cursor: &at, After: 1}, []uint64{2, 3}, ""},
			{"from the start", reflex.Query{Cursor: &start}, []uint64{1, 2, 3}, ""},
			{"another link", reflex.Query{Cursor: &other, After: 2}, []uint64{1, 2, 3}, reflex.CursorDiverged},
			{"past the head", reflex.Query{Cursor: &ahead, After: 9}, []uint64{1, 2, 3}, reflex.CursorAhead},
			{"another stream", reflex.Query{Cursor: &replaced}, []uint64{1, 2, 3}, reflex.StreamReplaced},
			{"the last ones", reflex.Query{Cursor: &other, After: 2, Last: new(2)}, []uint64{2, 3}, reflex.CursorDiverged},
		} {
			t.Run(stream+"/"+c.name, func(t *testing.T) {
				list, page := p.read(t, stream, c.q)
				if got := seqs(list); !slices.Equal(got, c.want) || page.Reset != c.reset {
					t.Errorf("the page has %v with the reset %q, want %v with %q", got, page.Reset, c.want, c.reset)
				}
			})
		}
	}
	gone := protocol.Cursor{Seq: 1}
	if list, page := p.read(t, "gone", reflex.Query{Cursor: &gone}); len(list) > 0 || page.Reset != reflex.CursorAhead {
		t.Errorf("a stream that is gone has %d events, and the reset %q", len(list), page.Reset)
	}
}

// Behind the head there is nothing, and the cursor says where the head is.
func TestBehindTheHead(t *testing.T) {
	p := found(t)
	p.publish(t, "notes", `{"type":"x"}`)
	p.append(t, "opaque", "a")
	for _, stream := range []string{"notes", "opaque"} {
		for _, after := range []uint64{1, 2, 1 << 63} {
			list, page := p.read(t, stream, reflex.Query{After: after})
			if len(list) > 0 || page.Next > 0 || page.Cursor == nil || page.Cursor.Seq != 1 {
				t.Errorf("%s behind %d: %d events, %+v", stream, after, len(list), page)
			}
		}
	}
}

// A query that makes no sense is refused, parameter by parameter.
func TestBadQueries(t *testing.T) {
	p := found(t)
	for _, c := range []struct {
		q    reflex.Query
		want []string
	}{
		{reflex.Query{Limit: new(1), Last: new(1)}, []string{"value_error query/last"}},
		{reflex.Query{Limit: new(-1)}, []string{"out_of_range query/limit"}},
		{reflex.Query{Limit: new(10_001)}, []string{"out_of_range query/limit"}},
		{reflex.Query{Last: new(10_001)}, []string{"out_of_range query/last"}},
		{reflex.Query{Types: []string{"x", ""}}, []string{"value_error query/type"}},
		{reflex.Query{Types: []string{"\xff"}}, []string{"value_error query/type"}},
		{reflex.Query{Types: make([]string, 1001)}, []string{"too_long query/type", "value_error query/type"}},
	} {
		_, err := p.Read(t.Context(), anna, "notes", c.q)
		if diff := cmp.Diff(c.want, mistakes(t, err)); diff != "" {
			t.Errorf("%+v (-want +got):\n%s", c.q, diff)
		}
	}
	_, err := p.Read(t.Context(), anna, "No", reflex.Query{})
	if diff := cmp.Diff([]string{"value_error stream_id"}, mistakes(t, err)); diff != "" {
		t.Errorf("a bad name (-want +got):\n%s", diff)
	}
}

// An event's type is found by its filter however it was spelled, and text that
// looks like an envelope's fields is no type.
func TestFiltersLookAtTheTypeAlone(t *testing.T) {
	p := found(t)
	p.publish(t, "notes", `{"events":[
		{"event":{"a":1,"type":"sp\u00e4t\"\/"}},
		{"event":{"\u0074ype":"plain"},"id":",\"event\":{\"type\":\"late\""},
		{"event":{"type":"x","event":{"type":"late"},"s":",\"event\":{\"type\":\"late\""}}]}`)
	for name, want := range map[string][]uint64{"spät\"/": {1}, "plain": {2}, "late": {}, "x": {3}} {
		if list, _ := p.read(t, "notes", reflex.Query{Types: []string{name}}); !slices.Equal(seqs(list), want) {
			t.Errorf("of the type %q are %v, want %v", name, seqs(list), want)
		}
	}
}

// What the store refuses comes out as it is, for the table of reasons.
func TestClosedStore(t *testing.T) {
	p := found(t)
	if err := p.store.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Read(t.Context(), anna, "notes", reflex.Query{}); !errors.Is(err, store.ErrClosed) {
		t.Errorf("reading: %v", err)
	}
	if _, err := p.Publish(t.Context(), anna, "notes", decoded(t, `{"type":"x"}`)); !errors.Is(err, store.ErrClosed) {
		t.Errorf("publishing: %v", err)
	}
	if got := p.do(t, anna, "notes", wanted("1", `{"type":"x"}`)); !strings.Contains(got, `"type":"busy"`) {
		t.Errorf("a command: %s", got)
	}
}
