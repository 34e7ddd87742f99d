package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"hearth/relay"
	"hearth/relay/console"
)

type importCommand struct {
	folderFlag
	File string `arg:"" help:"The file to read, - for standard input."`
}

// Help is what --help says beyond the flags.
func (importCommand) Help() string {
	return `Takes in the streams of a file that "hearth export" has made, with their identities, links, times and writers, so that devices go on with the cursors that they have. A stream that is here already goes on where it stands, if the file agrees with it so far. One that has another identity or another history is left as it is, and then nothing of the file is taken.

The file is proven to its end before anything is changed. Each stream comes whole or not at all; after an interruption the same command goes on. It works beside a running relay and on the data of a stopped one, which is made if there is none.

Examples:

  hearth import notes.hearth
  hearth import notes.hearth --data /srv/hearth
  ssh attic hearth export notes - | hearth import -`
}

// Run takes in the streams of a file.
func (c importCommand) Run(ctx context.Context, out io.Writer) (err error) {
	folder, err := c.path()
	if err != nil {
		return err
	}
	from, all := io.Reader(os.Stdin), uint64(0)
	if c.File != standardStream {
		f, err := os.Open(c.File)
		if err != nil {
			return err
		}
		defer f.Close()
		info, err := f.Stat()
		if err != nil {
			return err
		}
		from, all = f, uint64(info.Size())
	}
	if all > 0 {
		bar := newProgressBar(os.Stderr)
		defer bar.clear()
		from = io.TeeReader(from, &counting{to: io.Discard, show: func(n uint64) { bar.show(min(n, all), all) }})
	}
	into, stop, err := importInto(ctx, folder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, stop()) }()
	streams, err := into.Import(ctx, from)
	if err != nil {
		return err
	}
	return printImported(out, streams)
}

// importInto returns the relay that runs on a data folder, or if none does, one
// that listens to nobody, and what lets it go.
func importInto(ctx context.Context, folder string) (into console.Archives, stop func() error, err error) {
	client, _, err := attachRunning(ctx, folder)
	if err != nil {
		return nil, nil, err
	}
	if client != nil {
		return client, client.Close, nil
	}
	r, err := relay.Open(ctx, folder, relay.Options{Version: version})
	if err != nil {
		return nil, nil, err
	}
	return r.Archives(), func() error { return r.Shutdown(context.WithoutCancel(ctx)) }, nil
}

func printImported(out io.Writer, streams []console.Imported) error {
	t := tabwriter.NewWriter(out, 0, 0, columnGap, ' ', 0)
	for _, s := range streams {
		name := s.Name
		if s.Space != defaultSpace {
			name += " in " + s.Space
		}
		fmt.Fprintf(t, "%s\t%s\n", printable(name), fate(s))
	}
	return t.Flush()
}

// fate says what became of a stream of an archive.
func fate(s console.Imported) string {
	switch {
	case s.Before == 0:
		return "new here, with " + count(s.Head, "entry", "entries")
	case s.Before < s.Archived:
		return fmt.Sprintf("goes on from %d to %d", s.Before, s.Head)
	case s.Before == s.Archived:
		return fmt.Sprintf("is here already, to its head %d", s.Head)
	default:
		return fmt.Sprintf("is here already, and further: to %d, the file to %d", s.Head, s.Archived)
	}
}
