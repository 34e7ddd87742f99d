package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"

	"hearth/relay/console"
	"hearth/relay/consolehttp"
)

// defaultSpace is where a stream lies unless someone says otherwise.
const defaultSpace = "default"

// streamsAtOnce is how many streams are asked for at a time: as many as a
// running relay gives.
const streamsAtOnce = 1000

type streamsCommand struct {
	folderFlag
	Stream string `arg:"" optional:"" name:"name" help:"The stream to look into; without one, all are listed."`
	Space  string `help:"The space (default: all of them in a list, \"default\" for one stream)." placeholder:"SPACE"`
	Limit  uint   `help:"How many entries to list." default:"20"`
	JSON   bool   `help:"Print JSON."`
}

// Help is what --help says beyond the flags.
func (streamsCommand) Help() string {
	return `Asks the relay that runs on the data folder, or reads the data of a stopped one without changing it. Of a stream it tells the identity, head and cursor, and its entries, the newest first.

Examples:

  hearth streams
  hearth streams notes --limit 100
  hearth streams notes --json --data /srv/hearth`
}

// Run lists streams, or the entries of one.
func (c streamsCommand) Run(ctx context.Context, out io.Writer) (err error) {
	l, err := c.look(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	if c.Stream == "" {
		return c.list(ctx, l, out)
	}
	return c.one(ctx, l, out)
}

// list prints all streams, or those of the space that was asked for.
func (c streamsCommand) list(ctx context.Context, l looker, out io.Writer) error {
	streams := []console.Stream{} // in JSON none are [], not null
	for s, err := range allStreams(ctx, l) {
		if err != nil {
			return err
		}
		if c.Space == "" || s.Space == c.Space {
			streams = append(streams, s)
		}
	}
	if !c.JSON {
		return printStreams(out, streams)
	}
	list := make([]consolehttp.Stream, 0, len(streams))
	for _, s := range streams {
		list = append(list, streamOf(s))
	}
	return printJSON(out, list)
}

// allStreams goes through the streams of a relay. An error comes last.
func allStreams(ctx context.Context, l looker) iter.Seq2[console.Stream, error] {
	return func(yield func(console.Stream, error) bool) {
		var after console.StreamRef
		for {
			streams, err := l.Streams(ctx, after, streamsAtOnce)
			if err != nil {
				yield(console.Stream{}, err)
				return
			}
			for _, s := range streams {
				if !yield(s, nil) {
					return
				}
			}
			if len(streams) < streamsAtOnce {
				return
			}
			after = streams[len(streams)-1].StreamRef
		}
	}
}

// streamJSON is a stream with its newest entries in JSON.
type streamJSON struct {
	consolehttp.Stream
	Cursor string              `json:"cursor"`
	Latest []consolehttp.Entry `json:"latest"`
}

// one prints one stream.
func (c streamsCommand) one(ctx context.Context, l looker, out io.Writer) error {
	ref := console.StreamRef{Space: c.Space, Name: c.Stream}
	if ref.Space == "" {
		ref.Space = defaultSpace
	}
	s, err := l.Stream(ctx, ref)
	if errors.Is(err, console.ErrNotFound) {
		return noStream(ref)
	}
	if err != nil {
		return err
	}
	entries, err := latest(ctx, l, s, uint64(c.Limit))
	if err != nil {
		return err
	}
	if !c.JSON {
		return printStream(out, s, entries)
	}
	one := streamJSON{streamOf(s), cursorOf(s), make([]consolehttp.Entry, 0, len(entries))}
	for _, e := range entries {
		one.Latest = append(one.Latest, consolehttp.EntryOf(e))
	}
	return printJSON(out, one)
}

// noStream says that there is no such stream.
func noStream(ref console.StreamRef) error {
	return &hintedError{
		fmt.Errorf("there is no stream %q in the space %q", ref.Name, ref.Space),
		`"hearth streams" lists those that there are`,
	}
}

// latest reads the newest entries of a stream up to its head as s has it, so
// that both fit together while others write.
func latest(ctx context.Context, l looker, s console.Stream, limit uint64) ([]console.Entry, error) {
	var entries []console.Entry
	before := s.Head + 1
	for before > 1 && uint64(len(entries)) < limit {
		page, err := l.Entries(ctx, s.StreamRef, before, int(min(limit-uint64(len(entries)), streamsAtOnce)))
		if err != nil {
			return nil, err
		}
		if len(page) == 0 {
			break
		}
		entries = append(entries, page...)
		before = page[len(page)-1].Position
	}
	return entries, nil
}

// cursorOf returns the cursor at a stream's head as the contract spells it.
func cursorOf(s console.Stream) string {
	return fmt.Sprintf("%d.%s.%s", s.Head, s.Identity, s.Link)
}

// streamOf puts a stream into its JSON form, the same whether the relay runs or
// not: its last hour is for windows, which look again and again.
func streamOf(s console.Stream) consolehttp.Stream {
	s.Hour = console.Hour{}
	return consolehttp.StreamOf(s)
}
