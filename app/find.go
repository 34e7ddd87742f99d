package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"hearth/discovery"
	"hearth/relay/console"
)

type findCommand struct {
	Timeout time.Duration `help:"How long to look." default:"3s"`
	JSON    bool          `help:"Print JSON."`
}

// Help is what --help says beyond the flags.
func (findCommand) Help() string {
	return `Lists the relays that answer on the local network, with the addresses under which apps reach them.

Examples:

  hearth find
  hearth find --timeout 10s --json`
}

// foundJSON is console.FoundRelay in JSON.
type foundJSON struct {
	Name     string    `json:"name"`
	ID       string    `json:"id,omitempty"`
	Host     string    `json:"host"`
	URLs     []string  `json:"urls"`
	NeedsKey *bool     `json:"needs_key"` // null if it does not say
	SeenAt   time.Time `json:"seen_at"`
	Stale    bool      `json:"stale"`
}

func foundJSONOf(r console.FoundRelay) foundJSON {
	f := foundJSON{Name: r.Name, ID: r.ID, Host: r.Host, URLs: r.URLs, SeenAt: r.SeenAt, Stale: r.Stale}
	if r.Key != console.KeyNotTold {
		f.NeedsKey = new(r.Key == console.KeyNeeded)
	}
	return f
}

// Run looks around on the network.
func (c findCommand) Run(ctx context.Context, out io.Writer) error {
	found, err := discovery.Find(ctx, serviceType, c.Timeout, discovery.Options{})
	if errors.Is(err, discovery.ErrNoNetwork) {
		return &hintedError{err, "connect this machine to a network, or give it more time with --timeout"}
	}
	if err != nil {
		return fmt.Errorf("relays cannot be looked for: %w", err)
	}
	relays := relaysOf(found, "")
	if c.JSON {
		list := make([]foundJSON, 0, len(relays))
		for _, r := range relays {
			list = append(list, foundJSONOf(r))
		}
		return printJSON(out, list)
	}
	if len(relays) == 0 {
		_, err := fmt.Fprintln(out, `No relay answered. One that is open to the network does: "hearth serve --open".`)
		return err
	}
	return printFound(out, relays)
}

func printFound(out io.Writer, relays []console.FoundRelay) error {
	t := tabwriter.NewWriter(out, 0, 0, columnGap, ' ', 0)
	fmt.Fprintln(t, "NAME\tADDRESS\tKEY\tID")
	for _, r := range relays {
		key := string(r.Key)
		if r.Key == console.KeyNotTold {
			key = "not told"
		}
		name := r.Name
		if r.Stale {
			name += " (does not answer any more)"
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%.12s\n", name, strings.Join(r.URLs, " "), key, r.ID)
	}
	return t.Flush()
}

// printJSON prints a value for programs.
func printJSON(out io.Writer, value any) error {
	e := json.NewEncoder(out)
	e.SetIndent("", "  ")
	return e.Encode(value)
}
