package consolehttp_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hearth/relay/console"
	"hearth/relay/consolehttp"
)

// verifying is a relay whose checks a test steers.
type verifying struct {
	console.Relay
	verify func(ctx context.Context, progress func(done, total uint64)) (console.Verification, error)
}

func (v verifying) Verify(ctx context.Context, _ console.StreamRef, progress func(done, total uint64)) (console.Verification, error) {
	return v.verify(ctx, progress)
}

// serveVerifying shows a relay to whoever asks.
func serveVerifying(t *testing.T, v verifying) *consolehttp.Client {
	t.Helper()
	s := httptest.NewServer(consolehttp.Handler(v, func(*http.Request) error { return nil }))
	t.Cleanup(s.Close)
	c := consolehttp.NewClient(consolehttp.At(s.URL, ""))
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// A check's progress and all that it came to are told, field by field.
func TestVerifyTells(t *testing.T) {
	var want console.Verification
	fill(reflect.ValueOf(&want).Elem())
	heard := make(chan struct{})
	c := serveVerifying(t, verifying{verify: func(_ context.Context, progress func(done, total uint64)) (console.Verification, error) {
		progress(3, 9)
		<-heard
		return want, nil
	}})
	got, err := c.Verify(t.Context(), console.StreamRef{}, func(done, total uint64) {
		if done == 3 && total == 9 {
			close(heard)
		}
	})
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
}

// Why a check came to nothing is told.
func TestVerifyFails(t *testing.T) {
	why := errors.New("the disk is gone")
	c := serveVerifying(t, verifying{verify: func(context.Context, func(done, total uint64)) (console.Verification, error) {
		return console.Verification{}, why
	}})
	if _, err := c.Verify(t.Context(), console.StreamRef{}, nil); err == nil || err.Error() != why.Error() {
		t.Errorf("the error is %v", err)
	}
}

// One check goes on at a time, and it ends when the one who asked is gone.
func TestVerifyOne(t *testing.T) {
	begun, ended := make(chan struct{}, 1), make(chan struct{})
	c := serveVerifying(t, verifying{verify: func(ctx context.Context, _ func(done, total uint64)) (console.Verification, error) {
		begun <- struct{}{}
		<-ctx.Done()
		close(ended)
		return console.Verification{}, ctx.Err()
	}})
	ctx, cancel := context.WithCancel(t.Context())
	gone := make(chan struct{})
	go func() {
		defer close(gone)
		_, _ = c.Verify(ctx, console.StreamRef{}, nil)
	}()
	<-begun
	_, err := c.Verify(t.Context(), console.StreamRef{}, nil)
	if refusal, ok := errors.AsType[*consolehttp.Refusal](err); !ok || refusal.Code != "busy" {
		t.Errorf("a second check: %v", err)
	}
	cancel()
	<-gone
	<-ended
}

// Whoever has the result of a check may begin the next one at once, and so may
// whoever ended one.
func TestVerifyAgain(t *testing.T) {
	begun := make(chan struct{}, 1)
	c := serveVerifying(t, verifying{verify: func(ctx context.Context, _ func(done, total uint64)) (console.Verification, error) {
		begun <- struct{}{}
		return console.Verification{}, ctx.Err()
	}})
	for range 500 {
		if _, err := c.Verify(t.Context(), console.StreamRef{}, nil); err != nil {
			t.Fatal(err)
		}
		<-begun
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error, 1)
		go func() {
			_, err := c.Verify(ctx, console.StreamRef{}, nil)
			ended <- err
		}()
		select {
		case <-begun:
			cancel()
			<-ended
		case err := <-ended: // perhaps so soon that nobody could end it
			cancel()
			if err != nil {
				t.Fatal("the next check did not begin: ", err)
			}
			<-begun
		}
	}
}
