package relay_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/signal"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"hearth/relay"
)

// serveIn tells the test's own program to be a relay on a data folder: some
// tests need one that can be killed or traced.
const serveIn = "HEARTH_TEST_SERVE_IN"

func TestMain(m *testing.M) {
	if dir := os.Getenv(serveIn); dir != "" {
		if err := serve(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// serve runs a relay until it is told to stop, and prints its address.
func serve(dir string) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	r, err := relay.Open(ctx, dir, relay.Options{})
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	fmt.Println(l.Addr())
	served := make(chan error, 1)
	go func() { served <- r.Serve(l) }()
	select {
	case <-ctx.Done():
		return r.Shutdown(context.Background())
	case err := <-served:
		return err
	}
}
