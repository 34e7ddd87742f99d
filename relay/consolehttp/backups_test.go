package consolehttp_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hearth/relay/console"
	"hearth/relay/consolehttp"
)

// backing is a relay whose backups a test steers.
type backing struct {
	console.Relay
	backups console.Backups
	backUp  func(folder string, progress func(done, total uint64)) (console.Backup, error)
}

func (b backing) Backups(context.Context) (console.Backups, error) { return b.backups, nil }

func (b backing) BackUp(_ context.Context, folder string, progress func(done, total uint64)) (console.Backup, error) {
	return b.backUp(folder, progress)
}

func serveBacking(t *testing.T, b backing) *consolehttp.Client {
	t.Helper()
	s := httptest.NewServer(consolehttp.Handler(b, func(*http.Request) error { return nil }))
	t.Cleanup(s.Close)
	c := consolehttp.NewClient(consolehttp.At(s.URL, ""))
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// What there is of backups is told, field by field, and so are the folder of one
// that is to be made, how far it has come, and what came of it.
func TestBackupsTell(t *testing.T) {
	want, made := filled[console.Backups](), filled[console.Backup]()
	heard := make(chan struct{})
	c := serveBacking(t, backing{backups: want, backUp: func(folder string, progress func(done, total uint64)) (console.Backup, error) {
		if folder != "/a b/ü" {
			t.Errorf("it goes to %q", folder)
		}
		progress(3, 9)
		<-heard
		return made, nil
	}})
	got, err := c.Backups(t.Context())
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	b, err := c.BackUp(t.Context(), "/a b/ü", func(done, total uint64) {
		if done == 3 && total == 9 {
			close(heard)
		}
	})
	if diff := cmp.Diff(made, b); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// Why there is no backup is told, and that another one is being made.
func TestBackupFails(t *testing.T) {
	full := errors.New("the folder is full")
	for _, why := range []error{full, console.ErrBackingUp} {
		c := serveBacking(t, backing{backUp: func(string, func(done, total uint64)) (console.Backup, error) {
			return console.Backup{}, why
		}})
		_, err := c.BackUp(t.Context(), "", nil)
		if err == nil || err.Error() != why.Error() || errors.Is(err, console.ErrBackingUp) != errors.Is(why, console.ErrBackingUp) {
			t.Errorf("%v is told as %v", why, err)
		}
	}
}
