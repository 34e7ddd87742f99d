package ui

import (
	"testing"
	"time"
)

// BenchmarkScroll scrolls through a million entries, a screen further at each
// step, and tells how long the slowest step took the UI thread, without what the
// graphics card does.
func BenchmarkScroll(b *testing.B) {
	const total, batch = 1_000_000, 10_000
	s := openScene(b)
	for range total / batch {
		s.write("notes", make([]string, batch)...)
	}
	d := openDetail(s)
	end := float32(total * (fineRow + 1))
	offset, slowest := float32(0), time.Duration(0)
	b.ResetTimer()
	for b.Loop() {
		if offset += d.entries.Size().Height; offset > end {
			offset = 0
		}
		began := time.Now()
		d.entries.ScrollToOffset(offset)
		slowest = max(slowest, time.Since(began))
		s.settle()
	}
	b.ReportMetric(float64(slowest.Microseconds())/1000, "ms/slowest")
}
