package reflex_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"hearth/relay/reflex"
)

// small is an event as machines report them.
const small = `{"type":"service.error","service":"auth","severity":8,"message":"token check failed","host":"node-17","tags":["a","b"],"ok":true}`

// many returns a body with so many events.
func many(n int, event string) string {
	return `{"events":[` + strings.Repeat(`{"event":`+event+`},`, n-1) + `{"event":` + event + `}]}`
}

// BenchmarkDecode reads bodies of POST events, as they come from clients that
// write blanks and from those that do not.
func BenchmarkDecode(b *testing.B) {
	spaced := strings.NewReplacer(`":`, `": `, `,"`, `, "`).Replace(small)
	for _, c := range []struct {
		name   string
		body   string
		events int
	}{
		{"bare", small, 1},
		{"bare/spaced", spaced, 1},
		{"events=100", many(100, small), 100},
		{"events=100/spaced", many(100, spaced), 100},
		{"type=last", many(100, small[:1]+small[len(`{"type":"service.error",`):len(small)-1]+`,"type":"service.error"}`), 100},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.body)))
			b.ReportAllocs()
			body := make([]byte, len(c.body))
			for b.Loop() {
				copy(body, c.body)
				if _, err := reflex.DecodePublication(body); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N*c.events)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

// BenchmarkPublish publishes with full durability.
func BenchmarkPublish(b *testing.B) {
	for _, c := range []struct {
		name       string
		publishers int
		events     int
		command    bool
	}{
		{"events=1/publishers=16", 16, 1, false},
		{"events=1/publishers=16/command", 16, 1, true},
		{"events=100/publishers=1", 1, 100, false},
		{"events=100/publishers=16", 16, 100, false},
	} {
		b.Run(c.name, func(b *testing.B) {
			p := found(b)
			body := many(c.events, small)
			var next atomic.Int64
			var publishing sync.WaitGroup
			b.ResetTimer()
			for range c.publishers {
				publishing.Go(func() {
					for {
						n := next.Add(1)
						if n > int64(b.N) {
							return
						}
						if err := p.once(n, body, c.command); err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			publishing.Wait()
			b.ReportMetric(float64(b.N*c.events)/b.Elapsed().Seconds(), "events/s")
		})
	}
}

// once publishes a body once, as events or as the command with a number.
func (p *place) once(n int64, body string, command bool) error {
	if command {
		f, err := reflex.DecodeFrame([]byte(wanted(fmt.Sprint(n), small)))
		if err != nil {
			return err
		}
		if result := p.Do(context.Background(), anna, "bench", f); !result.OK {
			return result.Rejection
		}
		return nil
	}
	events, err := reflex.DecodePublication([]byte(body))
	if err != nil {
		return err
	}
	_, err = p.Publish(context.Background(), anna, "bench", events)
	return err
}

// BenchmarkRead reads a stream of small events, page by page.
func BenchmarkRead(b *testing.B) {
	const total = 50_000
	p := found(b)
	for range total / 1000 {
		p.publish(b, "bench", many(1000, small))
	}
	for _, c := range []struct {
		name  string
		limit int
		types []string
	}{
		{"limit=1000", 1000, nil},
		{"limit=10000", 10_000, nil},
		{"limit=1000/filtered", 1000, []string{"service.error"}},
		{"limit=1000/nothing", 1000, []string{"nothing"}},
		{"limit=1", 1, nil},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			read := uint64(0)
			after := uint64(0)
			for b.Loop() {
				page, err := p.Read(context.Background(), anna, "bench", reflex.Query{After: after, Limit: &c.limit, Types: c.types})
				if err != nil {
					b.Fatal(err)
				}
				read += page.Cursor.Seq - after
				after = page.Next
				page.Release()
			}
			b.ReportMetric(float64(read)/b.Elapsed().Seconds(), "events/s")
		})
	}
}
