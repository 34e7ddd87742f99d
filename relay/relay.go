// Package relay is Hearth's relay as a library: a place where devices leave
// their changes for each other, in streams of entries that are opaque to it. It
// keeps them in a folder, serves relay protocol v1 over HTTP, and shows a window
// what is in it.
package relay

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"

	"hearth/relay/access"
	"hearth/relay/backup"
	"hearth/relay/consolehttp"
	"hearth/relay/guard"
	"hearth/relay/notify"
	"hearth/relay/reflex"
	"hearth/relay/reflex/reflexhttp"
	"hearth/relay/store/sqlite"
	"hearth/relay/streamhttp"
)

// Options are what a relay may be told. All may be left out.
type Options struct {
	Name    string       // what people call it
	Version string       // the program's
	Logger  *slog.Logger // hears of what is served and of what fails; nobody if nil

	// Hosts are further names and addresses under which clients ask for the
	// relay; this machine's own need not be said. HostNames returns those that
	// change while it runs.
	Hosts     []string
	HostNames func() []string

	// Origins are the web origins whose pages may ask the relay.
	Origins []string

	// TrustedProxies are the addresses of proxies that say in X-Forwarded-For for
	// whom they ask. From others such a header is refused.
	TrustedProxies []netip.Prefix

	// Backups says where backups go and how often; without a folder to one in the
	// data folder.
	Backups backup.Plan

	// Happenings are the kinds of happenings that are told on the streams _relay;
	// none if it is empty.
	Happenings []reflex.HappeningKind
}

// Relay is a running relay. It is an http.Handler; Serve gives it the timeouts
// that it needs on a real network.
type Relay struct {
	dir        string
	options    Options
	lock       *flock.Flock
	identity   access.Identity
	token      string
	store      *sqlite.Store
	hub        *notify.Hub
	backups    *backup.Keeper
	seen       *observer
	seenEvents *eventObserver // of reflexr.v1
	news       *happenings
	streams    *streamhttp.Handler
	events     *reflexhttp.Handler
	handler    http.Handler
	started    time.Time
	mayOwn     consolehttp.Authorize
	owner      atomic.Pointer[http.Handler] // what the owner sees under /admin
	open       atomic.Bool
	closing    atomic.Bool
	life       context.Context // ends when a stop begins
	end        context.CancelFunc
	chores     sync.WaitGroup            // what goes on beside serving
	checked    atomic.Pointer[time.Time] // when everything was last checked

	importing sync.Mutex // held while an archive is imported

	serving sync.Mutex
	servers map[net.Listener]*http.Server
}

// Open starts a relay on the data in a folder, which it makes if there is none.
// The errors: *FolderError, *InUseError, those of [access.OpenIdentity] and of
// [sqlite.Open], of finishing a restore that was cut off, and of [backup.Plan.Check];
// each is a sentence that says what to do, and leaves the data as
// it was. Call Shutdown when done.
func Open(ctx context.Context, dir string, o Options) (_ *Relay, err error) {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if err := planIn(dir, o.Backups).Check(); err != nil {
		return nil, err
	}
	r := &Relay{
		dir: dir, options: o, hub: new(notify.Hub), token: access.NewOwnerToken(), started: time.Now(),
		servers: make(map[net.Listener]*http.Server),
	}
	if r.lock, err = openFolder(ctx, dir); err != nil {
		return nil, err
	}
	r.life, r.end = context.WithCancel(context.Background())
	defer func() {
		if err != nil {
			r.end()
			err = errors.Join(err, r.lock.Unlock())
		}
	}()
	if _, err := finishRestore(dir); err != nil {
		return nil, err
	}
	if err := dropSpool(dir); err != nil {
		return nil, &FolderError{Dir: dir, Err: err}
	}
	if r.identity, err = access.OpenIdentity(filepath.Join(dir, identityFile)); err != nil {
		return nil, err
	}
	rules, err := guard.New(guard.Rules{
		Hosts: o.Hosts, HostNames: o.HostNames, Origins: o.Origins, TrustedProxies: o.TrustedProxies,
	})
	if err != nil {
		return nil, err
	}
	r.news = newHappenings(o.Happenings, func() uint64 { return diskFree(dir) }, o.Logger)
	r.store, err = sqlite.Open(ctx, filepath.Join(dir, databaseFile), sqlite.Options{Publish: r.moved, Logger: o.Logger})
	if err != nil {
		return nil, err
	}
	r.news.store = r.store
	r.seen = &observer{logger: o.Logger, metrics: newMetrics(), nudge: r.hub.Nudge, news: r.news}
	r.seenEvents = &eventObserver{observer: r.seen}
	r.seen.metrics.watch(r)
	r.handler = r.route(rules)
	r.backups = newKeeper(dir, r.store, r.ID(), o, r.hub.Nudge)
	r.backups.Ended = r.tellBackup
	r.ShowOwner(r.Console())
	r.chores.Go(r.keepChecking)
	r.chores.Go(func() { r.backups.Run(r.life) })
	r.chores.Go(r.news.run)
	return r, nil
}

// ServeHTTP implements [http.Handler].
func (r *Relay) ServeHTTP(w http.ResponseWriter, q *http.Request) { r.handler.ServeHTTP(w, q) }

// ID returns the relay's id, in lowercase hexadecimal.
func (r *Relay) ID() string { return r.identity.RelayID() }

// OwnerToken returns what the owner's commands on this machine show: it holds for
// this run of the relay.
func (r *Relay) OwnerToken() string { return r.token }

// SetOpen lets visitors from the network in without keys, or keeps them out.
func (r *Relay) SetOpen(open bool) {
	if r.open.Swap(open) != open {
		r.hub.Nudge()
	}
}
