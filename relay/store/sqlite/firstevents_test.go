package sqlite_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"hearth/relay/store"
	"hearth/relay/store/sqlite"

	"github.com/google/go-cmp/cmp"
)

// eventsFile is what the first version with events said of what it wrote.
type eventsFile struct {
	Identity string   `json:"identity"`
	Link     string   `json:"link"`    // at the head
	IDs      []string `json:"ids"`     // of the events, in their order
	Results  []string `json:"results"` // of the commands cmd_1, cmd_2 and cmd_3
}

// What the first version with events wrote is there for every later one: each event
// under its id, what commands came to, types, and repeats of sealed batches.
func TestFirstEvents(t *testing.T) {
	t.Parallel()
	path := place(t)
	data, err := os.ReadFile(filepath.Join("testdata", "events.db"))
	if err == nil {
		err = os.WriteFile(path, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	var want eventsFile
	if data, err = os.ReadFile(filepath.Join("testdata", "events.json")); err == nil {
		err = json.Unmarshal(data, &want)
	}
	if err != nil {
		t.Fatal(err)
	}
	s := open(t, path, sqlite.Options{})
	for range 2 {
		if v := verified(t, s, store.Verify{}); !v.Sound() || !v.Whole || v.Streams != 2 {
			t.Errorf("it is not sound: %+v", v)
		}
		got := eventsFile{IDs: want.IDs}
		is, err := s.Stream(t.Context(), named("orders"))
		if err != nil || is.Head != uint64(len(want.IDs)) {
			t.Fatalf("the stream is %+v, %v", is, err)
		}
		got.Identity, got.Link = is.Identity.String(), is.Link.String()
		for i, id := range want.IDs {
			again := publish(t, s, publication("orders", id)).Events[0]
			if diff := cmp.Diff(store.Published{Seq: uint64(i + 1), ID: id, Duplicate: true}, again); diff != "" {
				t.Errorf("a copy (-want +got):\n%s", diff)
			}
			if r, err := s.Find(t.Context(), named("orders"), id); err != nil || r.Seq != uint64(i+1) {
				t.Errorf("%q is found at %d, %v", id, r.Seq, err)
			}
		}
		for n := range 3 {
			c := store.Command{Space: "default", Actor: "user:local", Stream: "orders", ID: fmt.Sprint("cmd_", n+1)}
			result, _, err := s.Recall(t.Context(), c)
			if err != nil {
				t.Fatal(err)
			}
			got.Results = append(got.Results, string(result))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("what is there (-want +got):\n%s", diff)
		}
		types, err := s.Types(t.Context(), "default")
		if err != nil || len(types) != 1 || types[0].Name != "said" || string(types[0].Schema) != `{"type":"object"}` {
			t.Errorf("the types are %+v, %v", types, err)
		}
		if w := write(t, s, "notes", "S\x01sealed", "L\x01lock"); !w.Repeated {
			t.Errorf("a repeat is %+v", w)
		}
		shut(t, s)
		s = open(t, path, sqlite.Options{})
	}
	p := publication("orders", "new")
	p.Chain = want.IDs[1]
	if done := publish(t, s, p); done.First != uint64(len(want.IDs))+1 {
		t.Errorf("it goes on at %+v", done)
	}
}
