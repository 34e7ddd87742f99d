package main

import (
	"context"
	"fmt"
	"os"
	"sync"
	"sync/atomic"
)

// folder is the data folder of one target.
type folder struct {
	path string
	key  string // the access key of clients, "" if they need none
}

// newFolder makes a data folder for a target.
func (b *bench) newFolder(ctx context.Context, t *target) (*folder, error) {
	path, err := os.MkdirTemp(b.folder, "data-")
	if err != nil {
		return nil, err
	}
	f := &folder{path: path}
	if t.prepare != nil {
		if f.key, err = t.prepare(ctx, path); err != nil {
			return nil, fmt.Errorf("a data folder for %s: %w", t.name, err)
		}
	}
	return f, nil
}

func (f *folder) remove() error { return os.RemoveAll(f.path) }

// fixture is data that is there before a scenario begins.
type fixture struct {
	name string
	fill func(ctx context.Context, s *server) error
}

// fixtureKey names a fixture of a target.
type fixtureKey struct {
	name string
	kind kind
}

// fixture returns the target's folder with the data, which is written when it is
// first asked for.
func (b *bench) fixture(ctx context.Context, f *fixture, t *target) (*folder, error) {
	key := fixtureKey{f.name, t.kind}
	if place := b.fixtures[key]; place != nil {
		return place, nil
	}
	place, err := b.newFolder(ctx, t)
	if err != nil {
		return nil, err
	}
	if t.kind != ceiling { // which keeps nothing
		fmt.Fprintf(b.progress, "%s writes %s\n", t.name, f.name)
		s, err := start(ctx, t, place)
		if err != nil {
			return nil, err
		}
		if err := f.fill(ctx, s); err != nil {
			s.kill()
			return nil, err
		}
		if err := s.stop(); err != nil {
			return nil, err
		}
	}
	b.fixtures[key] = place
	return place, nil
}

// historyFixture is one stream that one writer has written in batches of 100.
func historyFixture(size extent) *fixture {
	return &fixture{
		name: fmt.Sprintf("a stream of %s entries", count(size.entries)),
		fill: func(ctx context.Context, s *server) error {
			return writeAll(ctx, s, 1, size.entries/batchEntries, func(_, _ int) []byte {
				return s.append(stream, batchEntries, smallEntry).next()
			})
		},
	}
}

// streamsFixture is many streams of one entry.
func streamsFixture(size extent) *fixture {
	return &fixture{
		name: fmt.Sprintf("%s streams", count(size.streams)),
		fill: func(ctx context.Context, s *server) error {
			return writeAll(ctx, s, 64, streamsOf(s.target, size), func(_, i int) []byte {
				return s.append(numbered(i), 1, smallEntry).next()
			})
		},
	}
}

// publishedStreams is how many times fewer streams the published relay is given:
// it looks at all of them to write to one, and 100,000 would take it a quarter of
// an hour to make.
const publishedStreams = 10

// streamsOf returns how many streams the fixture has on a target.
func streamsOf(t *target, size extent) int {
	if t.kind == published {
		return size.streams / publishedStreams
	}
	return size.streams
}

func numbered(i int) string { return fmt.Sprintf("bench-%d", i) }

// writeAll writes a number of batches from a number of writers; both are numbered
// from 0.
func writeAll(ctx context.Context, s *server, writers, total int, request func(writer, i int) []byte) error {
	var taken atomic.Int64
	errs := make([]error, writers)
	var clients sync.WaitGroup
	for w := range writers {
		clients.Go(func() {
			errs[w] = func() error {
				c, err := dial(s.address)
				if err != nil {
					return err
				}
				defer c.close()
				for ctx.Err() == nil {
					i := int(taken.Add(1)) - 1
					if i >= total {
						return nil
					}
					if _, err := c.do(request(w, i)); err != nil {
						return err
					}
				}
				return ctx.Err()
			}()
		})
	}
	clients.Wait()
	return firstOf(errs)
}

// firstOf returns the first error: a server that is gone makes many.
func firstOf(errs []error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
