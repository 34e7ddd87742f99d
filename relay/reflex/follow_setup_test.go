package reflex_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"hearth/relay/guard"
	"hearth/relay/reflex"
)

// follower is somebody who follows a stream and keeps all bytes that he takes.
type follower struct {
	*reflex.Subscription
	welcome reflex.Welcome
	taken   []byte
}

// lead puts the length of a frame before it.
func lead(dst []byte, size int) []byte { return append(strconv.AppendInt(dst, int64(size), 10), ':') }

// begin begins to follow a stream.
func (p *place) begin(ctx context.Context, f reflex.Follower) (*follower, error) {
	f.Caller, f.Lead = anna, lead
	if f.Room == nil {
		f.Room = guard.NewBudget(64 << 20)
	}
	f.Hello.Protocol = reflex.Protocol
	s, w, err := p.Follow(ctx, f)
	return &follower{Subscription: s, welcome: w}, err
}

// step takes as much of the next frames as take says, given how many bytes they
// are.
func (f *follower) step(ctx context.Context, take func(int) int) error {
	frames, err := f.Next(ctx)
	if err != nil {
		return err
	}
	n := take(len(frames))
	f.taken = append(f.taken, frames[:n]...)
	f.taken = append(f.taken, f.Taken(n)...)
	return nil
}

// all takes everything.
func all(n int) int { return n }

// until takes all that comes until done says that it is enough.
func (f *follower) until(ctx context.Context, done func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	for !done() {
		select {
		case <-f.News():
		case <-ctx.Done():
			return ctx.Err()
		}
		if err := f.step(ctx, all); err != nil {
			return err
		}
	}
	return nil
}

// frame is any frame that a subscription gives.
type frame struct {
	kind   string
	seq    uint64 // of an event
	upTo   uint64 // of the end of the replay
	cursor string
	event  []byte
}

// frames takes apart what was taken, which has to end with a frame.
func (f *follower) frames() (list []frame, err error) {
	for rest := f.taken; len(rest) > 0; {
		digits, body, ok := bytes.Cut(rest, []byte(":"))
		size, err := strconv.Atoi(string(digits))
		if !ok || err != nil || size > len(body) {
			return nil, fmt.Errorf("no frame: %.80q", rest)
		}
		one, err := takeApart(body[:size])
		if err != nil {
			return nil, err
		}
		list = append(list, one)
		rest = body[size:]
	}
	return list, nil
}

// takeApart takes a frame apart, far quicker than what knows all of JSON.
func takeApart(text []byte) (frame, error) {
	parts := [...]string{`{"type":"event","seq":`, `,"id":`, `,"event":`, `,"cursor":"`}
	if bytes.HasPrefix(text, []byte(`{"type":"replay_complete"`)) {
		var f struct {
			UpTo   uint64 `json:"up_to_seq"`
			Cursor string `json:"cursor"`
		}
		err := json.Unmarshal(text, &f)
		return frame{kind: "replay_complete", upTo: f.UpTo, cursor: f.Cursor}, err
	}
	rest, isEvent := bytes.CutPrefix(text, []byte(parts[0]))
	seq, rest, hasID := bytes.Cut(rest, []byte(parts[1]))
	_, event, hasEvent := bytes.Cut(rest, []byte(parts[2]))
	n, err := strconv.ParseUint(string(seq), 10, 64)
	if !isEvent || !hasID || !hasEvent || err != nil || !bytes.HasSuffix(event, []byte("}")) {
		return frame{}, fmt.Errorf("no frame: %.200q", text)
	}
	f := frame{kind: "event", seq: n, event: bytes.TrimSuffix(event, []byte("}"))}
	if at := bytes.LastIndex(event, []byte(parts[3])); at >= 0 {
		f.event, f.cursor = event[:at], string(event[at+len(parts[3]):len(event)-len(`"}`)])
	}
	return f, nil
}
