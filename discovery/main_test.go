package discovery

import (
	"os"
	"testing"

	"go.uber.org/goleak"
)

// TestMain fails the tests if any goroutine outlives what started it. In a network namespace the test binary runs again as one of
// the machines of the network tests.
func TestMain(m *testing.M) {
	if os.Getenv(roleEnv) != "" {
		os.Exit(play())
	}
	goleak.VerifyTestMain(m)
}
