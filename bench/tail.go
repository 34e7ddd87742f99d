package main

import (
	"context"
	"fmt"

	"hearth/relay/protocol"
)

// tailScenarios read what is newest, as a device does that was just woken.
func tailScenarios(size extent, history *fixture) []scenario {
	var all []scenario
	for _, newest := range []int{1, batchEntries} {
		what := "entry"
		if newest > 1 {
			what = fmt.Sprintf("%d entries", newest)
		}
		for _, readers := range []int{1, 8} {
			all = append(all, scenario{
				name:  fmt.Sprintf("tail-%d-%d", newest, readers),
				title: fmt.Sprintf("read the newest %s of %s, %s", what, count(size.entries), people(readers, "reader")),
				unit:  requestRate,
				data:  history,
				run: served(func(ctx context.Context, s *server, size extent) (outcome, error) {
					at, err := cursorBefore(s, size.entries, newest)
					if err != nil {
						return outcome{}, err
					}
					jobs := make([]job, readers)
					for i := range jobs {
						jobs[i] = readFrom(s, at, newest)
					}
					return load(ctx, s, size, jobs)
				}),
			})
		}
	}
	return all
}

// cursorBefore returns the cursor of a reader whom the newest entries of a stream
// are missing.
func cursorBefore(s *server, entries, newest int) (protocol.Cursor, error) {
	if s.target.kind == ceiling {
		return protocol.Cursor{}, nil // which answers the same to all
	}
	c, err := dial(s.address)
	if err != nil {
		return protocol.Cursor{}, err
	}
	defer c.close()
	var r reader
	for left := entries - newest; left > 0; {
		var after *protocol.Cursor
		if r.begun {
			after = &r.at
		}
		body, err := c.do(s.page(stream, after, min(left, protocol.MaxPageEntries)))
		if err != nil {
			return protocol.Cursor{}, err
		}
		n, err := r.take(body)
		if err != nil {
			return protocol.Cursor{}, err
		}
		left -= n
	}
	return r.at, nil
}

// readFrom returns a job that reads what follows a cursor, which is as many
// entries as said.
func readFrom(s *server, at protocol.Cursor, entries int) job {
	request := s.page(stream, &at, entries)
	return func(c *conn) (int, error) {
		body, err := c.do(request)
		if err != nil {
			return 0, err
		}
		r := reader{at: at, begun: true}
		n, err := r.take(body)
		if err == nil && n != entries {
			err = fmt.Errorf("%d entries, not %d", n, entries)
		}
		return 1, err
	}
}
