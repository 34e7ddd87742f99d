package backup_test

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"go.uber.org/goleak"

	"hearth/relay/archive"
	"hearth/relay/backup"
	"hearth/relay/protocol"
	"hearth/relay/store"
	"hearth/relay/store/sqlite"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// relayID is the id of the relay that is backed up.
const relayID = "6e6f2e2e2e"

// fill opens a store with a few streams, among them a large one and one of events.
func fill(t testing.TB) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "hearth.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	write(t, s, "empty", 1, 0)
	write(t, s, "notes", 20, 100)
	write(t, s, "photos", 3, 400_000)
	return s
}

// write appends entries of so many random bytes to a stream, each a batch.
func write(t testing.TB, s *sqlite.Store, name string, entries, size int) {
	t.Helper()
	for range entries {
		data := make([]byte, size)
		rand.Read(data)
		batch := protocol.Batch{Epoch: 3, Entries: protocol.NewEntries(data)}
		if _, err := s.Append(t.Context(), store.Append{Ref: store.Ref{Space: "default", Name: name}, Batch: batch, Writer: "me"}); err != nil {
			t.Fatal(err)
		}
	}
}

// keeper returns one who keeps backups of a store.
func keeper(t testing.TB, s backup.Source, p backup.Plan) *backup.Keeper {
	t.Helper()
	if err := p.Check(); err != nil {
		t.Fatal(err)
	}
	return backup.NewKeeper(backup.Maker{
		Source: s, Relay: relayID, Version: "1.2.3",
		Files: func(encrypted bool) ([]archive.File, error) {
			return []archive.File{{Name: "encrypted", Data: fmt.Append(nil, encrypted)}}, nil
		},
	}, p, discard(), nil)
}

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }

// choose makes the folder of a keeper's plan one for backups.
func choose(t testing.TB, k *backup.Keeper) {
	t.Helper()
	if err := k.Change(k.State().Plan, true); err != nil {
		t.Fatal(err)
	}
}

// backUp makes a backup that has to come about, in a folder that is chosen with it, or
// in that of the plan.
func backUp(t testing.TB, k *backup.Keeper, folder string) backup.Kept {
	t.Helper()
	if folder != "" && folder == k.State().Folder {
		choose(t, k)
	}
	made, err := k.BackUp(t.Context(), folder, nil)
	if err != nil {
		t.Fatal(err)
	}
	return made
}

// contents proves a backup.
func contents(t testing.TB, path string, identities []byte) backup.Contents {
	t.Helper()
	r, err := backup.Open(path, identities)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	c, err := r.Prove(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// streamsOf lists the streams of a store.
func streamsOf(t testing.TB, s *sqlite.Store) []store.Stream {
	t.Helper()
	list, err := s.Streams(t.Context(), store.Ref{}, 1000)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// names lists what lies in a folder.
func names(t testing.TB, folder string) (list []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, e.Name())
	}
	slices.Sort(list)
	return list
}

func is[E error](t testing.TB, err error) E {
	t.Helper()
	e, ok := errors.AsType[E](err)
	if !ok {
		t.Errorf("the error is %T: %v", err, err)
	}
	return e
}

// copyTo writes what a file holds into another one.
func copyTo(t testing.TB, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err == nil {
		err = os.WriteFile(to, data, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// later makes the backups that a marker lists ones of a year from now.
func later(marker []byte) []byte {
	year := time.Now().UTC().Year()
	return bytes.ReplaceAll(marker, fmt.Appendf(nil, `"made": "%d-`, year), fmt.Appendf(nil, `"made": "%d-`, year+1))
}
