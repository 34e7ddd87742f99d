package main

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"
)

// manyStreamsWriters is how many write while many streams exist.
const manyStreamsWriters = 8

// manyStreamsScenario compares appends to a relay that has many streams with those
// to one that has none else. The two take turns within a look, for what is asked
// for is a difference of a few in a hundred.
func manyStreamsScenario(size extent, many *fixture) scenario {
	return scenario{
		name: "many-streams",
		title: fmt.Sprintf("appends while %s streams exist, of those with one (%s)",
			count(size.streams), people(manyStreamsWriters, "writer")),
		unit:  percent,
		skips: []kind{ceiling},
		data:  many,
		run:   besideOne,
	}
}

// turns are the order in which the relay with many streams writes (true) and the
// one with one, so that a drift of the machine meets both alike.
var turns = []bool{true, false, false, true}

// besideOne runs the target on its folder and on an empty one.
func besideOne(ctx context.Context, l *look) (outcome, error) {
	empty, err := l.bench.newFolder(ctx, l.target)
	if err != nil {
		return outcome{}, err
	}
	one, err := start(ctx, l.target, empty)
	if err != nil {
		return outcome{}, err
	}
	o, err := l.serve(ctx, func(many *server) (outcome, error) {
		var withMany, withOne float64
		var slowest time.Duration
		for _, turn := range turns {
			s := one
			if turn {
				s = many
			}
			w := writing{writers: manyStreamsWriters, entries: 1, entrySize: smallEntry}
			o, err := load(ctx, s, l.bench.size, w.jobs(s, new(atomic.Int64)))
			if err != nil {
				return outcome{}, err
			}
			if turn {
				withMany += o.value
				slowest = max(slowest, o.p99)
			} else {
				withOne += o.value
			}
		}
		return outcome{value: 100 * withMany / withOne, p99: slowest}, nil
	})
	if err != nil {
		one.kill()
		return outcome{}, err
	}
	if err := one.stop(); err != nil {
		return outcome{}, err
	}
	return o, empty.remove()
}
