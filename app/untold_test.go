package main

import (
	"context"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hearth/relay/console"
	"hearth/relay/reflex"
)

// What the owner can turn off is just what relays tell.
func TestHappeningsAreTheSame(t *testing.T) {
	t.Parallel()
	var told []console.Happening
	for _, kind := range reflex.HappeningKinds() {
		told = append(told, console.Happening(kind))
	}
	if diff := cmp.Diff(told, console.Happenings()); diff != "" {
		t.Error(diff)
	}
}

// A kind that is turned off is not told from that moment on, and what is turned on again
// is; one that does not exist changes nothing.
func TestChangeUntold(t *testing.T) {
	h := open(t, keptSettings{Port: new(0), Untold: new(console.Happenings())})
	told := func() []string {
		entries, err := h.Entries(t.Context(), console.StreamRef{Space: defaultSpace, Name: reflex.RelayStream}, 0, 100)
		if err != nil {
			return nil // there is none yet
		}
		var types []string
		for _, e := range entries {
			data, err := h.EntryData(t.Context(), console.StreamRef{Space: defaultSpace, Name: reflex.RelayStream}, e.Position)
			if err != nil {
				t.Fatal(err)
			}
			_, event, _ := strings.Cut(string(data), `"event":{"type":"`)
			name, _, _ := strings.Cut(event, `"`)
			types = append(types, name)
		}
		slices.Reverse(types)
		return types
	}
	publish := func(stream string) {
		t.Helper()
		r := &eventRelay{folder: h.settings.folder.Value, space: defaultSpace, told: t.Output()}
		defer r.close()
		err := r.persist(t.Context(), func() error {
			_, _, err := r.ask(t.Context(), "POST", streamPath(stream, "events"), []byte(`{"type":"a"}`))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	publish("first")
	said := change(t, h, console.Change{Untold: &[]console.Happening{console.HappeningMoved, console.HappeningChecks}})
	if said != "On _relay all is told but streams_moved, checks." {
		t.Errorf("it says %q", said)
	}
	if kept := readKept(t, h); kept.Untold == nil || len(*kept.Untold) != 2 {
		t.Errorf("kept %+v", kept)
	}
	wantOrigin(t, h, func(v console.Values) console.Origin { return v.Untold.Origin }, console.OriginFile)
	publish("first")
	publish("second")
	eventually(t, "the second stream is told", func() bool { return slices.Equal(told(), []string{"stream_created"}) })

	if _, err := h.Change(context.Background(), console.Change{Untold: &[]console.Happening{"gossip"}, Name: new("New")}); err == nil {
		t.Error("a kind that does not exist is taken")
	}
	if v, err := h.Settings(t.Context()); err != nil || len(v.Untold.Value) != 2 || v.Name.Value == "New" {
		t.Errorf("then %+v, %v", v, err)
	}
	said = change(t, h, console.Change{Untold: &[]console.Happening{console.HappeningChecks}, Name: new("New")})
	if !strings.Contains(said, `"New"`) {
		t.Errorf("it says %q", said)
	}
	publish("second")
	eventually(t, "a move is told", func() bool { return slices.Equal(told(), []string{"stream_created", "stream_moved"}) })
}
