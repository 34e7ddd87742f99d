package relay_test

import (
	"bytes"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"hearth/relay"
	"hearth/relay/console"
	"hearth/relay/consolehttp"
)

// Damage that a check of a running relay finds puts the stream out of use, and
// the others go on; the same is told of the data of a stopped one.
func TestVerifyDamage(t *testing.T) {
	dir := t.TempDir()
	h := open(t, dir)
	for range 3 {
		h.append(t, "hurt", 1, bytes.Repeat([]byte("mark"), 2000))
		h.append(t, "hurt", 1, []byte("the rest"))
		h.append(t, "well", 1, []byte("other"))
	}
	if err := h.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	want := console.Verification{
		Streams: 2, Entries: 9, Bytes: 3 * (8000 + 8 + 5), Whole: true,
	}
	took := cmpopts.IgnoreFields(console.Verification{}, "Took")
	look := func() console.Verification {
		t.Helper()
		s, err := relay.Look(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		v, err := s.Verify(t.Context(), console.StreamRef{}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	if diff := cmp.Diff(want, look(), took); diff != "" {
		t.Errorf("while it is sound (-want +got):\n%s", diff)
	}

	path := filepath.Join(dir, "hearth.db")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// Wherever it is: SQLite leaves copies behind in what it does not use.
	data = bytes.ReplaceAll(data, bytes.Repeat([]byte("mark"), 500), bytes.Repeat([]byte("dark"), 500))
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	at := func(v console.Verification) uint64 {
		t.Helper()
		if len(v.Damaged) != 1 || v.Damaged[0].StreamRef != (console.StreamRef{Space: "default", Name: "hurt"}) {
			t.Fatalf("the damage is %+v", v)
		}
		return v.Damaged[0].Position
	}
	position := at(look())

	h = open(t, dir)
	if status := h.append(t, "hurt", 1, []byte("before it is noticed")); status != http.StatusOK {
		t.Errorf("status %d", status)
	}
	c := consolehttp.NewClient(consolehttp.At(h.url, h.OwnerToken()))
	defer c.Close()
	v, err := c.Verify(t.Context(), console.StreamRef{}, nil)
	if err != nil || at(v) != position {
		t.Errorf("the running relay finds %+v, %v; at rest it was at %d", v, err, position)
	}
	for stream, want := range map[string]int{"hurt": http.StatusInternalServerError, "well": http.StatusOK} {
		if status := h.append(t, stream, 1, []byte("more")); status != want {
			t.Errorf("a write to %s: status %d", stream, status)
		}
		if status, err := ask(h.client, http.MethodGet, h.url+"/v1/streams/"+stream+"/entries", nil, new(pageMessage)); status != want {
			t.Errorf("a read of %s: status %d, %v", stream, status, err)
		}
	}
	o, err := c.Overview(t.Context())
	if err != nil || o.Checked.IsZero() || len(o.Damaged) != 1 || !strings.Contains(o.Damaged[0].Reason, "link") {
		t.Errorf("the overview is %+v, %v", o, err)
	}
	if _, err := c.Verify(t.Context(), console.StreamRef{Space: "default", Name: "none"}, nil); !errors.Is(err, console.ErrNotFound) {
		t.Errorf("of a stream that is not there: %v", err)
	}
}
