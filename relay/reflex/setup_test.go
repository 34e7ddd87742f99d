package reflex_test

import (
	"encoding/json"
	"flag"
	"path/filepath"
	"testing"

	"hearth/relay/guard"
	"hearth/relay/notify"
	"hearth/relay/protocol"
	"hearth/relay/reflex"
	"hearth/relay/store"
	"hearth/relay/store/sqlite"

	"go.uber.org/goleak"
)

// trials is how often a property is tried: fewer times than the usual hundred, for
// the models commit some dozen times in each. The flag -rapid.checks asks for more.
const trials = "25"

// TestMain sees to it that nobody who followed leaves a goroutine behind.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", trials); err != nil { // before flags are read
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

// place is a service on a real store.
type place struct {
	*reflex.Service
	store *sqlite.Store
	hub   *notify.Hub
	path  string
}

// found makes a service on a new store until the test ends.
func found(t testing.TB) *place {
	t.Helper()
	return reopen(t, filepath.Join(t.TempDir(), "hearth.db"))
}

// reopen makes a service on the store that is there, or a new one.
func reopen(t testing.TB, path string) *place {
	t.Helper()
	hub := new(notify.Hub)
	s, err := sqlite.Open(t.Context(), path, sqlite.Options{Publish: hub.Publish})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	service := reflex.New(reflex.Options{Store: s, Hub: hub, Pages: guard.NewBudget(64 << 20)})
	return &place{service, s, hub, path}
}

// anna is a person, and the owner.
var (
	anna  = reflex.Caller{Space: "default", Actor: reflex.Actor{Kind: reflex.User, ID: "anna"}}
	owner = reflex.Caller{Space: "default", Actor: reflex.Actor{Kind: reflex.User, ID: "owner"}, Owner: true}
)

// decoded returns a publication, which must be one.
func decoded(t testing.TB, body string) reflex.Publication {
	t.Helper()
	p, err := reflex.DecodePublication([]byte(body))
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return p
}

// publish publishes events, which must be taken.
func (p *place) publish(t testing.TB, stream, body string) []store.Published {
	t.Helper()
	done, err := p.Publish(t.Context(), anna, stream, decoded(t, body))
	if err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return done
}

// do runs a command and returns its result as it goes over the wire.
func (p *place) do(t testing.TB, c reflex.Caller, stream, frame string) string {
	t.Helper()
	f, err := reflex.DecodeFrame([]byte(frame))
	if err != nil {
		t.Fatalf("%s: %v", frame, err)
	}
	result, err := json.Marshal(p.Do(t.Context(), c, stream, f))
	if err != nil {
		t.Fatal(err)
	}
	return string(result)
}

// append writes opaque entries as one batch.
func (p *place) append(t testing.TB, stream string, entries ...string) {
	t.Helper()
	data := make([][]byte, len(entries))
	for i, e := range entries {
		data[i] = []byte(e)
	}
	batch := protocol.Batch{Epoch: 1, Entries: protocol.NewEntries(data...)}
	if _, err := p.store.Append(t.Context(), store.Append{Ref: store.Ref{Space: "default", Name: stream}, Batch: batch}); err != nil {
		t.Fatal(err)
	}
}

// read reads a page, and takes it apart.
func (p *place) read(t testing.TB, stream string, q reflex.Query) (list []reflex.Envelope, page reflex.Page) {
	t.Helper()
	page, err := p.Read(t.Context(), anna, stream, q)
	if err != nil {
		t.Fatalf("%+v: %v", q, err)
	}
	var text []byte
	for _, piece := range page.Pieces {
		text = append(text, piece...)
	}
	page.Release()
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatalf("%+v: %v in %.200s", q, err, text)
	}
	if list == nil || len(list) != page.Count {
		t.Fatalf("%d envelopes in a page of %d: %.200s", len(list), page.Count, text)
	}
	for i, e := range list {
		if i > 0 && e.Seq <= list[i-1].Seq {
			t.Errorf("the event %d comes after %d", e.Seq, list[i-1].Seq)
		}
	}
	return list, page
}

// seqs returns the positions of envelopes.
func seqs(list []reflex.Envelope) []uint64 {
	found := make([]uint64, len(list))
	for i, e := range list {
		found[i] = e.Seq
	}
	return found
}
