package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// bench measures targets.
type bench struct {
	size     extent
	folder   string // for all data
	progress io.Writer
	targets  []*target
	fixtures map[fixtureKey]*folder
}

// newBench makes room for data under a folder.
func newBench(size extent, under string, progress io.Writer) (*bench, error) {
	under, err := filepath.Abs(under)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(under, "bench-")
	if err != nil {
		return nil, err
	}
	return &bench{size: size, folder: dir, progress: progress, fixtures: make(map[fixtureKey]*folder)}, nil
}

// close removes all data.
func (b *bench) close() {
	if err := os.RemoveAll(b.folder); err != nil {
		fmt.Fprintf(b.progress, "%v\n", err)
	}
}

// result is what a scenario showed of one target, round by round.
type result struct {
	scenario scenario
	target   *target
	looks    []seen
}

// seen is what one look showed.
type seen struct {
	outcome
	memory            int64         // the server's at the end, in bytes
	server, generator time.Duration // of processor time
	took              time.Duration
}

// measure does each scenario to each target in turn, round by round.
func (b *bench) measure(ctx context.Context, chosen []scenario) ([]*result, error) {
	var results []*result
	for i, s := range chosen {
		var of []*result
		for _, t := range b.targets {
			if !slices.Contains(s.skips, t.kind) {
				of = append(of, &result{scenario: s, target: t})
			}
		}
		for round := range b.size.rounds {
			for _, r := range of {
				look, err := b.look(ctx, s, r.target)
				if err != nil {
					return nil, fmt.Errorf("%s, %s: %w", s.name, r.target.name, err)
				}
				r.looks = append(r.looks, look)
				fmt.Fprintf(b.progress, "%d/%d %s, round %d: %s: %.*f %s, p99 %s\n", i+1, len(chosen), s.name, round+1,
					r.target.name, s.unit.decimals, look.value, s.unit.name, look.p99)
			}
		}
		results = append(results, of...)
	}
	return results, nil
}

// look lets a scenario happen once.
func (b *bench) look(ctx context.Context, s scenario, t *target) (_ seen, err error) {
	l := &look{bench: b, target: t}
	if s.data != nil {
		l.place, err = b.fixture(ctx, s.data, t)
	} else {
		l.place, err = b.newFolder(ctx, t)
	}
	if err != nil {
		return seen{}, err
	}
	if s.data == nil {
		defer func() { err = errors.Join(err, l.place.remove()) }()
	}
	l.seen.outcome, err = s.run(ctx, l)
	return l.seen, err
}

// look is a scenario that happens to a target once.
type look struct {
	bench  *bench
	target *target
	place  *folder
	seen   seen
}

// serve runs the target on its folder for as long as use takes, and notes what it
// costs.
func (l *look) serve(ctx context.Context, use func(*server) (outcome, error)) (outcome, error) {
	s, err := start(ctx, l.target, l.place)
	if err != nil {
		return outcome{}, err
	}
	pid, self := s.cmd.Process.Pid, os.Getpid()
	begun, server, generator := time.Now(), processorTime(pid), processorTime(self)
	o, err := use(s)
	if err != nil {
		s.kill()
		return outcome{}, fmt.Errorf("%w %s", err, s.stderr.String())
	}
	l.seen.took = time.Since(begun)
	l.seen.server = processorTime(pid) - server
	l.seen.generator = processorTime(self) - generator
	l.seen.memory = s.memory()
	return o, s.stop()
}

// served returns how a scenario happens that needs a running server and no more.
func served(use func(context.Context, *server, extent) (outcome, error)) func(context.Context, *look) (outcome, error) {
	return func(ctx context.Context, l *look) (outcome, error) {
		return l.serve(ctx, func(s *server) (outcome, error) { return use(ctx, s, l.bench.size) })
	}
}
