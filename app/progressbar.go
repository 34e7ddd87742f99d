package main

import (
	"fmt"
	"io"
	"os"
	"time"
)

// barEvery is how often a terminal is told how far something has come.
const barEvery = 100 * time.Millisecond

// progressBar tells a terminal, in one line, how far something has come. Where
// there is none it tells nobody.
type progressBar struct {
	out   io.Writer
	shown time.Time
}

func newProgressBar(f *os.File) *progressBar {
	if info, err := f.Stat(); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		return &progressBar{}
	}
	return &progressBar{out: f}
}

// show tells that so many bytes of all are done.
func (b *progressBar) show(done, total uint64) {
	if b.out == nil || time.Since(b.shown) < barEvery {
		return
	}
	b.shown = time.Now()
	percent := 100.0
	if total > 0 {
		percent = 100 * float64(done) / float64(total)
	}
	fmt.Fprintf(b.out, "\r%3.0f %%  %s of %s  ", percent, size(done), size(total))
}

// clear takes the line away.
func (b *progressBar) clear() {
	if b.out != nil && !b.shown.IsZero() {
		fmt.Fprint(b.out, "\r\x1b[K")
	}
}
