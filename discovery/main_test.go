package discovery

import (
	"flag"
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
	// The tests mostly wait for machines of their own: more of them than processors at a time.
	flag.Parse()
	if err := flag.Set("test.parallel", "16"); err != nil {
		panic(err)
	}
	goleak.VerifyTestMain(m)
}
