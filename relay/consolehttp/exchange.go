package consolehttp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"hearth/relay/console"
)

// maxAnswer bounds what is read of an answer, in bytes. The largest is that of
// an entry, which has to fit into a body of 16 MiB.
const maxAnswer = 16 << 20

// UnreachableError says that nobody answers where the relay should be.
type UnreachableError struct {
	URL string
	Err error
}

func (e *UnreachableError) Error() string { return "nobody answers at " + e.URL }

func (e *UnreachableError) Unwrap() error { return e.Err }

// get asks for something in JSON.
func get[T any](ctx context.Context, c *Client, what string, q url.Values) (T, error) {
	body, err := c.fetch(ctx, what, q)
	return decoded[T](body, err)
}

// post asks for something to be done, and for what came of it in JSON.
func post[T any](ctx context.Context, c *Client, what string, with any) (T, error) {
	ctx, cancel := context.WithTimeout(ctx, actionTimeout)
	defer cancel()
	data, err := json.Marshal(with)
	if err != nil {
		return *new(T), err
	}
	body, err := c.exchange(ctx, http.MethodPost, what, bytes.NewReader(data))
	return decoded[T](body, err)
}

func decoded[T any](body []byte, err error) (T, error) {
	var answer T
	if err != nil {
		return answer, err
	}
	if err := json.Unmarshal(body, &answer); err != nil {
		return *new(T), fmt.Errorf("the relay's answer cannot be read: %w", err)
	}
	return answer, nil
}

// fetch asks for something and returns the answer's body.
func (c *Client) fetch(ctx context.Context, what string, q url.Values) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	if len(q) > 0 {
		what += "?" + q.Encode()
	}
	return c.exchange(ctx, http.MethodGet, what, nil)
}

// exchange makes a request and returns the answer's body.
func (c *Client) exchange(ctx context.Context, method, what string, with io.Reader) (body []byte, err error) {
	response, err := c.ask(ctx, method, what, with)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, response.Body.Close()) }()
	return read(response.Body)
}

// read reads a body that is not larger than any answer.
func read(from io.Reader) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(from, maxAnswer+1))
	if err != nil {
		return nil, err
	}
	if len(body) > maxAnswer {
		return nil, fmt.Errorf("the relay's answer is larger than %d bytes", maxAnswer)
	}
	return body, nil
}

// ask makes a request, with JSON or without a body, and returns the answer, unless
// it is a refusal. Its body must be closed.
func (c *Client) ask(ctx context.Context, method, what string, with io.Reader) (*http.Response, error) {
	return c.send(ctx, method, what, with, "application/json")
}

// send is ask with a body of some type.
func (c *Client) send(ctx context.Context, method, what string, with io.Reader, mediaType string) (*http.Response, error) {
	at, token, err := c.find()
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, method, at+Prefix+what, with)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	if with != nil {
		request.Header.Set("Content-Type", mediaType)
	}
	response, err := c.http.Do(request)
	if err != nil {
		if ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return nil, ctx.Err()
		}
		return nil, &UnreachableError{at, err}
	}
	if response.StatusCode == http.StatusOK {
		return response, nil
	}
	defer response.Body.Close()
	body, err := read(response.Body)
	if err != nil {
		return nil, err
	}
	return nil, refused(response.StatusCode, body)
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
