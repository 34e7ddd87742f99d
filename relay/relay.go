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
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/gofrs/flock"

	"hearth/relay/access"
	"hearth/relay/backup"
	"hearth/relay/console"
	"hearth/relay/consolehttp"
	"hearth/relay/guard"
	"hearth/relay/notify"
	"hearth/relay/protocol"
	"hearth/relay/reflex"
	"hearth/relay/store/sqlite"
	"hearth/relay/streamhttp"
)

// How many bytes are in memory at once on their way in and out. A body that
// finds no room waits unread, and so does a page.
const (
	littleBodies = 32 << 20  // of up to 64 KiB each: thousands of what people write
	largeBodies  = 128 << 20 // eight of the largest
	pages        = 72 << 20  // four being read at once, which takes them milliseconds
	littlePages  = 16 << 20  // of up to 64 KiB each, on their way out: hundreds of the usual ones
	largePages   = 112 << 20 // thirteen of the usual largest, on their way out
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
	dir      string
	options  Options
	lock     *flock.Flock
	identity access.Identity
	token    string
	store    *sqlite.Store
	hub      *notify.Hub
	backups  *backup.Keeper
	seen     *observer
	news     *happenings
	streams  *streamhttp.Handler
	handler  http.Handler
	started  time.Time
	mayOwn   consolehttp.Authorize
	owner    atomic.Pointer[http.Handler] // what the owner sees under /admin
	open     atomic.Bool
	closing  atomic.Bool
	life     context.Context // ends when a stop begins
	end      context.CancelFunc
	chores   sync.WaitGroup            // what goes on beside serving
	checked  atomic.Pointer[time.Time] // when everything was last checked

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

// route puts together the way of a request: the guard, the door, and behind them
// what serves it.
func (r *Relay) route(rules *guard.Guard) http.Handler {
	r.streams = streamhttp.New(streamhttp.Options{
		Store: r.store, Hub: r.hub, Observer: r.seen,
		Bodies: guard.NewLanes(littleBodies, largeBodies), Pages: guard.NewBudget(pages), Sending: guard.NewLanes(littlePages, largePages),
		Metrics: r.seen.metrics.handler(), Closing: r.closing.Load,
	})
	// What is asked of the console is answered in its form, refusals too; they go
	// on record with all others.
	refuse := func(w http.ResponseWriter, q *http.Request, why error) {
		if isOwners(q) {
			consolehttp.Refuse(w, ownersRefusal(r.streams.Record(q, why)))
			return
		}
		r.streams.Refuse(w, q, why)
	}
	r.mayOwn = func(q *http.Request) error {
		if v, ok := access.FromContext(q.Context()); ok && v.Owner {
			return nil
		}
		return ownersRefusal(r.streams.Record(q, errNotOwner))
	}
	door := access.Door{Open: r.open.Load, OwnerToken: r.token}
	behind := http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		if isOwners(q) {
			r.serveOwner(w, q)
			return
		}
		r.streams.ServeHTTP(w, q)
	})
	return rules.Handler(door.Handler(behind, refuse), refuse)
}

// ShowOwner shows the owner, under /admin as package consolehttp does it, c from
// now on: what there is around the relay besides what it knows of itself, which
// is all that it shows before.
func (r *Relay) ShowOwner(c console.Relay) {
	r.owner.Store(new(consolehttp.Handler(c, r.mayOwn)))
}

// serveOwner answers the owner, at the longest until the relay stops: he may
// follow its changes for as long as he likes.
func (r *Relay) serveOwner(w http.ResponseWriter, q *http.Request) {
	ctx, cancel := context.WithCancel(q.Context())
	defer cancel()
	defer context.AfterFunc(r.life, cancel)()
	(*r.owner.Load()).ServeHTTP(w, q.WithContext(ctx))
}

// errNotOwner turns away who is not the relay's owner, or does not say so.
var errNotOwner = &access.UnauthorizedError{
	Reason: "this takes the owner's token: it lies in run.json in the relay's data folder",
}

// isOwners says whether a request is for the owner alone.
func isOwners(q *http.Request) bool { return strings.HasPrefix(q.URL.Path, consolehttp.Prefix) }

// ownersRefusal puts a refusal into the console's form.
func ownersRefusal(p protocol.Problem) *consolehttp.Refusal {
	return &consolehttp.Refusal{Status: p.Code.Status(), Code: string(p.Code), Message: p.Message}
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
