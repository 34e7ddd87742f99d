package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"regexp"
	"syscall"
)

// ceilingCommand makes this program the server that does nothing.
const ceilingCommand = "ceiling"

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	switch {
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	case err != nil:
		fmt.Fprintf(os.Stderr, "bench: %v\n", err)
		os.Exit(1)
	}
}

// run measures what the arguments ask for and prints it.
func run(ctx context.Context, args []string, out, progress io.Writer) error {
	if len(args) == 2 && args[0] == ceilingCommand {
		return serveCeiling(ctx, args[1])
	}
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(progress)
	program := flags.String("hearth", "bin/hearth", "the `program` to measure")
	peer := flags.String("published", "", "the `program` efema-server to compare it with; left out if it is not there")
	data := flags.String("data", ".", "the `folder` under which relays keep their data meanwhile: its disk counts")
	quick := flags.Bool("quick", false, "take a minute: one round of short looks at less data, for a rough idea")
	only := flags.String("scenario", "", "measure only the scenarios whose names match the `expression`")
	if err := flags.Parse(args); err != nil {
		return err
	}
	chosen, err := regexp.Compile(*only)
	if err != nil {
		return fmt.Errorf("-scenario: %w", err)
	}
	size := full
	if *quick {
		size = short
	}
	b, err := newBench(size, *data, progress)
	if err != nil {
		return err
	}
	defer b.close()
	if b.targets, err = targets(ctx, *program, *peer); err != nil {
		return err
	}
	m, err := inspect(b.folder)
	if err != nil {
		return err
	}
	r := report{machine: m, targets: b.targets, size: size}
	if r.results, err = b.measure(ctx, choose(scenarios(size), chosen)); err != nil {
		return err
	}
	return r.print(out)
}
