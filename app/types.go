package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"text/tabwriter"

	"hearth/relay/reflex"
	"hearth/relay/reflex/reflexhttp"
)

// typesCommand looks after the schemas of types of events.
type typesCommand struct {
	List typesListCommand `cmd:"" help:"List the types that have a schema."`
	Show typesShowCommand `cmd:"" help:"Print the schema of a type."`
	Add  typesAddCommand  `cmd:"" help:"Give a type a schema, or another one."`
	Drop typesDropCommand `cmd:"" help:"Take the schema of a type away."`
}

// Help is what --help says beyond the flags.
func (typesCommand) Help() string {
	return `An event whose type has a JSON Schema (draft 2020-12) is refused unless it is as that says; all others may be anything. A schema holds for what is published from then on, in one space.

Examples:

  hearth types add temperature schema.json
  hearth types list
  hearth types show temperature`
}

type typesListCommand struct {
	eventFlags
	JSON bool `help:"Print JSON."`
}

// Run lists the types that have a schema.
func (c typesListCommand) Run(ctx context.Context, out io.Writer) error {
	var list []reflexhttp.TypeInfo
	if err := c.exchange(ctx, http.MethodGet, "", nil, &list); err != nil {
		return err
	}
	if c.JSON {
		return printJSON(out, list)
	}
	if len(list) == 0 {
		_, err := fmt.Fprintln(out, `No type has a schema: events may be anything. "hearth types add" gives one.`)
		return err
	}
	t := tabwriter.NewWriter(out, 0, 0, columnGap, ' ', 0)
	fmt.Fprintln(t, "TYPE\tCHANGED")
	for _, one := range list {
		fmt.Fprintf(t, "%s\t%s\n", printable(one.Name), moment(one.ChangedAt))
	}
	return t.Flush()
}

type typesShowCommand struct {
	eventFlags
	Name string `arg:"" help:"The type."`
}

// Run prints the schema of a type.
func (c typesShowCommand) Run(ctx context.Context, out io.Writer) error {
	var is reflex.EventType
	if err := c.exchange(ctx, http.MethodGet, c.Name, nil, &is); err != nil {
		return err
	}
	return printJSON(out, is.Schema)
}

type typesAddCommand struct {
	eventFlags
	Name string `arg:"" help:"The type."`
	File string `arg:"" help:"The file with its JSON Schema, - for standard input."`
}

// Run gives a type a schema.
func (c typesAddCommand) Run(ctx context.Context, out io.Writer) error {
	from := io.Reader(os.Stdin)
	if c.File != standardStream {
		f, err := os.Open(c.File)
		if err != nil {
			return err
		}
		defer f.Close()
		from = f
	}
	schema, err := io.ReadAll(io.LimitReader(from, reflex.MaxSchema+1))
	if err != nil {
		return err
	}
	if len(bytes.TrimSpace(schema)) == 0 {
		return &hintedError{errors.New("there is no schema in it"), `one that takes anything is {}`}
	}
	if err := c.exchange(ctx, http.MethodPut, c.Name, schema, new(reflex.EventType)); err != nil {
		return err
	}
	_, err = fmt.Fprintf(out, "events of the type %s are checked from now on\n", printable(c.Name))
	return err
}

type typesDropCommand struct {
	eventFlags
	Name string `arg:"" help:"The type."`
}

// Run takes the schema of a type away.
func (c typesDropCommand) Run(ctx context.Context, out io.Writer) error {
	if err := c.exchange(ctx, http.MethodDelete, c.Name, nil, new(reflexhttp.DroppedType)); err != nil {
		return err
	}
	_, err := fmt.Fprintf(out, "events of the type %s may be anything from now on\n", printable(c.Name))
	return err
}

// exchange asks the relay about a type, or about all if none is named.
func (f eventFlags) exchange(ctx context.Context, method, name string, body []byte, into any) error {
	relay, err := f.reach(ctx)
	if err != nil {
		return err
	}
	defer relay.close()
	path := "/types"
	if name != "" {
		path += "/" + url.PathEscape(name)
	}
	answer, _, err := relay.ask(ctx, method, path, body)
	if refused, ok := errors.AsType[*reflex.Rejection](err); ok && refused.Type == reflex.NotFound {
		return &hintedError{
			fmt.Errorf("the type %q has no schema in the space %q", name, f.Space),
			`"hearth types list" lists those that have one`,
		}
	}
	if err != nil {
		return refusal(err)
	}
	if err := json.Unmarshal(answer, into); err != nil {
		return fmt.Errorf("the relay's answer cannot be read: %w", err)
	}
	return nil
}
