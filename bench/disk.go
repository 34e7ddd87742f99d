package main

import (
	"context"
	"fmt"
)

// diskScenarios show how much of the disk an entry takes, after a clean stop. What
// the database of an empty relay takes is not counted.
func diskScenarios(size extent, history *fixture) []scenario {
	return []scenario{{
		name: "disk-batches", title: "disk an entry of 256 B in batches of 100", unit: bytesEach,
		skips: []kind{ceiling}, data: history,
		run: func(ctx context.Context, l *look) (outcome, error) { return perEntry(ctx, l, size.entries) },
	}, {
		name: "disk-alone", title: "disk an entry of 256 B alone", unit: bytesEach,
		skips: []kind{ceiling}, data: aloneFixture(size),
		run: func(ctx context.Context, l *look) (outcome, error) { return perEntry(ctx, l, size.alone) },
	}}
}

// aloneWriters is how many write entries alone, each to its own stream: two that
// are committed together to one stream could share a row.
const aloneWriters = 64

// aloneFixture is entries that came one by one.
func aloneFixture(size extent) *fixture {
	return &fixture{
		name: fmt.Sprintf("%s entries, each alone", count(size.alone)),
		fill: func(ctx context.Context, s *server) error {
			return writeAll(ctx, s, aloneWriters, size.alone, func(writer, _ int) []byte {
				return s.append(numbered(writer), 1, smallEntry).next()
			})
		},
	}
}

// perEntry returns the bytes of the target's database for each of its entries.
func perEntry(ctx context.Context, l *look, entries int) (outcome, error) {
	empty, err := l.bench.newFolder(ctx, l.target)
	if err != nil {
		return outcome{}, err
	}
	s, err := start(ctx, l.target, empty)
	if err != nil {
		return outcome{}, err
	}
	if err := s.stop(); err != nil {
		return outcome{}, err
	}
	without, err := l.target.databaseSize(empty.path)
	if err != nil {
		return outcome{}, err
	}
	with, err := l.target.databaseSize(l.place.path)
	if err != nil {
		return outcome{}, err
	}
	return outcome{value: float64(with-without) / float64(entries)}, empty.remove()
}
