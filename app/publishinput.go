package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/sync/semaphore"

	"hearth/relay/protocol"
	"hearth/relay/reflex"
)

const (
	// waitingInput and waitingBytes are how many values, and how many bytes of them,
	// are read ahead while others are being published: a few requests' worth.
	waitingInput = 4 * maxTogether
	waitingBytes = 4 * maxTogetherBytes
)

// inputValue is a value of the input: an event, or several that belong together.
type inputValue struct {
	line   int // where it ends, from 1 on; 0 if it was given on the command line
	events []inputEvent
	chain  string // the id of the event that began the chain; empty if each begins its own
	size   int    // in bytes
	err    error  // why it is none; the input is over then
}

// inputEvent is an event with its id.
type inputEvent struct {
	json []byte
	id   string
}

// joins says whether a value may be published together with others: it concerns one
// event alone.
func (v inputValue) joins() bool { return len(v.events) == 1 && v.chain == "" }

// idSource draws ids of events: an event that is published again, since the answer got
// lost, has the same one, and is not written twice. The zero value is ready to use.
type idSource struct {
	run  string
	last int
}

func (s *idSource) next() string {
	if s.run == "" {
		s.run = rand.Text()
	}
	s.last++
	return fmt.Sprintf("%s.%d", s.run, s.last)
}

// valueOf reads a value of the input. The error is a *reflex.Rejection.
func (s *idSource) valueOf(text []byte) (v inputValue, err error) {
	p, err := reflex.DecodePublication(slices.Clone(text))
	if err != nil {
		return inputValue{}, err
	}
	v = inputValue{chain: p.CorrelationID, size: len(text)}
	for _, e := range p.Events {
		if e.ID == "" {
			e.ID = s.next()
		}
		v.events = append(v.events, inputEvent{json: e.Event.JSON, id: e.ID})
	}
	return v, nil
}

// input is where values come from.
type input struct {
	values chan inputValue // closed behind the last
	room   *semaphore.Weighted
}

// release says that a value is done with.
func (in *input) release(v inputValue) { in.room.Release(v.takes()) }

// takes is how much of the room for values that wait a value takes.
func (v inputValue) takes() int64 { return int64(min(v.size, waitingBytes)) }

// readInput reads the values of an input, one behind the other with or without line
// breaks, for as long as there are any, ctx has not ended and none is wrong.
func readInput(ctx context.Context, from io.Reader) *input {
	in := &input{values: make(chan inputValue, waitingInput), room: semaphore.NewWeighted(waitingBytes)}
	go func() {
		defer close(in.values)
		var ids idSource
		lines := &lineCounter{from: from}
		d := jsontext.NewDecoder(lines)
		for {
			lines.most = d.InputOffset() + protocol.MaxBody
			text, err := d.ReadValue()
			if errors.Is(err, io.EOF) {
				return
			}
			at := d.InputOffset()
			if wrong, ok := errors.AsType[*jsontext.SyntacticError](err); ok {
				at, err = wrong.ByteOffset, fmt.Errorf("this is no JSON: %w", wrong.Err)
			} else if errors.Is(err, errEndless) {
				err = errEndless
			}
			var v inputValue
			if err == nil {
				v, err = ids.valueOf(text)
			}
			if err != nil {
				v = inputValue{err: err}
			}
			v.line = lines.upTo(at)
			if in.room.Acquire(ctx, v.takes()) != nil {
				return
			}
			select {
			case in.values <- v:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	return in
}

// errEndless says that a value of the input is longer than any that the relay takes.
var errEndless = fmt.Errorf("what begins behind this does not end within %d bytes, which is the most that can be published together", protocol.MaxBody)

// lineCounter knows at which line something stands of what was read through it. It
// reads no further than to what would have to be kept for a value without end.
type lineCounter struct {
	from  io.Reader
	most  int64   // bytes that are read until the next value is there
	read  int64   // bytes
	ends  []int64 // where lines end that upTo has not passed
	lines int     // that it has
}

func (c *lineCounter) Read(p []byte) (int, error) {
	if c.read >= c.most {
		return 0, errEndless
	}
	n, err := c.from.Read(p)
	for at, rest := c.read, p[:n]; ; {
		i := bytes.IndexByte(rest, '\n')
		if i < 0 {
			break
		}
		at, rest = at+int64(i)+1, rest[i+1:]
		c.ends = append(c.ends, at)
	}
	c.read += int64(n)
	return n, err
}

// upTo returns the line at an offset, from 1 on. Offsets only rise.
func (c *lineCounter) upTo(offset int64) int {
	passed := 0
	for passed < len(c.ends) && c.ends[passed] <= offset {
		passed++
	}
	c.ends = c.ends[passed:]
	c.lines += passed
	return c.lines + 1
}
