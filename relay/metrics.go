package relay

import (
	"context"
	"net/http"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"hearth/relay/protocol"
	"hearth/relay/reflex"
	"hearth/relay/store"
)

// metrics are the relay's figures for Prometheus. None of them names a stream or
// a client, so their number is bounded.
type metrics struct {
	registry                      *prometheus.Registry
	writes, repeats, reads, waits prometheus.Counter
	entriesWritten, entriesRead   prometheus.Counter
	bytesWritten, bytesRead       prometheus.Counter
	eventsPublished, eventsRead   prometheus.Counter
	eventsSent, eventDuplicates   prometheus.Counter
	commands                      *prometheus.CounterVec
	refusals                      *prometheus.CounterVec
	writeTime, readTime           prometheus.Histogram
}

// times are the bounds of the histograms, in seconds: from below one commit to
// the time after which a client gives up.
var times = []float64{0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30}

func newMetrics() *metrics {
	m := &metrics{registry: prometheus.NewRegistry()}
	m.writes = m.counter("writes_total", "Batches written.")
	m.repeats = m.counter("repeats_total", "Batches that were there already.")
	m.reads = m.counter("reads_total", "Pages read.")
	m.waits = m.counter("waits_total", "Waits answered.")
	m.entriesWritten = m.counter("entries_written_total", "Entries written.")
	m.entriesRead = m.counter("entries_read_total", "Entries read.")
	m.bytesWritten = m.counter("bytes_written_total", "Bytes of the bodies of batches.")
	m.bytesRead = m.counter("bytes_read_total", "Bytes of pages.")
	m.eventsPublished = m.counter("events_published_total", "Events appended.")
	m.eventDuplicates = m.counter("event_duplicates_total", "Events that were there already, by their ids.")
	m.eventsRead = m.counter("events_read_total", "Events read in pages.")
	m.eventsSent = m.counter("events_sent_total", "Events that went through live sockets, which count when they close.")
	m.commands = prometheus.NewCounterVec(prometheus.CounterOpts{
		Namespace: "hearth", Name: "commands_total", Help: "Commands by their result: ok, or why they were refused.",
	}, []string{"result"})
	m.commands.WithLabelValues(commandOK)
	m.refusals = prometheus.NewCounterVec(prometheus.CounterOpts{
		Namespace: "hearth", Name: "refusals_total", Help: "Refusals by their code.",
	}, []string{"code"})
	// All are there from the start, so that a first one shows as a rise.
	for _, code := range protocol.Codes() {
		m.refusals.WithLabelValues(string(code))
	}
	for _, reason := range reflex.RejectionTypes() {
		m.refusals.WithLabelValues(string(reason))
		m.commands.WithLabelValues(string(reason))
	}
	m.writeTime = m.histogram("write_seconds", "Time from a whole body to the store's answer.")
	m.readTime = m.histogram("read_seconds", "Time that the store takes for a page.")
	m.registry.MustRegister(m.commands, m.refusals, collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func (m *metrics) counter(name, help string) prometheus.Counter {
	c := prometheus.NewCounter(prometheus.CounterOpts{Namespace: "hearth", Name: name, Help: help})
	m.registry.MustRegister(c)
	return c
}

func (m *metrics) histogram(name, help string) prometheus.Histogram {
	h := prometheus.NewHistogram(prometheus.HistogramOpts{Namespace: "hearth", Name: name, Help: help, Buckets: times})
	m.registry.MustRegister(h)
	return h
}

func (m *metrics) gauge(name, help string, value func() float64) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Namespace: "hearth", Name: name, Help: help}, value))
}

// watch adds the figures that are looked up when somebody asks.
func (m *metrics) watch(r *Relay) {
	total := func(of func(store.Totals) float64) func() float64 {
		return func() float64 {
			t, err := r.store.Totals(context.Background())
			if err != nil {
				return 0 // the store is closing
			}
			return of(t)
		}
	}
	m.gauge("waiting", "Waits that are held now.", func() float64 { return float64(r.seen.waiting.Load()) })
	m.gauge("live_sockets", "Live sockets that are open.", func() float64 { return float64(r.seenEvents.following.Load()) })
	m.gauge("streams", "Streams in all spaces.", total(func(t store.Totals) float64 { return float64(t.Streams) }))
	m.gauge("entries", "Entries in all streams.", total(func(t store.Totals) float64 { return float64(t.Entries) }))
	m.gauge("entry_bytes", "Bytes of all entries.", total(func(t store.Totals) float64 { return float64(t.Bytes) }))
	m.gauge("disk_bytes", "Bytes of the database's files.", total(func(t store.Totals) float64 { return float64(t.Disk) }))
	m.gauge("log_bytes", "Bytes of the write-ahead log.", total(func(t store.Totals) float64 { return float64(t.Log) }))
	m.gauge("disk_free_bytes", "Bytes free where the database lies.", func() float64 { return float64(diskFree(r.dir)) })
}

// handler answers with the figures.
func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}
