package sqlite_test

import (
	"flag"
	"path/filepath"
	"testing"

	"hearth/relay/store"
	"hearth/relay/store/sqlite"
	"hearth/relay/store/storetest"

	"go.uber.org/goleak"
)

// trials is how often a property is tried: fewer times than the usual hundred, for
// the model commits some dozen times in each. The flag -rapid.checks asks for more.
const trials = "40"

// TestMain sees to it that no store leaves a goroutine behind.
func TestMain(m *testing.M) {
	if err := flag.Set("rapid.checks", trials); err != nil { // before flags are read
		panic(err)
	}
	goleak.VerifyTestMain(m)
}

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
