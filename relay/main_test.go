package relay_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"strings"
	"syscall"
	"testing"

	"go.uber.org/goleak"

	"hearth/relay"
	"hearth/relay/backup"
)

// serveIn tells the test's own program to be a relay on a data folder: some
// tests need one that can be killed or traced.
const serveIn = "HEARTH_TEST_SERVE_IN"

// Where that relay listens, and which web origins it lets in, if that is said.
const (
	serveOn      = "HEARTH_TEST_SERVE_ON"
	serveOrigins = "HEARTH_TEST_SERVE_ORIGINS"
)

// victimVariable tells the test's own program to back up, to restore or to import, until
// it is killed: what, from where and to where, a line each.
const victimVariable = "HEARTH_TEST_VICTIM"

// victim does what the variable says, and says whether it says anything.
func victim() (code int, ok bool) {
	line := strings.Split(os.Getenv(victimVariable), "\n")
	if len(line) != 3 {
		return 0, false
	}
	var err error
	ctx := context.Background()
	fmt.Println("begun")
	switch line[0] {
	case "restore":
		_, err = (relay.Restore{File: line[1], Force: true}).Run(ctx, line[2])
	case "import":
		err = takeIn(ctx, line[1], line[2])
	case "back up":
		var data *relay.Stopped
		if data, err = relay.Look(ctx, line[1]); err == nil {
			err = data.AssumeBackups(backup.Plan{Folder: line[2], Keep: 2})
		}
		for err == nil {
			_, err = data.BackUp(ctx, "", nil)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1, true
	}
	return 0, true
}

func TestMain(m *testing.M) {
	if code, ok := victim(); ok {
		os.Exit(code)
	}
	if dir := os.Getenv(serveIn); dir != "" {
		if err := serve(dir); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if address := os.Getenv(besiegeAt); address != "" {
		if err := besiege(address); err != nil {
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
	r, err := relay.Open(ctx, dir, relay.Options{Origins: strings.Fields(os.Getenv(serveOrigins))})
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", cmp.Or(os.Getenv(serveOn), "127.0.0.1:0"))
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

// takeIn imports an archive into a data folder.
func takeIn(ctx context.Context, file, dir string) error {
	f, err := os.Open(file)
	if err != nil {
		return err
	}
	defer f.Close()
	r, err := relay.Open(ctx, dir, relay.Options{})
	if err != nil {
		return err
	}
	_, err = r.Archives().Import(ctx, f)
	return errors.Join(err, r.Shutdown(ctx))
}
