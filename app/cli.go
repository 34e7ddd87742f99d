package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"
)

// The program's exit codes.
const (
	exitOK    = 0
	exitError = 1 // what was asked for did not work
	exitUsage = 2 // it was asked for in a way that is not understood
)

const about = `A relay for a home: apps on its people's devices sync through it.

Without a command, Hearth opens its window with the relay in it. A machine without a display runs "hearth serve".

Settings come from, the first that has one: the flags, the environment, settings.json in the data folder, the defaults.

Examples:

  hearth                  the window, with the relay in it
  hearth serve            the relay alone, for the apps on this machine
  hearth serve --open     the relay alone, for everyone on the network
  hearth streams notes    what is in the stream "notes"
  hearth find             the relays on the network`

// commandLine is what a person can say to the program, one field a command.
type commandLine struct {
	Window  windowCommand  `cmd:"" default:"withargs" help:"Open the window with the relay in it (the default)."`
	Serve   serveCommand   `cmd:"" help:"Run the relay without a window."`
	Streams streamsCommand `cmd:"" help:"List the streams, or the entries of one."`
	Publish publishCommand `cmd:"" help:"Publish events to a stream."`
	Follow  followCommand  `cmd:"" help:"Print the events of a stream as they come."`
	Types   typesCommand   `cmd:"" help:"Look after the schemas of types of events."`
	Status  statusCommand  `cmd:"" help:"Say how the relay is."`
	Verify  verifyCommand  `cmd:"" help:"Check everything that is kept, link by link."`
	Backup  backupCommand  `cmd:"" help:"Back up everything, now and from now on."`
	Restore restoreCommand `cmd:"" help:"Bring back a backup."`
	Export  exportCommand  `cmd:"" help:"Write streams into a file that proves itself."`
	Import  importCommand  `cmd:"" help:"Take in the streams of such a file."`
	Find    findCommand    `cmd:"" help:"Find the relays on the network."`
	Version versionCommand `cmd:"" help:"Say which version this is."`
}

// run does what the arguments say and returns the program's exit code.
func run(args []string, out, errs io.Writer) int {
	forgetEmpty()
	exited := false
	parser, err := kong.New(&commandLine{},
		kong.Name("hearth"),
		kong.Description(about),
		kong.Writers(out, errs),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true}),
		kong.Exit(func(int) { exited = true }), // only --help exits, and then Parse goes on
		kong.BindTo(out, (*io.Writer)(nil)),
		kong.Vars{"port": fmt.Sprint(defaultPort), "folder": defaultFolder(), "suffix": archiveSuffix},
	)
	if err != nil {
		return report(errs, err)
	}
	command, err := parser.Parse(args)
	if exited {
		return exitOK
	}
	if err != nil {
		report(errs, &hintedError{err, `"hearth --help" lists what there is`})
		return exitUsage
	}

	// The first signal asks to stop; from then on the next one ends the program
	// at once, as if none had ever been caught, by the window's toolkit neither.
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // as nohup has it ignored
		signals = append(signals, syscall.SIGHUP) // the terminal or the session has gone
	}
	ctx, forget := signal.NotifyContext(context.Background(), signals...)
	defer forget()
	// Not so SIGHUP: a shell that goes and its terminal send one each.
	context.AfterFunc(ctx, func() { signal.Reset(os.Interrupt, syscall.SIGTERM) })

	command.BindTo(ctx, (*context.Context)(nil))
	err = command.Run()
	_, told := errors.AsType[*toldError](err)
	switch {
	case err == nil:
		return exitOK
	case told:
		return exitError
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		return exitError // whoever interrupted it knows why
	default:
		return report(errs, err)
	}
}

// forgetEmpty takes an empty variable of the environment for none, as those who
// write service files do.
func forgetEmpty() {
	for _, variable := range os.Environ() {
		name, value, _ := strings.Cut(variable, "=")
		if strings.HasPrefix(name, "HEARTH_") && value == "" {
			_ = os.Unsetenv(name) // fails for names that no variable can have
		}
	}
}
