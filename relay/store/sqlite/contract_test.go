package sqlite_test

import (
	"path/filepath"
	"testing"

	"hearth/relay/store"
	"hearth/relay/store/sqlite"
	"hearth/relay/store/storetest"

	"go.uber.org/goleak"
)

// TestMain sees to it that no store leaves a goroutine behind.
func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// The store holds to what every store promises.
func TestContract(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t testing.TB, folder string, publish func([]store.Moved)) store.Store {
		t.Helper()
		s, err := sqlite.Open(t.Context(), filepath.Join(folder, "hearth.db"), sqlite.Options{Publish: publish})
		if err != nil {
			t.Fatal(err)
		}
		return s
	})
}
