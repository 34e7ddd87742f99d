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

const (
	// maxVerifications is how many checks may go on at once: each reads everything.
	maxVerifications = 1

	// roomPause is how long a check waits for the one before it: whoever ended that
	// may begin anew before the relay has heard of the end.
	roomPause = time.Second
)

// VerificationLine is a line of the answer to /admin/verify: how far the check has
// come, and in the last one what it came to, or why it came to nothing.
type VerificationLine struct {
	Done         uint64        `json:"done"`
	Total        uint64        `json:"total"`
	Verification *Verification `json:"verification,omitempty"`
	Refusal      *Refusal      `json:"refusal,omitempty"`
}

// Verification is console.Verification in JSON.
type Verification struct {
	Sound   bool          `json:"sound"`
	Streams int           `json:"streams"`
	Entries uint64        `json:"entries"`
	Bytes   uint64        `json:"bytes"`
	Took    time.Duration `json:"took_ns"`
	Whole   bool          `json:"whole"`
	Damaged []Damage      `json:"damaged"`
	Faults  []string      `json:"faults"`
}

// VerificationOf puts a verification into its JSON form.
func VerificationOf(v console.Verification) Verification {
	return Verification{
		v.Sound(), v.Streams, v.Entries, v.Bytes, v.Took, v.Whole, mapped(v.Damaged, DamageOf), texts(v.Faults),
	}
}

// Console returns the verification that v is the JSON form of.
func (v Verification) Console() console.Verification {
	if len(v.Faults) == 0 {
		v.Faults = nil
	}
	return console.Verification{
		Streams: v.Streams, Entries: v.Entries, Bytes: v.Bytes, Took: v.Took, Whole: v.Whole,
		Damaged: listed(v.Damaged, Damage.Console), Faults: v.Faults,
	}
}

// verifier answers with the lines of checks.
type verifier struct {
	console console.Relay
	only    console.StreamRef
	room    chan struct{}
}

// ServeHTTP implements [http.Handler]. The check ends when nobody listens any more.
func (v verifier) ServeHTTP(w http.ResponseWriter, r *http.Request) {
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
		refuse(w, busy("everything is being checked already: try again when that is over"))
		return
	case <-ctx.Done():
		return
	}
	far := make(chan VerificationLine, 1) // the latest that nobody has written
	over := make(chan VerificationLine, 1)
	go func() {
		last := v.verify(ctx, far)
		<-v.room // before the client hears that the check is over, and begins the next
		over <- last
	}()
	w.Header().Set("Content-Type", "application/x-ndjson")
	beats := time.NewTicker(beat)
	defer beats.Stop()
	var line VerificationLine
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

// verify makes the check and returns its last line.
func (v verifier) verify(ctx context.Context, far chan VerificationLine) VerificationLine {
	checked, err := v.console.Verify(ctx, v.only, func(done, total uint64) {
		select {
		case <-far:
		default:
		}
		far <- VerificationLine{Done: done, Total: total}
	})
	switch {
	case errors.Is(err, console.ErrNotFound):
		return VerificationLine{Refusal: noSuchThing}
	case err != nil:
		return VerificationLine{Refusal: &Refusal{Code: "internal", Message: err.Error()}}
	}
	return VerificationLine{Verification: new(VerificationOf(checked))}
}

func writeLine(w http.ResponseWriter, line VerificationLine) error {
	text, err := json.Marshal(line)
	if err != nil {
		return err
	}
	return write(w, string(text)+"\n")
}

// Verify implements [console.Relay].
func (c *Client) Verify(ctx context.Context, only console.StreamRef, progress func(done, total uint64)) (console.Verification, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	alive := time.AfterFunc(silence, cancel)
	defer alive.Stop()
	what := "verify"
	if only != (console.StreamRef{}) {
		what += "?" + of(only).Encode()
	}
	response, err := c.ask(ctx, http.MethodPost, what, nil)
	if err != nil {
		return console.Verification{}, err
	}
	defer response.Body.Close()
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, maxAnswer) // the last line lists the damage
	for ; lines.Scan(); alive.Reset(silence) {
		line, err := decoded[VerificationLine](lines.Bytes(), nil)
		switch {
		case err != nil:
			return console.Verification{}, err
		case line.Verification != nil:
			return line.Verification.Console(), nil
		case line.Refusal != nil && line.Refusal.Code == noSuchThing.Code:
			return console.Verification{}, fmt.Errorf("%w: %w", console.ErrNotFound, line.Refusal)
		case line.Refusal != nil:
			return console.Verification{}, line.Refusal
		case progress != nil:
			progress(line.Done, line.Total)
		}
	}
	if err := lines.Err(); err != nil {
		return console.Verification{}, err
	}
	return console.Verification{}, errors.New("the relay stopped before it had checked everything")
}
