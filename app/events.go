package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"

	"hearth/relay/access"
	"hearth/relay/reflex"
	"hearth/relay/reflex/reflexhttp"
)

const (
	// eventsTimeout is how long the relay may take to answer. A body of 16 MiB is
	// written in a second, behind whatever else is being written.
	eventsTimeout = time.Minute

	// maxEventsAnswer bounds what is read of an answer, in bytes: a page has 8 MiB,
	// or one event, which is not larger than 16 MiB.
	maxEventsAnswer = 32 << 20

	// While the relay is away it is looked for again and again, first after the one
	// and then after up to the other: a restart takes a second.
	soonAgain  = 100 * time.Millisecond
	againEvery = 2 * time.Second
)

// eventFlags are those of the commands about events.
type eventFlags struct {
	folderFlag
	Space string `help:"The space." default:"default" placeholder:"SPACE"`
}

// reach returns the relay that runs on the data folder.
func (f eventFlags) reach(ctx context.Context) (*eventRelay, error) {
	folder, err := f.path()
	if err != nil {
		return nil, err
	}
	client, _, err := attachRunning(ctx, folder)
	if err != nil {
		return nil, err
	}
	if client == nil {
		return nil, &hintedError{
			fmt.Errorf("no relay runs on %s", folder),
			`"hearth serve" starts one; --data names another data folder`,
		}
	}
	return &eventRelay{
		folder: folder, space: f.Space,
		http: http.Client{
			// Neither a proxy nor whoever a redirect names may see the token.
			Transport:     new(http.Transport),
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		told: os.Stderr,
	}, client.Close()
}

// eventRelay is the relay that runs on a data folder, as who publishes and follows
// events meets it. It may stop and start meanwhile.
type eventRelay struct {
	folder, space string
	http          http.Client
	told          io.Writer // who hears that the relay is away
}

// close frees the connections.
func (r *eventRelay) close() { r.http.CloseIdleConnections() }

// awayError says that the relay does not answer.
type awayError struct{ err error }

func (e *awayError) Error() string { return fmt.Sprintf("the relay does not answer: %v", e.err) }
func (e *awayError) Unwrap() error { return e.err }

// find returns where the relay is now, and what shows that its owner asks. The error
// is an *awayError, or says what keeps it from being looked up.
func (r *eventRelay) find() (at string, header http.Header, err error) {
	run, err := readRunFile(r.folder)
	if err != nil {
		return "", nil, err
	}
	if run == nil {
		return "", nil, &awayError{errNotRunning}
	}
	return run.URL + reflexhttp.Prefix, http.Header{
		"Authorization":    {"Bearer " + run.Token},
		access.SpaceHeader: {r.space},
	}, nil
}

var errNotRunning = errors.New("it does not run")

// ask makes a request and returns the answer. The error is an *awayError, or the
// relay's *reflex.Rejection, or says what is wrong with the answer.
func (r *eventRelay) ask(ctx context.Context, method, path string, body []byte) (answer []byte, header http.Header, err error) {
	ctx, cancel := context.WithTimeout(ctx, eventsTimeout)
	defer cancel()
	at, shown, err := r.find()
	if err != nil {
		return nil, nil, err
	}
	request, err := http.NewRequestWithContext(ctx, method, at+path, bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	request.Header = shown
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := r.http.Do(request)
	if err != nil {
		return nil, nil, &awayError{plainly(err)}
	}
	defer response.Body.Close()
	answer, err = io.ReadAll(io.LimitReader(response.Body, maxEventsAnswer+1))
	switch {
	case err != nil:
		return nil, nil, &awayError{err}
	case len(answer) > maxEventsAnswer:
		return nil, nil, errors.New("the relay's answer is larger than any that is known")
	case response.StatusCode/100 != 2:
		return nil, nil, rejectionIn(response.Status, answer)
	}
	return answer, response.Header, nil
}

// plainly leaves out what a request's error says of the request.
func plainly(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
}

// rejectionIn returns the rejection in an answer. Who has the port of a relay that died
// answers something else.
func rejectionIn(status string, answer []byte) error {
	var refused struct {
		Detail *reflex.Rejection `json:"detail"`
	}
	if err := json.Unmarshal(answer, &refused); err != nil || refused.Detail == nil {
		return &awayError{fmt.Errorf("something else answers there, with %s", status)}
	}
	return refused.Detail
}

// passes says whether an error may have gone when the same is asked again.
func passes(err error) bool {
	if _, away := errors.AsType[*awayError](err); away {
		return true
	}
	refused, ok := errors.AsType[*reflex.Rejection](err)
	if !ok {
		return false
	}
	switch refused.Type {
	case reflex.Busy, reflex.RateLimited:
		return true
	case reflex.Unauthorized: // it has started anew since it was looked for
		return true
	default:
		return false
	}
}

// persist does something again and again until it works, fails for good, or ctx ends.
// That the relay is away is told once, and so is that it is back.
func (r *eventRelay) persist(ctx context.Context, do func() error) error {
	told := false
	for pause := soonAgain; ; pause = min(2*pause, againEvery) {
		err := do()
		switch {
		case err == nil || !passes(err):
			if told && err == nil {
				fmt.Fprintln(r.told, "hearth: the relay is back")
			}
			return err
		case ctx.Err() != nil:
			return ctx.Err()
		case !told && pause > soonAgain: // else it may be back before anybody has read it
			told = true
			fmt.Fprintf(r.told, "hearth: %v; trying again until it does\n", err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// streamPath returns the path of something about a stream.
func streamPath(stream, what string) string {
	return "/streams/" + url.PathEscape(stream) + "/" + what
}

// refusal makes of a rejection what a person reads: every place that something is wrong
// with, or else its message, and what to do.
func refusal(err error) error {
	refused, ok := errors.AsType[*reflex.Rejection](err)
	if !ok {
		return err
	}
	text := refused.Message
	if len(refused.Errors) > 0 {
		var places []string
		for _, wrong := range refused.Errors {
			places = append(places, wrong.Error())
		}
		text = strings.Join(places, "\n        ")
	}
	err = errors.New(text)
	switch refused.Type {
	case reflex.InvalidState:
		return &hintedError{err, `"hearth streams" lists the streams; publish to another one`}
	case reflex.StorageFull:
		return &hintedError{err, `free some room on the relay's disk; "hearth status" says how much there is`}
	default:
		return err
	}
}
