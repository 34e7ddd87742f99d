package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
	"time"

	"hearth/relay/console"
	"hearth/relay/consolehttp"
)

type verifyCommand struct {
	folderFlag
	Stream string `arg:"" optional:"" name:"name" help:"The stream to check; without one, everything is."`
	Space  string `help:"The stream's space." default:"default" placeholder:"SPACE"`
	JSON   bool   `help:"Print JSON."`
}

// Help is what --help says beyond the flags.
func (verifyCommand) Help() string {
	return `Reads everything: walks each stream from its first entry, computes each link of its chain anew, and compares what the database promises with what it holds. Nothing is repaired or changed. The exit code is 0 if everything is sound, and 1 if anything is damaged; each damaged stream is named with the first position that is.

A running relay checks itself, beside serving; a stream that it finds damaged answers nothing more, the others go on. The data of a stopped one is read directly.

Examples:

  hearth verify
  hearth verify notes
  hearth verify --json --data /srv/hearth`
}

// errDamaged is the end of a check that found damage.
var errDamaged = errors.New("there is damage")

// Run checks what a relay holds.
func (c verifyCommand) Run(ctx context.Context, out io.Writer) (err error) {
	l, err := c.look(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	var only console.StreamRef
	if c.Stream != "" {
		only = console.StreamRef{Space: c.Space, Name: c.Stream}
	}
	bar := newProgressBar(os.Stderr)
	v, err := l.Verify(ctx, only, bar.show)
	bar.clear()
	switch {
	case errors.Is(err, console.ErrNotFound):
		return noStream(only)
	case err != nil:
		return err
	case c.JSON:
		err = printJSON(out, consolehttp.VerificationOf(v))
	default:
		err = printVerification(out, v, only)
	}
	if err == nil && !v.Sound() {
		err = &toldError{errDamaged}
	}
	return err
}

func printVerification(out io.Writer, v console.Verification, only console.StreamRef) error {
	t := tabwriter.NewWriter(out, 0, 0, columnGap, ' ', 0)
	fmt.Fprintf(t, "checked\t%s\n", amount(v))
	switch {
	case only != (console.StreamRef{}):
	case v.Whole:
		fmt.Fprintln(t, "file\tchecked too, page by page")
	default:
		fmt.Fprintln(t, "file\tnot checked page by page while the relay runs; its backups are")
	}
	for _, d := range v.Damaged {
		name := d.Name
		if d.Space != defaultSpace {
			name += " in " + printable(d.Space)
		}
		fmt.Fprintf(t, "DAMAGED\t%s at position %d: %s\n", printable(name), d.Position, printable(d.Reason))
	}
	for _, f := range v.Faults {
		fmt.Fprintf(t, "DAMAGED\t%s\n", printable(f))
	}
	if v.Sound() {
		fmt.Fprintln(t, "result\tsound: each link follows from its chain's start, and nothing is missing")
	} else {
		fmt.Fprintln(t, "result\tdamage: nothing was changed; restore a backup from before it, or copy the sound streams")
	}
	return t.Flush()
}

// amount says how much was checked, and how fast.
func amount(v console.Verification) string {
	text := fmt.Sprintf("%s, %s, %s in %v", count(uint64(v.Streams), "stream", "streams"),
		count(v.Entries, "entry", "entries"), size(v.Bytes), v.Took.Round(time.Millisecond))
	if v.Took >= time.Second { // below that the figure says nothing
		text += fmt.Sprintf(" (%s a second)", size(uint64(float64(v.Bytes)/v.Took.Seconds())))
	}
	return text
}
