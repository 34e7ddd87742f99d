package main

import (
	"context"
	"fmt"

	"hearth/relay/protocol"
)

// catchUpScenarios read a stream from its start, as a device does that is new or
// was away for long.
func catchUpScenarios(size extent, history *fixture) []scenario {
	var all []scenario
	for _, verify := range []bool{false, true} {
		name, how := "", ""
		if verify {
			name, how = "-verified", ", the chain verified"
		}
		for _, limit := range []int{1000, protocol.MaxPageEntries} {
			all = append(all, scenario{
				name:  fmt.Sprintf("catch-up-%d%s", limit, name),
				title: fmt.Sprintf("catch up %s entries in pages of %s%s", count(size.catchUp), count(limit), how),
				unit:  entryRate,
				data:  history,
				run: served(func(ctx context.Context, s *server, size extent) (outcome, error) {
					return load(ctx, s, size, []job{catchUp(s, size.catchUp, limit, verify)})
				}),
			})
		}
	}
	return all
}

// catchUp returns a job that reads the next page, and starts over when it has
// caught up.
func catchUp(s *server, total, limit int, verify bool) job {
	if s.target.kind == ceiling {
		total = limit // its only page, again and again
	}
	r := reader{verify: verify}
	return func(c *conn) (int, error) {
		if r.at.Seq >= uint64(total) {
			r = reader{verify: verify}
		}
		var after *protocol.Cursor
		if r.begun {
			after = &r.at
		}
		body, err := c.do(s.page(stream, after, limit))
		if err != nil {
			return 0, err
		}
		n, err := r.take(body)
		if err == nil && n == 0 {
			err = fmt.Errorf("the stream ends at %d", r.at.Seq)
		}
		return n, err
	}
}
