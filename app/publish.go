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
	"os"
	"strings"

	"hearth/relay/reflex"
	"hearth/relay/store"
)

const (
	// maxTogether and maxTogetherBytes are how many events, and how many bytes of
	// them, one request carries: what makes a commit is shared by many then, and
	// the first ones need not wait for the last.
	maxTogether      = 1000
	maxTogetherBytes = 1 << 20
)

type publishCommand struct {
	eventFlags
	Stream string `arg:"" name:"stream" help:"The stream to publish to. The first event makes it."`
	Event  string `arg:"" name:"json" help:"The event as JSON, or - to read events from standard input."`
	ID     string `help:"The event's id: an event with an id that is in the stream already is not published again." placeholder:"ID"`
	JSON   bool   `help:"Print JSON, a line an event."`
}

// Help is what --help says beyond the flags.
func (publishCommand) Help() string {
	return `Publishes events through the relay that runs on the data folder. An event is a JSON object with a type; {"event": …, "id": …} gives it an id as well, and {"events": [{"event": …}, …]} is several that are published together or not at all.

Standard input holds any number of those, one behind the other, with line breaks between them or without. They are published in their order and as they come. If the relay goes away meanwhile, it is waited for; no event is published twice. The first one that is refused ends it: what stands before it is published, and nothing behind it.

Each event is answered with a line when it is safe on the disk: its position, its id, and "duplicate" if an event with that id was there before. The exit code is 0 if all are published.

Examples:

  hearth publish doorbell '{"type": "pressed", "door": "front"}'
  hearth publish doorbell '{"type": "pressed"}' --id press-17
  sensors --ndjson | hearth publish climate -`
}

// Run publishes.
func (c publishCommand) Run(ctx context.Context, out io.Writer) error {
	relay, err := c.reach(ctx)
	if err != nil {
		return err
	}
	defer relay.close()
	p := &publisher{relay: relay, stream: c.Stream, out: bufio.NewWriter(out), json: c.JSON}
	if c.Event == standardStream {
		if c.ID != "" {
			return &hintedError{
				errors.New("--id is for one event, not for all that standard input holds"),
				`give each its own there: {"event": …, "id": …}`,
			}
		}
		ctx, cancel := context.WithCancel(ctx)
		defer cancel()
		return p.publishAll(ctx, readInput(ctx, os.Stdin))
	}
	v, err := c.value()
	if err != nil {
		return &hintedError{refusal(err), `an event is a JSON object with a type: {"type": "pressed", "door": "front"}`}
	}
	return p.publish(ctx, []inputValue{v})
}

// value returns what the command line says is to be published.
func (c publishCommand) value() (inputValue, error) {
	v, err := new(idSource).valueOf([]byte(c.Event))
	if err != nil || c.ID == "" {
		return v, err
	}
	if len(v.events) != 1 {
		return v, errors.New("--id is for one event")
	}
	v.events[0].id = c.ID
	return v, nil
}

// publisher publishes to a stream and prints what came of it.
type publisher struct {
	relay  *eventRelay
	stream string
	out    *bufio.Writer
	json   bool
	count  uint64 // of events that are published
}

// publishAll publishes what an input holds: what is there at the moment together.
func (p *publisher) publishAll(ctx context.Context, in *input) error {
	var next *inputValue // taken from the input, but not part of what went before
	for {
		var together []inputValue
		switch {
		case next != nil:
			together, next = []inputValue{*next}, nil
		default:
			select {
			case v, ok := <-in.values:
				if !ok {
					return ctx.Err()
				}
				together = []inputValue{v}
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		if err := together[0].err; err != nil {
			return p.wrong(together[0], err)
		}
		if together[0].joins() {
			together, next = gather(in, together)
		}
		if err := p.publish(ctx, together); err != nil {
			return err
		}
		for _, v := range together {
			in.release(v)
		}
	}
}

// gather adds to a value what is there already and can go with it. next is what was
// taken, but cannot.
func gather(in *input, together []inputValue) (_ []inputValue, next *inputValue) {
	size := together[0].size
	for len(together) < maxTogether {
		select {
		case v, ok := <-in.values:
			if !ok {
				return together, nil
			}
			if size += v.size; v.err != nil || !v.joins() || size > maxTogetherBytes {
				return together, &v
			}
			together = append(together, v)
		default:
			return together, nil
		}
	}
	return together, nil
}

// publish publishes values in one request. If that is refused, the first one that is
// to blame is found, and what stands before it is published.
func (p *publisher) publish(ctx context.Context, values []inputValue) error {
	var answer []byte
	err := p.relay.persist(ctx, func() (err error) {
		answer, _, err = p.relay.ask(ctx, http.MethodPost, streamPath(p.stream, "events"), body(values))
		return err
	})
	if _, refused := errors.AsType[*reflex.Rejection](err); refused && len(values) > 1 {
		half := len(values) / 2
		if err := p.publish(ctx, values[:half]); err != nil {
			return err
		}
		return p.publish(ctx, values[half:])
	}
	if err != nil {
		return p.wrong(values[0], err)
	}
	return p.print(answer)
}

// body renders the body of a request that publishes values.
func body(values []inputValue) []byte {
	b := []byte(`{"events":[`)
	for _, v := range values {
		for _, e := range v.events {
			b = append(append(b, `{"event":`...), e.json...)
			b = append(store.AppendID(append(b, `,"id":`...), e.id), `},`...)
		}
	}
	b = append(bytes.TrimSuffix(b, []byte(",")), ']')
	if chain := values[0].chain; chain != "" {
		b = store.AppendID(append(b, `,"correlation_id":`...), chain)
	}
	return append(b, '}')
}

// wrong says what is wrong with a value, and what became of those before it.
func (p *publisher) wrong(v inputValue, err error) error {
	if refused, ok := errors.AsType[*reflex.Rejection](err); ok && v.err == nil && v.joins() {
		unwrap(refused)
	}
	if v.line == 0 {
		return refusal(err)
	}
	if _, refused := errors.AsType[*reflex.Rejection](err); !refused && v.err == nil {
		return err
	}
	said := refusal(err)
	err = fmt.Errorf("line %d: %w", v.line, said)
	hint := "nothing was published before it"
	if p.count > 0 {
		hint = count(p.count, "event before it is published", "events before it are published") + "; what stands behind it is not"
	}
	if todo := hintOf(said); todo != "" {
		hint += "\n        " + todo
	}
	return &hintedError{err, hint}
}

// unwrap takes away what leads from the body of a request to its only event: that is
// ours, not the person's.
func unwrap(refused *reflex.Rejection) {
	for i, wrong := range refused.Errors {
		if len(wrong.Loc) >= 3 && wrong.Loc[0] == "events" && wrong.Loc[2] == "event" {
			refused.Errors[i].Loc = wrong.Loc[3:]
		}
	}
}

// print prints what came of events.
func (p *publisher) print(answer []byte) error {
	var list []json.RawMessage
	if err := json.Unmarshal(answer, &list); err != nil {
		return fmt.Errorf("the relay's answer cannot be read: %w", err)
	}
	for _, one := range list {
		if p.json {
			fmt.Fprintf(p.out, "%s\n", one)
			continue
		}
		var event reflex.Published
		if err := json.Unmarshal(one, &event); err != nil {
			return fmt.Errorf("the relay's answer cannot be read: %w", err)
		}
		var note string
		if event.Duplicate {
			note = " duplicate"
		}
		fmt.Fprintf(p.out, "%d %s%s\n", event.Seq, printable(strings.TrimSpace(event.ID)), note)
	}
	p.count += uint64(len(list))
	return p.out.Flush()
}
