package relay

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearth/relay/access"
	"hearth/relay/backup"
	"hearth/relay/console"
	"hearth/relay/protocol"
	"hearth/relay/reflex"
	"hearth/relay/store"
	"hearth/relay/store/sqlite"
)

// house is a store whose happenings are told, and what goes wrong there.
type house struct {
	*sqlite.Store
	news *happenings
	room atomic.Uint64
	full atomic.Bool // whether nothing more can be published
}

func newHouse(t *testing.T, kinds ...reflex.HappeningKind) *house {
	h := new(house)
	h.room.Store(10 * scarce)
	h.news = newHappenings(kinds, h.room.Load, slog.New(slog.DiscardHandler))
	var err error
	h.Store, err = sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "hearth.db"), sqlite.Options{Publish: h.news.moved})
	if err != nil {
		t.Fatal(err)
	}
	h.news.store = h
	ended := make(chan struct{})
	go func() { defer close(ended); h.news.run() }()
	t.Cleanup(func() {
		h.news.stop()
		<-ended
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

// Publish is the store's, unless the disk is to be full.
func (h *house) Publish(ctx context.Context, p store.Publish) (store.Publication, error) {
	if h.full.Load() {
		return store.Publication{}, &store.FullError{Err: syscall.ENOSPC}
	}
	return h.Store.Publish(ctx, p)
}

// append writes an entry.
func (h *house) append(t *testing.T, space, stream string) {
	t.Helper()
	_, err := h.Append(context.Background(), store.Append{
		Ref: store.Ref{Space: space, Name: stream}, Batch: protocol.Batch{Entries: protocol.NewEntries([]byte("an entry"))},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// toldIn returns the events that are told in a space, with what is drawn blanked out.
func toldIn(t *testing.T, s *sqlite.Store, space string) (events []string) {
	t.Helper()
	page, err := s.Page(context.Background(), store.Read{
		Ref: store.Ref{Space: space, Name: reflex.RelayStream}, Entries: 100_000, Bytes: 100 << 20,
	})
	if isA[*store.NotFoundError](err) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	for entry, err := range page.All() {
		if err != nil {
			t.Fatal(err)
		}
		e, err := store.ReadEnvelope(entry.Data)
		if err != nil {
			t.Fatal(err)
		}
		if got := string(slices.Concat(e.StreamID, e.Actor, e.Causation)); got != `"_relay"{"kind":"system","name":"relay"}null` {
			t.Fatalf("an event of %s", got)
		}
		event := e.Event
		if at := bytes.Index(event, []byte(`"identity":"`)); at >= 0 {
			event = slices.Concat(event[:at+12], event[at+12+32:])
		}
		events = append(events, string(event))
	}
	return events
}

func expectTold(t *testing.T, s *sqlite.Store, space string, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, toldIn(t, s, space)); diff != "" {
		t.Errorf("in %s (-want +got):\n%s", space, diff)
	}
}

// Each space that is used is told what happens in it, its streams' moves once a second
// and never those of the stream that tells; and nobody is told of what is turned off.
func TestStreamsAreTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, reflex.StreamsCreated, reflex.StreamsMoved)
		h.append(t, "default", "notes")
		h.append(t, "attic", "boxes")
		time.Sleep(time.Minute)
		for range 10 {
			h.append(t, "default", "notes")
		}
		time.Sleep(time.Hour)
		created := func(name string) string {
			return `{"type":"stream_created","stream":"` + name + `","holds":"entries","identity":"","head":1}`
		}
		expectTold(t, h.Store, "attic", created("boxes"))
		got := toldIn(t, h.Store, "default")
		// The first of the ten may be told by itself, before the others came.
		last := got[len(got)-1]
		if got[0] != created("notes") || len(got) > 3 || !strings.Contains(last, `"stream":"notes","head":11`) {
			t.Errorf("told %q", got)
		}

		h.news.tell([]reflex.HappeningKind{reflex.StreamsCreated})
		h.append(t, "default", "notes")
		h.append(t, "default", "tasks")
		time.Sleep(time.Hour)
		expectTold(t, h.Store, "default", append(got, created("tasks"))...)
		h.news.tell(nil)
		h.append(t, "default", "lists")
		time.Sleep(time.Hour)
		expectTold(t, h.Store, "default", append(got, created("tasks"))...)
	})
}

// Whatever is written, little is told of it; what is left out is counted, and in the end
// everything that moved last was told.
func TestFloodIsTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, reflex.StreamsCreated, reflex.StreamsMoved)
		begun := time.Now()
		for range 3 {
			for i := range 4 * newsBurst {
				h.append(t, "default", fmt.Sprint("stream-", i))
			}
			time.Sleep(10 * time.Second)
		}
		if most := newsBurst + int(time.Since(begun)/newsEvery) + 1; len(toldIn(t, h.Store, "default")) > most {
			t.Errorf("%d events are told in %v", len(toldIn(t, h.Store, "default")), time.Since(begun))
		}
		time.Sleep(time.Hour)
		heads := make(map[string]uint64)
		for _, event := range toldIn(t, h.Store, "default") {
			var e struct {
				Stream string
				Head   uint64
			}
			if err := json.Unmarshal([]byte(event), &e); err != nil {
				t.Fatal(err)
			}
			heads[e.Stream] = e.Head
		}
		for i := range 4 * newsBurst {
			if name := fmt.Sprint("stream-", i); heads[name] != 3 {
				t.Errorf("%s was told to be at %d", name, heads[name])
			}
		}
	})
}

// However many spaces are named, few are told anything at once, and those that nobody
// uses nothing, whoever is refused there.
func TestSpacesAreBounded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, reflex.HappeningKinds()...)
		for i := range 3 * maxSpaces {
			h.news.refused(access.Visitor{Space: fmt.Sprint("space-", i), Loopback: true}, "stream_not_found", "read", "notes")
		}
		time.Sleep(time.Hour)
		if totals, err := h.Totals(t.Context()); err != nil || totals.Streams != 0 {
			t.Fatalf("there are %d streams (%v)", totals.Streams, err)
		}
		for i := range 2 * maxSpaces {
			h.append(t, fmt.Sprint("space-", i), "notes")
		}
		h.news.addEverywhere(reflex.DiskLow{})
		time.Sleep(time.Hour)
		used := 0
		for i := range 2 * maxSpaces {
			if len(toldIn(t, h.Store, fmt.Sprint("space-", i))) > 0 {
				used++
			}
		}
		if used < maxSpaces || used > 2*maxSpaces {
			t.Errorf("%d spaces are told something", used)
		}
		if len(h.news.spaces) > maxSpaces {
			t.Errorf("%d spaces are remembered", len(h.news.spaces))
		}
	})
}

// Known devices' refusals are told once a minute and kind; strangers', and those on the
// stream that tells, are not.
func TestRefusalsAreTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, reflex.Refusals)
		h.append(t, "default", "notes")
		local := access.Visitor{Space: "default", Loopback: true}
		h.news.refused(local, "epoch_behind", "write", "notes")
		time.Sleep(2 * time.Second)
		for range 5 {
			h.news.refused(local, "epoch_behind", "write", "tasks")
			h.news.refused(access.Visitor{Space: "default", Key: "k1"}, "too_large", "write", "notes")
			h.news.refused(access.Visitor{Space: "default"}, "too_large", "write", "notes") // from the network, without a key
			h.news.refused(access.Visitor{Loopback: true}, "host_refused", "other", "")     // not let in
			h.news.refused(local, "forbidden", "write", reflex.RelayStream)
		}
		time.Sleep(time.Hour)
		got := toldIn(t, h.Store, "default")
		want := []string{
			`{"type":"device_refused","code":"epoch_behind","action":"write","stream":"notes","key":"","count":1}`,
			`{"type":"device_refused","code":"too_large","action":"write","stream":"notes","key":"k1","count":5}`,
			`{"type":"device_refused","code":"epoch_behind","action":"write","stream":"tasks","key":"","count":5}`,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	})
}

// A disk that is nearly full is told once, and once when it is not any more, by a margin;
// while it is full nothing is told, and afterwards how much was not.
func TestDiskIsTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := newHouse(t, reflex.DiskRoom, reflex.StreamsMoved, reflex.StreamsCreated)
		h.room.Store(scarce - 1)
		time.Sleep(time.Hour) // there is nobody to tell
		h.append(t, "default", "notes")
		time.Sleep(2 * time.Second)
		want := toldIn(t, h.Store, "default")
		for _, room := range []uint64{scarce - 1, scarce + 1, scarce - 2, 0, scarce + scarce/4, scarce + 1} {
			h.room.Store(room)
			time.Sleep(2 * diskEvery)
		}
		want = append(want, fmt.Sprintf(`{"type":"disk_low","free":%d}`, scarce-1), fmt.Sprintf(`{"type":"disk_ok","free":%d}`, scarce+scarce/4))
		expectTold(t, h.Store, "default", want...)

		h.full.Store(true)
		h.append(t, "default", "notes")
		time.Sleep(time.Hour)
		expectTold(t, h.Store, "default", want...)
		h.full.Store(false)
		time.Sleep(time.Hour)
		got := toldIn(t, h.Store, "default")
		var e struct {
			Type  string
			Count uint64
		}
		if err := json.Unmarshal([]byte(got[len(got)-1]), &e); err != nil || len(got) != len(want)+1 || e.Type != "left_out" || e.Count != 1 {
			t.Errorf("afterwards %q (%v)", got, err)
		}
	})
}

// A relay tells of what is asked over HTTP, of backups and of checks; one that is not
// asked to tells nothing.
func TestRelayTells(t *testing.T) {
	t.Parallel()
	for _, asked := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			var kinds []reflex.HappeningKind
			if asked {
				kinds = reflex.HappeningKinds()
			}
			r, err := Open(t.Context(), t.TempDir(), Options{Happenings: kinds})
			if err != nil {
				t.Fatal(err)
			}
			defer func() {
				if err := r.Shutdown(context.Background()); err != nil {
					t.Error(err)
				}
			}()
			time.Sleep(time.Minute)
			expectTold(t, r.store, "default") // nobody uses it yet, though it was checked

			ask := func(from, method, path string, body []byte, want int) {
				t.Helper()
				q := httptest.NewRequestWithContext(t.Context(), method, "http://127.0.0.1"+path, bytes.NewReader(body))
				q.RemoteAddr = from
				q.Header.Set("Content-Type", protocol.MediaType)
				w := httptest.NewRecorder()
				r.ServeHTTP(w, q)
				if w.Code != want {
					t.Fatalf("%s %s: %d %q", method, path, w.Code, w.Body)
				}
			}
			const here, there = "127.0.0.1:1234", "192.0.2.1:1234"
			batch := []byte("\xa2\x00\x07\x01\x81\x41a")
			ask(here, http.MethodPost, "/v1/streams/notes/entries", batch, http.StatusOK)
			ask(here, http.MethodPost, "/v1/streams/notes/entries", []byte("\xa2\x00\x06\x01\x81\x41a"), http.StatusConflict)
			ask(there, http.MethodPost, "/v1/streams/guests/entries", batch, http.StatusForbidden)
			r.SetOpen(true)
			ask(there, http.MethodPost, "/v1/streams/guests/entries", batch, http.StatusOK)
			ask(there, http.MethodGet, "/v1/streams/none/entries", nil, http.StatusNotFound)
			time.Sleep(time.Minute)

			if _, err := r.Console().BackUp(t.Context(), "", nil); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Minute)
			elsewhere := filepath.Join(t.TempDir(), "not", "there")
			if _, err := r.Console().BackUp(t.Context(), elsewhere, nil); !isA[*backup.NoFolderError](err) {
				t.Fatal(err)
			}
			time.Sleep(time.Minute)
			if _, err := r.Console().Verify(t.Context(), console.StreamRef{Space: "default", Name: "notes"}, nil); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Minute)
			if _, err := r.Console().Verify(t.Context(), console.StreamRef{}, nil); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Minute)
			if !asked {
				expectTold(t, r.store, "default")
				return
			}
			var types []string
			for _, event := range toldIn(t, r.store, "default") {
				var e struct{ Type, Code, Stream, Reason string }
				if err := json.Unmarshal([]byte(event), &e); err != nil {
					t.Fatal(err)
				}
				types = append(types, e.Type+" "+e.Code+e.Reason+" "+e.Stream)
			}
			want := []string{
				"stream_created  notes", "device_refused epoch_behind notes", "stream_created  guests",
				"backup_done  ", "backup_failed folder_missing ", "verified  notes", "verified  ",
			}
			slices.Sort(types[:3]) // which may be told at once
			slices.Sort(want[:3])
			if diff := cmp.Diff(want, types); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Every failure of a backup has its reason.
func TestBackupFailures(t *testing.T) {
	t.Parallel()
	for want, err := range map[reflex.BackupFailure]error{
		reflex.FolderMissing:    &backup.MissingError{},
		reflex.FolderForbidden:  &backup.AccessError{},
		reflex.FolderOthers:     &backup.OthersError{},
		reflex.FolderFull:       fmt.Errorf("writing: %w", syscall.ENOSPC),
		reflex.BackupUnreadable: &backup.UnreadableError{},
		reflex.BackupOther:      errors.New("anything else"),
	} {
		if got := backupFailureOf(err); got != want {
			t.Errorf("%v is %s, not %s", err, got, want)
		}
	}
}
