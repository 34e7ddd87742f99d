package relay

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"hearth/relay/guard"
	"hearth/relay/protocol"
)

const (
	// headerTime is how long a client may take to send its request's headers.
	headerTime = 10 * time.Second

	// idleTime is how long a connection may rest between two requests: longer
	// than the longest wait, so that a client that waits again and again keeps
	// its connection.
	idleTime = 2 * time.Minute

	// maxHeader is how many bytes of headers a request may have: a wait on 64
	// streams with cursors takes 12 kB, and net/http adds 4 kB to this.
	maxHeader = 32 << 10

	// drainTime is how long a stop lets requests that are under way come to
	// their end. Waits are answered at once; what is left after this are clients
	// that stall.
	drainTime = 3 * time.Second
)

// Serve serves clients who come through l until that is closed, or until
// Shutdown. It may serve several listeners at once. The error is nil when l was
// closed or the relay shut down.
func (r *Relay) Serve(l net.Listener) error {
	server := &http.Server{
		Handler:                      r,
		DisableGeneralOptionsHandler: true, // it would answer OPTIONS * without a word
		ReadHeaderTimeout:            headerTime,
		IdleTimeout:                  idleTime,
		MaxHeaderBytes:               maxHeader,
		ErrorLog:                     slog.NewLogLogger(r.options.Logger.Handler(), slog.LevelDebug), // clients' odd manners
	}
	if !r.enlist(l, server) {
		return l.Close()
	}
	defer r.dismiss(l)
	err := server.Serve(guard.Listener(l))
	if errors.Is(err, net.ErrClosed) || errors.Is(err, http.ErrServerClosed) {
		return nil
	}
	return fmt.Errorf("serving at %s: %w", l.Addr(), err)
}

// enlist remembers a server for Shutdown, unless that has begun.
func (r *Relay) enlist(l net.Listener, s *http.Server) bool {
	r.serving.Lock()
	defer r.serving.Unlock()
	if r.closing.Load() {
		return false
	}
	r.servers[l] = s
	return true
}

// dismiss ends a server whose listener is closed, when the last of its clients is
// answered: who waits on it may do so as long as a wait takes.
func (r *Relay) dismiss(l net.Listener) {
	r.serving.Lock()
	server := r.servers[l]
	r.serving.Unlock()
	stop(context.Background(), server, protocol.MaxWait+drainTime)
	r.serving.Lock()
	delete(r.servers, l)
	r.serving.Unlock()
}

// Shutdown stops the relay: waits are answered, requests under way come to their
// end if they do so soon, everything is folded into the one file of the database
// and the folder is let go. It takes no longer than drainTime, or ctx if that is
// over sooner, and the store's last commit.
func (r *Relay) Shutdown(ctx context.Context) error {
	r.serving.Lock()
	begun := r.closing.Swap(true)
	servers := slices.Collect(maps.Values(r.servers))
	r.serving.Unlock()
	if begun {
		return nil
	}
	r.end()
	r.hub.Close()
	var stopping sync.WaitGroup
	for _, s := range servers {
		stopping.Go(func() { stop(ctx, s, drainTime) })
	}
	stopping.Go(func() {
		ctx, cancel := context.WithTimeout(ctx, drainTime)
		defer cancel()
		r.streams.Close(ctx)
	})
	stopping.Go(func() {
		ctx, cancel := context.WithTimeout(ctx, drainTime)
		defer cancel()
		r.events.Close(ctx)
	})
	stopping.Wait()
	r.news.stop()
	r.chores.Wait()
	return errors.Join(r.store.Close(), r.lock.Unlock())
}

// stop ends a server: kindly, and after a time whether its clients are ready or
// not.
func stop(ctx context.Context, s *http.Server, patience time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	if s.Shutdown(ctx) != nil {
		_ = s.Close() // what a stalled client did not take is not the relay's loss
	}
}
