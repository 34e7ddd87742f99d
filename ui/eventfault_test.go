package ui

import (
	"context"

	"hearth/relay/console"
)

// faultyEvents is a console whose way to the events of streams can be cut.
type faultyEvents struct {
	console.Console
	err error
}

func (f *faultyEvents) Events(ctx context.Context, ref console.StreamRef, q console.EventQuery) (console.EventList, error) {
	if f.err != nil {
		return console.EventList{}, f.err
	}
	return f.Console.Events(ctx, ref, q)
}
