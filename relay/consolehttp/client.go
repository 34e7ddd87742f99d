package consolehttp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"hearth/relay/console"
)

const (
	// maxAnswer bounds what is read of an answer, in bytes. The largest is that
	// of an entry, which has to fit into a body of 16 MiB.
	maxAnswer = 16 << 20

	// answerTimeout is how long a whole answer may take. It comes from the same
	// machine and from memory or an index, so more than this is a relay that hangs.
	answerTimeout = 10 * time.Second
)

// Client looks at a relay in another process through its Handler. Its methods
// are those of console.Relay, but for Changes: whoever looks once needs none.
// Their errors are *Refusal, console.ErrNotFound, or a failure to get an answer.
type Client struct {
	url   string
	token string
	http  http.Client
}

// NewClient returns a client of the relay at a URL, such as
// http://127.0.0.1:2451, which it shows the owner's token. Close it after use.
func NewClient(url, token string) *Client {
	return &Client{url: url, token: token, http: http.Client{
		// Neither a proxy nor whoever a redirect names may see the token.
		Transport:     &http.Transport{},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Timeout:       answerTimeout,
	}}
}

// Close frees the client's connections.
func (c *Client) Close() error {
	c.http.CloseIdleConnections()
	return nil
}

// Overview is that of console.Relay.
func (c *Client) Overview(ctx context.Context) (console.Overview, error) {
	o, err := get[Overview](ctx, c, "overview", nil)
	return o.Console(), err
}

// Streams is that of console.Relay. It lists at most a thousand.
func (c *Client) Streams(ctx context.Context, after console.StreamRef, limit int) ([]console.Stream, error) {
	streams, err := get[[]Stream](ctx, c, "streams", url.Values{
		"after_space": {after.Space}, "after_name": {after.Name}, "limit": {strconv.Itoa(min(limit, maxLimit))},
	})
	return mapped(streams, Stream.Console), err
}

// Stream is that of console.Relay.
func (c *Client) Stream(ctx context.Context, ref console.StreamRef) (console.Stream, error) {
	s, err := get[Stream](ctx, c, "stream", url.Values{"space": {ref.Space}, "name": {ref.Name}})
	return s.Console(), err
}

// Entries is that of console.Relay. It lists at most a thousand.
func (c *Client) Entries(ctx context.Context, ref console.StreamRef, before uint64, limit int) ([]console.Entry, error) {
	entries, err := get[[]Entry](ctx, c, "entries", url.Values{
		"space": {ref.Space}, "name": {ref.Name},
		"before": {strconv.FormatUint(before, 10)}, "limit": {strconv.Itoa(min(limit, maxLimit))},
	})
	return mapped(entries, Entry.Console), err
}

// EntryData is that of console.Relay.
func (c *Client) EntryData(ctx context.Context, ref console.StreamRef, position uint64) ([]byte, error) {
	return c.fetch(ctx, "entry", url.Values{
		"space": {ref.Space}, "name": {ref.Name}, "position": {strconv.FormatUint(position, 10)},
	})
}

// Refusals is that of console.Relay.
func (c *Client) Refusals(ctx context.Context) ([]console.Refusal, error) {
	refusals, err := get[[]Refused](ctx, c, "refusals", nil)
	return mapped(refusals, Refused.Console), err
}

// get asks for something in JSON.
func get[T any](ctx context.Context, c *Client, what string, q url.Values) (T, error) {
	var answer T
	body, err := c.fetch(ctx, what, q)
	if err != nil {
		return answer, err
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return *new(T), fmt.Errorf("the answer from %s cannot be read: %w", c.url, err)
	}
	return answer, nil
}

// fetch asks for something and returns the answer's body.
func (c *Client) fetch(ctx context.Context, what string, q url.Values) (body []byte, err error) {
	address := c.url + Prefix + what
	if len(q) > 0 {
		address += "?" + q.Encode()
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, http.NoBody)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+c.token)
	response, err := c.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, response.Body.Close()) }()
	body, err = io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	if err != nil {
		return nil, err
	}
	if len(body) > maxAnswer {
		return nil, fmt.Errorf("the answer from %s is larger than %d bytes", c.url, maxAnswer)
	}
	if response.StatusCode != http.StatusOK {
		return nil, refused(response.StatusCode, body)
	}
	return body, nil
}

// refused reads the body of a refusal.
func refused(status int, body []byte) error {
	refusal := &Refusal{Status: status}
	if json.Unmarshal(body, refusal) != nil || refusal.Code == "" {
		refusal.Code, refusal.Message = "unknown", "the answer is none of a relay's: "+http.StatusText(status)
	}
	if refusal.Code == "not_found" {
		return fmt.Errorf("%w: %w", console.ErrNotFound, refusal)
	}
	return refusal
}
