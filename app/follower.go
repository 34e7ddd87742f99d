package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/coder/websocket"

	"hearth/relay/reflex"
)

const (
	// maxFrame is the largest frame from the relay, in bytes: that of an opaque entry
	// of 16 MiB, in base64.
	maxFrame = 32 << 20

	// The close codes after which nothing gets better by itself (contract, "Close
	// codes").
	closedBadHello  = 4400
	closedForbidden = 4403

	// welcomeTimeout is how long a relay may take to welcome somebody.
	welcomeTimeout = 30 * time.Second
)

// follower follows a stream and prints its events.
type follower struct {
	relay       *eventRelay
	stream      string
	types       []string // none: all
	once        bool     // whether it stops behind what there is
	withoutData bool
	out         *bufio.Writer

	after   uint64 // the position behind which it goes on
	cursor  string // proves the history that it has seen; empty if it knows none
	waiting bool   // whether it was told that there is nothing yet
	live    bool   // whether events come as they are published
}

// follow follows the stream until ctx ends, or once it has printed what there is.
func (f *follower) follow(ctx context.Context) error {
	for {
		var conn *websocket.Conn
		err := f.relay.persist(ctx, func() (err error) {
			conn, err = f.connect(ctx)
			return err
		})
		if err != nil {
			return err
		}
		done, err := f.listen(ctx, conn)
		_ = conn.Close(websocket.StatusNormalClosure, "") // the other side may be gone
		if err = errors.Join(err, f.out.Flush()); done || (err != nil && !passes(err)) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(soonAgain):
		}
	}
}

// connect opens a live socket and gets its welcome.
func (f *follower) connect(ctx context.Context) (conn *websocket.Conn, err error) {
	ctx, cancel := context.WithTimeout(ctx, welcomeTimeout)
	defer cancel()
	at, shown, err := f.relay.find()
	if err != nil {
		return nil, err
	}
	path := streamPath(f.stream, "live")
	if f.withoutData {
		path += "?data=none"
	}
	conn, response, err := websocket.Dial(ctx, at+path, &websocket.DialOptions{
		HTTPClient: &f.relay.http, HTTPHeader: shown, Subprotocols: []string{reflex.Protocol},
	})
	if err != nil {
		return nil, notOpened(response, err)
	}
	conn.SetReadLimit(maxFrame)
	if err := f.greet(ctx, conn); err != nil {
		_ = conn.CloseNow() // the error says it all
		return nil, err
	}
	return conn, nil
}

// notOpened says why a live socket was not opened.
func notOpened(response *http.Response, err error) error {
	if response == nil || response.Body == nil {
		return &awayError{plainly(err)}
	}
	defer response.Body.Close()
	said, err := io.ReadAll(response.Body) // of which there are a thousand bytes at the most
	if err != nil {
		return &awayError{err}
	}
	return rejectionIn(response.Status, said)
}

// greet says hello, and takes in the welcome.
func (f *follower) greet(ctx context.Context, conn *websocket.Conn) error {
	hello := reflex.Hello{Type: "hello", Protocol: reflex.Protocol, ResumeAfterSeq: &f.after, ResumeCursor: f.cursor}
	if len(f.types) > 0 {
		hello.Types = &f.types
	}
	text, err := json.Marshal(hello)
	if err != nil {
		return err
	}
	if err := conn.Write(ctx, websocket.MessageText, text); err != nil {
		return lost(err)
	}
	_, text, err = conn.Read(ctx)
	if err != nil {
		return lost(err)
	}
	_, err = f.take(text)
	return err
}

// listen takes in frames until the connection ends, and says whether that is all. When
// ctx ends the relay is told so, and nothing more is taken in.
func (f *follower) listen(ctx context.Context, conn *websocket.Conn) (done bool, err error) {
	defer context.AfterFunc(ctx, func() { _ = conn.Close(websocket.StatusNormalClosure, "") })() // it may be gone by now
	for !done && err == nil {
		// A read whose context ends breaks the connection off.
		_, text, lack := conn.Read(context.WithoutCancel(ctx))
		switch {
		case lack != nil:
			return false, lost(lack)
		case ctx.Err() == nil:
			done, err = f.take(text)
		}
	}
	return done, err
}

// lost says what the end of a connection means (contract, "Close codes").
func lost(err error) error {
	closed, ok := errors.AsType[websocket.CloseError](err)
	if ok && (closed.Code == closedBadHello || closed.Code == closedForbidden) {
		return fmt.Errorf("the relay does not let this stream be followed: %s", closed.Reason)
	}
	return &awayError{err}
}

// frame is what is looked at of a frame from the relay.
type frame struct {
	Type    string `json:"type"`
	Seq     uint64 `json:"seq"`
	Cursor  string `json:"cursor"`
	HeadSeq uint64 `json:"head_seq"`
	Reset   bool   `json:"reset"`
	Reason  string `json:"reason"`
	UpToSeq uint64 `json:"up_to_seq"`
	Message string `json:"message"`
}

// take takes a frame in, and says whether everything is printed that is to be.
func (f *follower) take(text []byte) (done bool, err error) {
	var is frame
	if err := json.Unmarshal(text, &is); err != nil {
		return false, fmt.Errorf("the relay sent what is no frame: %w", err)
	}
	switch is.Type {
	case "welcome":
		f.welcomed(is)
	case "event":
		if err := f.print(text, is.Cursor); err != nil {
			return false, err
		}
		f.after = is.Seq
	case "replay_complete":
		f.after = max(f.after, is.UpToSeq)
		f.live = true
	case "error":
		return false, fmt.Errorf("the relay does not understand this program: %s", is.Message)
	}
	if is.Cursor != "" {
		f.cursor = is.Cursor
	}
	if f.live {
		err = f.out.Flush()
	}
	return f.live && f.once, err
}

// welcomed takes in the welcome: the stream may be another one than before.
func (f *follower) welcomed(is frame) {
	f.live = false
	switch {
	case is.Reset:
		fmt.Fprintf(f.relay.told, "hearth: %s; it is followed from its start (%s)\n", f.parted(is), is.Reason)
		f.after, f.cursor = 0, ""
	case is.HeadSeq == 0 && !f.once && !f.waiting:
		fmt.Fprintf(f.relay.told, "hearth: the stream %q is not there yet; waiting for its first event\n", f.stream)
	}
	f.waiting = true
}

// parted says in what the stream is another one than it was known for.
func (f *follower) parted(is frame) string {
	if f.cursor == "" {
		return fmt.Sprintf("the stream %q ends at %d, before position %d", f.stream, is.HeadSeq, f.after)
	}
	return fmt.Sprintf("the stream %q is another one than before, as after the restore of a backup", f.stream)
}

// print prints an event's frame as a line: its envelope, without what makes it a frame.
func (f *follower) print(text []byte, cursor string) error {
	envelope, ok := bytes.CutPrefix(text, []byte(`{"type":"event",`))
	if cursor != "" {
		envelope, ok = bytes.CutSuffix(envelope, []byte(`,"cursor":"`+cursor+`"}`))
	} else {
		envelope = bytes.TrimSuffix(envelope, []byte("}"))
	}
	if !ok {
		return errors.New("the relay sent an event in another form than this program knows")
	}
	for _, part := range [][]byte{{'{'}, envelope, []byte("}\n")} {
		if _, err := f.out.Write(part); err != nil {
			return err
		}
	}
	return nil
}
