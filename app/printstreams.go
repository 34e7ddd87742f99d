package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"hearth/relay/console"
)

// printStreams prints streams as a table.
func printStreams(out io.Writer, streams []console.Stream) error {
	if len(streams) == 0 {
		_, err := fmt.Fprintln(out, "There are no streams yet: the first write to one makes it.")
		return err
	}
	t := tabwriter.NewWriter(out, 0, 0, columnGap, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "ENTRIES\tEPOCH\tSIZE\tLAST WRITE\t  NAME")
	for _, s := range streams {
		name := s.Name
		if s.Space != defaultSpace {
			name += " in " + s.Space
		}
		if s.Damage != "" {
			name += " (damaged)"
		}
		fmt.Fprintf(t, "%d\t%d\t%s\t%s\t  %s\n", s.Head, s.Epoch, size(s.Bytes), moment(s.WrittenAt), name)
	}
	return t.Flush()
}

// printStream prints a stream with entries of it.
func printStream(out io.Writer, s console.Stream, entries []console.Entry) error {
	t := tabwriter.NewWriter(out, 0, 0, columnGap, ' ', 0)
	fmt.Fprintf(t, "stream\t%s in the space %s\n", s.Name, s.Space)
	fmt.Fprintf(t, "identity\t%s\n", s.Identity)
	fmt.Fprintf(t, "head\t%d\n", s.Head)
	fmt.Fprintf(t, "epoch\t%d\n", s.Epoch)
	fmt.Fprintf(t, "link\t%s\n", s.Link)
	fmt.Fprintf(t, "cursor\t%s\n", cursorOf(s))
	fmt.Fprintf(t, "size\t%s\n", size(s.Bytes))
	fmt.Fprintf(t, "created\t%s\n", moment(s.CreatedAt))
	fmt.Fprintf(t, "last write\t%s\n", moment(s.WrittenAt))
	if s.Damage != "" {
		fmt.Fprintf(t, "damage\t%s\n", s.Damage)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return printEntries(out, entries)
}

// printEntries prints entries as a table, and how many older ones there are.
func printEntries(out io.Writer, entries []console.Entry) error {
	if len(entries) == 0 {
		return nil
	}
	t := tabwriter.NewWriter(out, 0, 0, columnGap, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\nPOSITION\tEPOCH\tBYTES\tWRITTEN\t  LINK")
	for _, e := range entries {
		fmt.Fprintf(t, "%d\t%d\t%d\t%s\t  %s\n", e.Position, e.Epoch, e.Size, moment(e.WrittenAt), e.Link)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	if older := entries[len(entries)-1].Position - 1; older > 0 {
		_, err := fmt.Fprintf(out, "and %s; --limit lists more of them\n", count(older, "older one", "older ones"))
		return err
	}
	return nil
}
