package relay_test

import (
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"hearth/relay/console"
	"hearth/relay/protocol"
)

// What clients write is what the console shows, to the last field, and it says
// so soon.
func TestConsoleShowsWhatWasWritten(t *testing.T) {
	h := open(t, t.TempDir())
	c := h.Console()
	changed, stop := c.Changes()
	defer stop()
	for _, batch := range [][][]byte{{[]byte("one"), {}}, {[]byte("three")}} {
		if status := h.append(t, "notes", 7, batch...); status != http.StatusOK {
			t.Fatal(status)
		}
	}
	<-changed
	list := allNotes(t, h.client, h.url)
	streams, err := c.Streams(t.Context(), console.StreamRef{}, 10)
	if err != nil || len(streams) != 1 {
		t.Fatalf("streams %+v, %v", streams, err)
	}
	s := streams[0]
	want := console.Stream{
		StreamRef: console.StreamRef{Space: "default", Name: "notes"}, Kind: console.KindEntries,
		Identity: s.Identity, Head: 3, Epoch: 7, Link: hex.EncodeToString(list[2].Hash), Bytes: 8,
		CreatedAt: s.CreatedAt, WrittenAt: s.WrittenAt, Hour: s.Hour,
	}
	if diff := cmp.Diff(want, s); diff != "" {
		t.Error(diff)
	}
	if age := time.Since(s.WrittenAt); age < 0 || age > time.Minute {
		t.Errorf("written %v ago", age)
	}
	entries, err := c.Entries(t.Context(), s.StreamRef, 0, 2)
	if err != nil {
		t.Fatal(err)
	}
	wantEntries := []console.Entry{
		{Position: 3, Epoch: 7, Size: 5, Link: hex.EncodeToString(list[2].Hash), EndsBatch: true, WrittenAt: s.WrittenAt},
		{Position: 2, Epoch: 7, Size: 0, Link: hex.EncodeToString(list[1].Hash), EndsBatch: true, WrittenAt: entries[1].WrittenAt},
	}
	if diff := cmp.Diff(wantEntries, entries); diff != "" {
		t.Error(diff)
	}
	data, err := c.EntryData(t.Context(), s.StreamRef, 1)
	if err != nil || string(data) != "one" {
		t.Errorf("entry 1 is %q, %v", data, err)
	}
	if _, err := c.EntryData(t.Context(), s.StreamRef, 4); !errors.Is(err, console.ErrNotFound) {
		t.Errorf("an entry that is not there: %v", err)
	}
	if _, err := c.Stream(t.Context(), console.StreamRef{Space: "default", Name: "nope"}); !errors.Is(err, console.ErrNotFound) {
		t.Errorf("a stream that is not there: %v", err)
	}
	o, err := c.Overview(t.Context())
	if err != nil || o.Name != "Test" || o.Version != "1.2.3" || o.ID != h.ID() || o.Streams != 1 || o.Entries != 3 || o.Bytes != 8 || o.DiskUsed == 0 {
		t.Errorf("overview %+v, %v", o, err)
	}
}

// Large entries are listed as small ones are, as many as were asked for.
func TestConsoleListsLargeEntries(t *testing.T) {
	h := open(t, t.TempDir())
	large := make([]byte, protocol.MaxPageData/2+1)
	for range 5 {
		h.append(t, "notes", 1, large)
	}
	for limit := 1; limit <= 6; limit++ {
		entries, err := h.Console().Entries(t.Context(), console.StreamRef{Space: "default", Name: "notes"}, 0, limit)
		if err != nil || len(entries) != min(limit, 5) {
			t.Fatalf("%d of %d entries, %v", len(entries), limit, err)
		}
		for i, e := range entries {
			if e.Position != uint64(5-i) || e.Size != len(large) {
				t.Errorf("%d: %+v", i, e)
			}
		}
	}
}

// Who has been there and what was done shows, and where epochs begin.
func TestConsoleShowsActivity(t *testing.T) {
	h := open(t, t.TempDir())
	for _, epoch := range []uint32{1, 1, 4} {
		h.append(t, "notes", epoch, []byte("x"), []byte("y"))
	}
	allNotes(t, h.client, h.url)
	c := h.Console()
	a, err := c.Activity(t.Context())
	if err != nil || len(a.Minutes) != 60 || len(a.Devices) != 1 {
		t.Fatalf("activity %+v, %v", a, err)
	}
	sum := a.Minutes[58] // the minute may have changed on the way
	sum.Writes += a.Minutes[59].Writes
	sum.Entries += a.Minutes[59].Entries
	sum.Reads += a.Minutes[59].Reads
	if sum.Writes != 3 || sum.Entries != 6 || sum.Reads != 1 {
		t.Errorf("the last minutes: %+v", a.Minutes[58:])
	}
	d := a.Devices[0]
	if d.Client != "127.0.0.1" || d.Action != console.ActionRead || d.Stream != "notes" || d.Writes != 3 || d.Reads != 1 {
		t.Errorf("the device is %+v", d)
	}
	ref := console.StreamRef{Space: "default", Name: "notes"}
	s, err := c.Stream(t.Context(), ref)
	if err != nil || s.Hour[58]+s.Hour[59] != 3 {
		t.Errorf("the stream's hour is %v, %v", s.Hour, err)
	}
	epochs, err := c.Epochs(t.Context(), ref, 10)
	if diff := cmp.Diff([]console.EpochStart{{Epoch: 4, Position: 5}, {Epoch: 1, Position: 1}}, epochs); diff != "" || err != nil {
		t.Error(diff, err)
	}
}

// The console says of a cursor what its reader would hear.
func TestConsoleChecksCursors(t *testing.T) {
	h := open(t, t.TempDir())
	h.append(t, "notes", 1, []byte("x"), []byte("y"))
	list := allNotes(t, h.client, h.url)
	ref := console.StreamRef{Space: "default", Name: "notes"}
	s, err := h.Console().Stream(t.Context(), ref)
	if err != nil {
		t.Fatal(err)
	}
	first := hex.EncodeToString(list[0].Hash)
	other := strings.Repeat("0", 32)
	for cursor, want := range map[string]console.Verdict{
		"1." + s.Identity + "." + first:  {Answer: console.AnswerEntries, Position: 1, Identity: s.Identity, Head: 2, Behind: 1},
		"2." + s.Identity + "." + s.Link: {Answer: console.AnswerEntries, Position: 2, Identity: s.Identity, Head: 2},
		"3." + s.Identity + "." + s.Link: {Answer: console.AnswerAhead, Position: 3, Identity: s.Identity, Head: 2},
		"1." + s.Identity + "." + s.Link: {Answer: console.AnswerDiverged, Position: 1, Identity: s.Identity, Head: 2},
		"1." + other + "." + first:       {Answer: console.AnswerReplaced, Position: 1, Identity: other, Head: 2},
	} {
		got, err := h.Console().Check(t.Context(), ref, cursor)
		if err != nil {
			t.Errorf("%s: %v", cursor, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: %s", cursor, diff)
		}
	}
	if _, err := h.Console().Check(t.Context(), ref, "no cursor"); err == nil {
		t.Error("a text that is no cursor was checked")
	}
	ref.Name = "none"
	if _, err := h.Console().Check(t.Context(), ref, "2."+s.Identity+"."+s.Link); !errors.Is(err, console.ErrNotFound) {
		t.Errorf("a stream that is not there: %v", err)
	}
}

// Refusals are shown newest first, with what a person needs to know; those that
// repeat are counted.
func TestConsoleShowsRefusals(t *testing.T) {
	h := open(t, t.TempDir())
	h.append(t, "notes", 5, []byte{})
	for range 3 {
		if status := h.append(t, "notes", 4, []byte{}); status != http.StatusConflict {
			t.Fatalf("status %d", status)
		}
	}
	if status, err := ask(h.client, http.MethodGet, h.url+"/v1/streams/tasks/entries", nil, nil); err != nil || status != http.StatusNotFound {
		t.Fatalf("status %d, %v", status, err)
	}
	got, err := h.Console().Refusals(t.Context())
	if err != nil || len(got) != 2 {
		t.Fatalf("refusals %+v, %v", got, err)
	}
	for i, want := range []console.Refusal{
		{Code: "stream_not_found", Status: 404, Action: console.ActionRead, Space: "default", Stream: "tasks", Client: "127.0.0.1", Times: 1},
		{Code: "epoch_behind", Status: 409, Action: console.ActionWrite, Space: "default", Stream: "notes", Client: "127.0.0.1", Epoch: 5, Times: 3},
	} {
		want.Message, want.First, want.Last = got[i].Message, got[i].First, got[i].Last
		if diff := cmp.Diff(want, got[i]); diff != "" {
			t.Error(diff)
		}
	}
}

// A flood of refusals of one client neither grows without end nor pushes away
// what happened to another.
func TestRefusalsAreBounded(t *testing.T) {
	h := open(t, t.TempDir())
	for i := range 300 {
		if status, err := ask(h.client, http.MethodGet, fmt.Sprintf("%s/v1/streams/absent-%d/entries", h.url, i%2), nil, nil); err != nil || status != http.StatusNotFound {
			t.Fatalf("status %d, %v", status, err)
		}
	}
	got, err := h.Console().Refusals(t.Context())
	if err != nil || len(got) != 2 || got[0].Times+got[1].Times != 300 {
		t.Fatalf("%d kinds of refusals, %v", len(got), err)
	}
	for i := range 300 {
		if status, err := ask(h.client, http.MethodGet, fmt.Sprintf("%s/v1/streams/other-%d/entries", h.url, i), nil, nil); err != nil || status != http.StatusNotFound {
			t.Fatalf("status %d, %v", status, err)
		}
	}
	if got, err = h.Console().Refusals(t.Context()); err != nil || len(got) != 256 {
		t.Fatalf("%d kinds of refusals, %v", len(got), err)
	}
}

// A name that is far too long is shown cut, and as text that can be shown.
func TestRefusedNameIsCut(t *testing.T) {
	h := open(t, t.TempDir())
	for _, shift := range []string{"", "x"} {
		name := shift + strings.Repeat("ä", 200)
		if status, err := ask(h.client, http.MethodGet, h.url+"/v1/streams/"+url.PathEscape(name)+"/entries", nil, nil); err != nil || status != http.StatusBadRequest {
			t.Fatalf("status %d, %v", status, err)
		}
		got, err := h.Console().Refusals(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		shown := got[0].Stream
		if cut, ok := strings.CutSuffix(shown, "…"); !ok || !utf8.ValidString(shown) || len(cut) > protocol.MaxName || !strings.HasPrefix(name, cut) {
			t.Errorf("%q is shown as %q", name, shown)
		}
	}
}

// The console is for the owner alone; who else asks is refused in its form, and
// that goes on record.
func TestOwnersConsole(t *testing.T) {
	h := open(t, t.TempDir())
	for token, want := range map[string]int{
		"":                         http.StatusUnauthorized,
		"Bearer wrong":             http.StatusUnauthorized,
		"Bearer " + h.OwnerToken(): http.StatusOK,
	} {
		r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.url+"/admin/overview", http.NoBody)
		if err != nil {
			t.Fatal(err)
		}
		if token != "" {
			r.Header.Set("Authorization", token)
		}
		response, err := h.client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != want || response.Header.Get("Content-Type") != "application/json" || response.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("token %q: status %d, %v", token, response.StatusCode, response.Header)
		}
	}
	refused, err := h.Console().Refusals(t.Context())
	if err != nil || len(refused) != 2 { // one was let in as a visitor, the other was not
		t.Fatalf("on record is %+v, %v", refused, err)
	}
	for _, r := range refused {
		if r.Code != "unauthorized" || r.Times != 1 {
			t.Errorf("on record is %+v", r)
		}
	}
}
