package consolehttp

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"hearth/relay/console"
)

// roomPause is how long a work waits for the one before it: whoever ended that
// may begin anew before the relay has heard of the end.
const roomPause = time.Second

// work is something that takes as long as reading everything does. What it returns
// is in its JSON form.
type work[T any] func(ctx context.Context, progress func(done, total uint64)) (T, error)

// WorkLine is a line of the answer to /admin/verify and /admin/backup: how far it
// has come, and in the last line what it came to, or why it came to nothing.
type WorkLine[T any] struct {
	Done    uint64   `json:"done"`
	Total   uint64   `json:"total"`
	Result  *T       `json:"result,omitempty"`
	Refusal *Refusal `json:"refusal,omitempty"`
}

// worker answers with the lines of a work.
type worker[T any] struct {
	work  work[T]
	room  chan struct{} // for as many as may go on at once
	taken *Refusal      // while there is none
}

// ServeHTTP implements [http.Handler]. The work ends when nobody listens any more.
func (v worker[T]) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	// As long as there is a body to read, nobody hears that the client is gone.
	if _, err := io.Copy(io.Discard, http.MaxBytesReader(w, r.Body, maxChange)); err != nil {
		refuse(w, badRequest("the body cannot be read: %v", err))
		return
	}
	select {
	case v.room <- struct{}{}:
	case <-time.After(roomPause):
		refuse(w, v.taken)
		return
	case <-ctx.Done():
		return
	}
	far := make(chan WorkLine[T], 1) // the latest that nobody has written
	over := make(chan WorkLine[T], 1)
	go func() {
		last := v.do(ctx, far)
		<-v.room // before the client hears that it is over, and begins the next
		over <- last
	}()
	w.Header().Set("Content-Type", "application/x-ndjson")
	beats := time.NewTicker(beat)
	defer beats.Stop()
	var line WorkLine[T]
	for {
		select {
		case last := <-over:
			last.Done, last.Total = line.Done, line.Total
			_ = writeLine(w, last) // whoever is gone needs no answer
			return
		case line = <-far:
		case <-beats.C:
		}
		if writeLine(w, line) != nil {
			cancel()
			<-over
			return
		}
		select {
		case <-time.After(changePause):
		case last := <-over:
			over <- last
		}
	}
}

// do does the work and returns its last line.
func (v worker[T]) do(ctx context.Context, far chan WorkLine[T]) WorkLine[T] {
	result, err := v.work(ctx, func(done, total uint64) {
		select {
		case <-far:
		default:
		}
		far <- WorkLine[T]{Done: done, Total: total}
	})
	refusal, refused := errors.AsType[*Refusal](err)
	switch {
	case err == nil:
		return WorkLine[T]{Result: &result}
	case refused:
		return WorkLine[T]{Refusal: refusal}
	case errors.Is(err, console.ErrNotFound):
		return WorkLine[T]{Refusal: noSuchThing}
	default:
		return WorkLine[T]{Refusal: &Refusal{Code: "internal", Message: err.Error()}}
	}
}

func writeLine[T any](w http.ResponseWriter, line WorkLine[T]) error {
	text, err := json.Marshal(line)
	if err != nil {
		return err
	}
	return write(w, string(text)+"\n")
}

// watch has a work done and reads its lines.
func watch[T any](ctx context.Context, c *Client, what string, progress func(done, total uint64)) (result T, err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	alive := time.AfterFunc(silence, cancel)
	defer alive.Stop()
	response, err := c.ask(ctx, http.MethodPost, what, nil)
	if err != nil {
		return result, err
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, maxAnswer) // the last line may list many streams
	for ; lines.Scan(); alive.Reset(silence) {
		line, err := decoded[WorkLine[T]](lines.Bytes(), nil)
		switch {
		case err != nil:
			return result, err
		case line.Result != nil:
			return *line.Result, nil
		case line.Refusal != nil && line.Refusal.Code == noSuchThing.Code:
			return result, fmt.Errorf("%w: %w", console.ErrNotFound, line.Refusal)
		case line.Refusal != nil:
			return result, line.Refusal
		case progress != nil:
			progress(line.Done, line.Total)
		}
	}
	if err := lines.Err(); err != nil {
		return result, err
	}
	return result, errors.New("the relay stopped before it was done")
}
