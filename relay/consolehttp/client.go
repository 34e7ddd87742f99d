package consolehttp

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"hearth/relay/console"
)

const (
	// answerTimeout is how long a whole answer may take. It comes from the same
	// machine and from memory or an index, so more than this is a relay that hangs.
	answerTimeout = 10 * time.Second

	// actionTimeout is how long the answer to what does something may take: the
	// self-test listens to the network for seconds, and a change may move the
	// relay to another port.
	actionTimeout = 30 * time.Second
)

// Find says where the relay is, such as http://127.0.0.1:2451, and which token
// makes its owner. It is asked before each request, since a relay that starts
// anew may be elsewhere and has another token.
type Find func() (url, token string, err error)

// At finds a relay that stays where it is.
func At(url, token string) Find {
	return func() (string, string, error) { return url, token, nil }
}

// Client is the console of a relay in another process, through its Handler. The
// errors of its methods are *Refusal, console.ErrNotFound, that of Find, an
// *UnreachableError, or a failure to read the answer.
type Client struct {
	find Find
	http http.Client
}

var _ console.Console = (*Client)(nil)

// NewClient returns a client of the relay that find finds. Close it after use.
func NewClient(find Find) *Client {
	return &Client{find: find, http: http.Client{
		// Neither a proxy nor whoever a redirect names may see the token. Each request
		// has its own connection: of those that are kept some have not been used yet,
		// and a relay that stops would wait for these.
		Transport:     &http.Transport{DisableKeepAlives: true},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Close frees the client's connections.
func (c *Client) Close() error {
	c.http.CloseIdleConnections()
	return nil
}

// Overview implements [console.Relay].
func (c *Client) Overview(ctx context.Context) (console.Overview, error) {
	o, err := get[Overview](ctx, c, "overview", nil)
	return o.Console(), err
}

// Streams implements [console.Relay]. It lists at most a thousand.
func (c *Client) Streams(ctx context.Context, after console.StreamRef, limit int) ([]console.Stream, error) {
	streams, err := get[[]Stream](ctx, c, "streams", url.Values{
		"after_space": {after.Space}, "after_name": {after.Name}, "limit": {atMost(limit)},
	})
	return mapped(streams, Stream.Console), err
}

// Stream implements [console.Relay].
func (c *Client) Stream(ctx context.Context, ref console.StreamRef) (console.Stream, error) {
	s, err := get[Stream](ctx, c, "stream", of(ref))
	return s.Console(), err
}

// Entries implements [console.Relay]. It lists at most a thousand.
func (c *Client) Entries(ctx context.Context, ref console.StreamRef, before uint64, limit int) ([]console.Entry, error) {
	q := of(ref)
	q.Set("before", strconv.FormatUint(before, 10))
	q.Set("limit", atMost(limit))
	entries, err := get[[]Entry](ctx, c, "entries", q)
	return mapped(entries, Entry.Console), err
}

// EntryData implements [console.Relay].
func (c *Client) EntryData(ctx context.Context, ref console.StreamRef, position uint64) ([]byte, error) {
	q := of(ref)
	q.Set("position", strconv.FormatUint(position, 10))
	return c.fetch(ctx, "entry", q)
}

// Epochs implements [console.Relay]. It lists at most a thousand.
func (c *Client) Epochs(ctx context.Context, ref console.StreamRef, limit int) ([]console.EpochStart, error) {
	q := of(ref)
	q.Set("limit", atMost(limit))
	starts, err := get[[]EpochStart](ctx, c, "epochs", q)
	return mapped(starts, EpochStart.Console), err
}

// Check implements [console.Relay].
func (c *Client) Check(ctx context.Context, ref console.StreamRef, cursor string) (console.Verdict, error) {
	q := of(ref)
	q.Set("cursor", cursor)
	v, err := get[Verdict](ctx, c, "check", q)
	return v.Console(), err
}

// Activity implements [console.Relay].
func (c *Client) Activity(ctx context.Context) (console.Activity, error) {
	a, err := get[Activity](ctx, c, "activity", nil)
	return a.Console(), err
}

// Refusals implements [console.Relay].
func (c *Client) Refusals(ctx context.Context) ([]console.Refusal, error) {
	refusals, err := get[[]Refused](ctx, c, "refusals", nil)
	return mapped(refusals, Refused.Console), err
}

// Neighbourhood implements [console.Network].
func (c *Client) Neighbourhood(ctx context.Context) (console.Neighbourhood, error) {
	n, err := get[Neighbourhood](ctx, c, "neighbourhood", nil)
	return n.Console(), err
}

// SelfTest implements [console.Network].
func (c *Client) SelfTest(ctx context.Context) ([]console.Check, error) {
	checks, err := post[[]Check](ctx, c, "selftest", struct{}{})
	return mapped(checks, Check.Console), err
}

// Ask implements [console.Network].
func (c *Client) Ask(ctx context.Context, address string) (console.Check, error) {
	check, err := get[Check](ctx, c, "ask", url.Values{"address": {address}})
	return check.Console(), err
}

// Settings implements [console.Settings].
func (c *Client) Settings(ctx context.Context) (console.Values, error) {
	v, err := get[Values](ctx, c, "settings", nil)
	return v.Console(), err
}

// Change implements [console.Settings].
func (c *Client) Change(ctx context.Context, change console.Change) (string, error) {
	changed, err := post[Changed](ctx, c, "change", ChangeOf(change))
	return changed.Said, err
}

// Log implements [console.Settings].
func (c *Client) Log(ctx context.Context) ([]console.LogLine, error) {
	lines, err := get[[]LogLine](ctx, c, "log", nil)
	return mapped(lines, LogLine.Console), err
}

func of(ref console.StreamRef) url.Values {
	return url.Values{"space": {ref.Space}, "name": {ref.Name}}
}

func atMost(limit int) string { return strconv.Itoa(min(limit, maxLimit)) }
