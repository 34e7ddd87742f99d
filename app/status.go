package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"hearth/relay/console"
	"hearth/relay/consolehttp"
)

type statusCommand struct {
	folderFlag
	JSON bool `help:"Print JSON."`
}

// Help is what --help says beyond the flags.
func (statusCommand) Help() string {
	return `Says whether a relay runs on the data folder, how to reach it, and what it holds. A stopped relay's data is only read.

Examples:

  hearth status
  hearth status --json --data /srv/hearth`
}

// statusJSON is a relay's state in JSON.
type statusJSON struct {
	Running bool   `json:"running"`
	Folder  string `json:"folder"`
	PID     int    `json:"pid,omitempty"`
	consolehttp.Overview
}

// Run says how the relay is.
func (c statusCommand) Run(ctx context.Context, out io.Writer) (err error) {
	folder, err := c.path()
	if err != nil {
		return err
	}
	l, run, err := attach(ctx, folder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	o, err := l.Overview(ctx)
	if err != nil {
		return err
	}
	state := statusJSON{Folder: folder}
	if run != nil {
		state.Running, state.PID = true, run.PID
	}
	if c.JSON {
		state.Overview = consolehttp.OverviewOf(o)
		return printJSON(out, state)
	}
	return printStatus(out, state, o)
}

func printStatus(out io.Writer, state statusJSON, o console.Overview) error {
	t := tabwriter.NewWriter(out, 0, 0, columnGap, ' ', 0)
	line := func(name, format string, args ...any) {
		fmt.Fprintf(t, "%s\t%s\n", name, fmt.Sprintf(format, args...))
	}
	if state.Running {
		line("relay", "%s, running since %s (process %d)", printable(o.Name), moment(o.Started), state.PID)
		line("reached at", "%s", strings.Join(o.URLs, " "))
		if o.Open {
			line("network", "OPEN: everyone on it may read and write")
		} else {
			line("network", "closed: this machine only")
		}
		line("waiting", "%d", o.Waiting)
		line("refused", "%d since the start", o.Refused)
	} else {
		line("relay", "not running")
	}
	if o.Problem != "" {
		line("problem", "%s", printable(o.Problem))
	}
	line("holds", "%s, %s, %s", count(uint64(o.Streams), "stream", "streams"),
		count(o.Entries, "entry", "entries"), size(o.Bytes))
	line("disk", "%s used, %s free", size(o.DiskUsed), size(o.DiskFree))
	if o.BackupFailed != "" {
		line("backup", "%s", printable(o.BackupFailed))
	}
	if !o.BackedUp.IsZero() {
		line("backed up", "%s", moment(o.BackedUp))
	}
	line("data", "%s", state.Folder)
	line("id", "%s", o.ID)
	return t.Flush()
}
