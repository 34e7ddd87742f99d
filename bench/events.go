package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
)

// publishers is how many publish at the same time.
const publishers = 16

// sample is an event as a service reports it.
const sample = `{"type":"service.error","service":"auth","severity":8,"message":"token check failed"}`

// eventPage is how many events are read at a time.
const eventPage = 1000

// eventScenarios publish, follow and read events over reflexr.v1, which the
// published relay does not speak.
func eventScenarios(size extent) []scenario {
	others := []kind{published}
	return []scenario{{
		name: "events-publish", title: "publish an event, 16 publishers on one stream",
		unit: eventRate, skips: others, run: publishing{events: 1}.run(),
	}, {
		name: "events-publish-100", title: "publish 100 events at once, 16 publishers on one stream",
		unit: eventRate, skips: others, run: publishing{events: batchEntries}.run(),
	}, {
		name: "events-live", title: "publish → 16 subscribers have the event, p99 at 1,000 events/s",
		unit: milliseconds, skips: []kind{published, ceiling}, run: served(followLive),
	}, {
		name: "events-read", title: fmt.Sprintf("read %s events in pages of 1,000", count(size.catchUp)),
		unit: eventRate, skips: others, data: eventsFixture(size),
		run: served(func(ctx context.Context, s *server, size extent) (outcome, error) {
			return load(ctx, s, size, []job{readEvents(s, size.catchUp)})
		}),
	}}
}

// eventsFixture is one stream of events, written in arrays of 100.
func eventsFixture(size extent) *fixture {
	return &fixture{
		name: fmt.Sprintf("a stream of %s events", count(size.catchUp)),
		fill: func(ctx context.Context, s *server) error {
			request := publishing{events: batchEntries}.request(s)
			return writeAll(ctx, s, publishers, size.catchUp/batchEntries, func(_, _ int) []byte { return request })
		},
	}
}

// publishing is how many events are published at once.
type publishing struct {
	events int
}

// request returns a request that publishes, the same each time: the relay draws
// the events' ids.
func (p publishing) request(s *server) []byte {
	if p.events == 1 {
		return s.publish(`{"event":` + sample + `}`)
	}
	one := `{"event":` + sample + `}`
	return s.publish(`{"events":[` + one + strings.Repeat(","+one, p.events-1) + `]}`)
}

// publish returns a request that publishes what a body says.
func (s *server) publish(body string) []byte {
	head := s.request("POST", eventsPath, fmt.Sprintf("Content-Type: application/json\r\nContent-Length: %d\r\n", len(body)))
	return append(head, body...)
}

// eventsPath is where the events of the stream are.
const eventsPath = "/reflex/v1/streams/" + stream + "/events"

// run returns how the scenario happens.
func (p publishing) run() func(context.Context, *look) (outcome, error) {
	return served(func(ctx context.Context, s *server, size extent) (outcome, error) {
		var taken atomic.Int64
		request := p.request(s)
		jobs := make([]job, publishers)
		for i := range jobs {
			jobs[i] = func(c *conn) (int, error) {
				_, err := c.do(request)
				if err == nil {
					taken.Add(int64(p.events))
				}
				return p.events, err
			}
		}
		o, err := load(ctx, s, size, jobs)
		if err != nil || s.target.kind == ceiling {
			return o, err
		}
		return o, checkEvents(s, taken.Load())
	})
}

// checkEvents sees that the server has as many events as it took.
func checkEvents(s *server, taken int64) error {
	c, err := dial(s.address)
	if err != nil {
		return err
	}
	defer c.close()
	page, err := c.do(s.get(eventsPath + "?last=1"))
	if err != nil {
		return err
	}
	if held, err := lastEvent(page); err != nil || int64(held) != taken {
		return fmt.Errorf("took %d events and holds %d, %w", taken, held, err)
	}
	return nil
}

// readEvents returns a job that reads the next page, and starts over at the end.
func readEvents(s *server, total int) job {
	at := 0
	return func(c *conn) (int, error) {
		if at >= total {
			at = 0
		}
		// The ceiling looks for the limit at the end.
		page, err := c.do(s.get(fmt.Sprintf("%s?after_seq=%d&limit=%d", eventsPath, at, eventPage)))
		if err != nil {
			return 0, err
		}
		n := bytes.Count(page, []byte(eventStart))
		last, err := lastEvent(page)
		if err != nil {
			return 0, err
		}
		if at += n; last != at && s.target.kind != ceiling {
			return 0, fmt.Errorf("a page of %d events ends at %d, not at %d", n, last, at)
		}
		return n, nil
	}
}

// eventStart is how each envelope of a page begins, and nothing within ours does.
const eventStart = `{"seq":`

// lastEvent returns the position of a page's last event.
func lastEvent(page []byte) (int, error) {
	at := bytes.LastIndex(page, []byte(eventStart))
	if at < 0 {
		return 0, errors.New("a page without events")
	}
	number, _, _ := bytes.Cut(page[at+len(eventStart):], []byte(","))
	return strconv.Atoi(string(number))
}
