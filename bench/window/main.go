// Command window measures what Hearth's window costs a person and the relay: how
// soon it shows, what it takes while nothing happens, what it takes from
// the relay, and how smoothly it scrolls. It needs Xvfb, openbox and xdotool.
//
// It looks at the program from outside, as a person would: at the pixels of a
// display that lies in a file, and at the time the kernel says was used.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"text/tabwriter"
)

func main() {
	rounds := flag.Int("rounds", 5, "how often each figure is taken; the middle one is told")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "Usage: window [--rounds N] HEARTH")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 || *rounds < 1 {
		flag.Usage()
		os.Exit(2)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, flag.Arg(0), *rounds)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "window:", err)
		os.Exit(1)
	}
}

// run takes all figures and prints them.
func run(ctx context.Context, program string, rounds int) (err error) {
	program, err = filepath.Abs(program)
	if err != nil {
		return err
	}
	scratch, err := os.MkdirTemp("", "hearth-window-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(scratch)) }()
	b := &bench{program: program, scratch: scratch, rounds: rounds}
	rows, err := b.measure(ctx)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		fmt.Fprintf(table, "%s\t%s\t%s\n", r.what, r.figure, r.target)
	}
	return table.Flush()
}
