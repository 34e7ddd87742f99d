package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"
)

const (
	// quietTime is how long the program is given to come to rest.
	quietTime = 5 * time.Second

	// idleTime is how long the idle program is watched, floodTime and steadyTime
	// the one that is written to.
	idleTime   = time.Minute
	floodTime  = 5 * time.Second
	steadyTime = 20 * time.Second

	// floodWriters keep the relay busy; steadyWriters together append steadyRate
	// entries a second.
	floodWriters  = 8
	steadyWriters = 4
	steadyRate    = 1000

	// million is the length of the long stream.
	million = 1_000_000
)

// bench takes the figures of one program.
type bench struct {
	program string
	scratch string
	rounds  int
	folders int
	display *display
}

// row is a line of the table.
type row struct{ what, figure, target string }

// measure takes all figures.
func (b *bench) measure(ctx context.Context) (rows []row, err error) {
	if b.display, err = newDisplay(ctx, b.scratch); err != nil {
		return nil, err
	}
	defer b.display.close()
	full, err := b.filled(ctx)
	if err != nil {
		return nil, err
	}
	for _, take := range []func(context.Context, string) ([]row, error){b.starts, b.idle, b.scrolling, b.writing} {
		more, err := take(ctx, full)
		if err != nil {
			return nil, err
		}
		rows = append(rows, more...)
	}
	return rows, nil
}

func (b *bench) newFolder() string {
	b.folders++
	return filepath.Join(b.scratch, fmt.Sprintf("data-%d", b.folders))
}

// filled makes a folder with one long stream.
func (b *bench) filled(ctx context.Context) (folder string, err error) {
	folder = b.newFolder()
	err = b.headless(ctx, folder, func(p *program) error { return fill(ctx, p.address, "long", million) })
	return folder, err
}

// headless and shown run the program on a folder for as long as use takes.
func (b *bench) headless(ctx context.Context, folder string, use func(*program) error) error {
	return b.run(ctx, folder, use, "serve")
}

func (b *bench) shown(ctx context.Context, folder string, use func(*program) error) error {
	return b.run(ctx, folder, func(p *program) error {
		if err := b.display.window(ctx); err != nil {
			return err
		}
		time.Sleep(quietTime)
		return use(p)
	})
}

func (b *bench) run(ctx context.Context, folder string, use func(*program) error, arguments ...string) error {
	p, err := launch(ctx, b.program, folder, b.display.environment(), arguments...)
	if err != nil {
		return err
	}
	err = p.serving(ctx, folder)
	if err == nil {
		err = use(p)
	}
	return errors.Join(err, p.stop())
}

// starts tells how soon the window shows what it has to show.
func (b *bench) starts(ctx context.Context, full string) ([]row, error) {
	var rows []row
	for _, on := range []struct {
		what   string
		folder func() string
	}{
		{"nothing", b.newFolder},
		{"a million entries", func() string { return full }},
	} {
		var took []time.Duration
		for range b.rounds {
			d, err := b.firstFrame(ctx, on.folder())
			if err != nil {
				return nil, err
			}
			took = append(took, d)
		}
		rows = append(rows, row{"first frame, with " + on.what, inMilliseconds(middle(took)), "≤ 1,000 ms"})
	}
	return rows, nil
}

// firstFrame starts the program and returns when the first picture was there that
// is like the one a few seconds later.
func (b *bench) firstFrame(ctx context.Context, folder string) (time.Duration, error) {
	begun := time.Now()
	p, err := launch(ctx, b.program, folder, b.display.environment())
	if err != nil {
		return 0, err
	}
	type picture struct {
		at     time.Time
		pixels []byte
	}
	var pictures []picture
	watching, cancel := context.WithTimeout(ctx, quietTime)
	defer cancel()
	b.display.watch(watching, func(at time.Time) {
		pictures = append(pictures, picture{at, slices.Clone(b.display.pixels)})
	})
	settled := slices.Clone(b.display.pixels)
	if err := p.stop(); err != nil {
		return 0, err
	}
	if ctx.Err() != nil {
		return 0, ctx.Err()
	}
	for _, p := range pictures {
		if alike(p.pixels, settled) {
			return p.at.Sub(begun), nil
		}
	}
	return 0, errors.New("the window does not come to rest")
}

// alike says whether a picture shows what another one does: nine tenths of the
// points in it that differ from their neighbours, which are letters and lines.
func alike(picture, settled []byte) bool {
	points, same := 0, 0
	for i := pixelBytes; i < len(settled); i += pixelBytes {
		if string(settled[i-pixelBytes:i]) == string(settled[i:i+pixelBytes]) {
			continue
		}
		points++
		if string(picture[i-pixelBytes:i+pixelBytes]) == string(settled[i-pixelBytes:i+pixelBytes]) {
			same++
		}
	}
	return points > 0 && same*10 >= points*9
}

// idle tells what the window takes while nothing happens.
func (b *bench) idle(ctx context.Context, full string) ([]row, error) {
	var rows []row
	err := b.shown(ctx, full, func(p *program) error {
		for _, as := range []struct{ what, input string }{
			{"shown", "mousemove 5 5"},
			{"minimised", "search --onlyvisible --name ^Hearth$ windowminimize"},
		} {
			if err := b.display.input(ctx, as.input); err != nil {
				return err
			}
			time.Sleep(quietTime)
			share, err := p.share(ctx, idleTime)
			if err != nil {
				return err
			}
			rows = append(rows, row{"idle, window " + as.what, ofCore(share), "≤ 1 % of a core"})
		}
		return nil
	})
	return rows, err
}

// writing tells what the window takes from a relay that is written to: of the
// rate that is possible, and in processor time at a steady rate.
func (b *bench) writing(ctx context.Context, _ string) ([]row, error) {
	var with, without, loss []float64
	var steadyWith, steadyWithout []float64
	both := func(p *program, rates, shares *[]float64) error {
		rate, err := flood(ctx, p.address, floodWriters, floodTime)
		if err != nil {
			return err
		}
		share, err := steady(ctx, p)
		*rates, *shares = append(*rates, rate), append(*shares, share)
		return err
	}
	for range b.rounds { // by turns, so that both have the same machine
		err := b.shown(ctx, b.newFolder(), func(p *program) error {
			if err := b.display.input(ctx, "key ctrl+2"); err != nil {
				return err
			}
			return both(p, &with, &steadyWith)
		})
		if err != nil {
			return nil, err
		}
		err = b.headless(ctx, b.newFolder(), func(p *program) error {
			time.Sleep(quietTime)
			return both(p, &without, &steadyWithout)
		})
		if err != nil {
			return nil, err
		}
		last := len(with) - 1
		loss = append(loss, 1-with[last]/without[last])
	}
	return []row{
		{
			fmt.Sprintf("appends/s of %d writers, window on Streams and without", floodWriters),
			fmt.Sprintf("%.0f and %.0f", middle(with), middle(without)), "",
		},
		{"what the window costs of them", fmt.Sprintf("%.1f %% (rounds %.1f to %.1f)", 100*middle(loss), 100*slices.Min(loss), 100*slices.Max(loss)), "< 5 %"},
		{fmt.Sprintf("at %d appends/s, window on Streams", steadyRate), ofCore(middle(steadyWith)), ""},
		{fmt.Sprintf("at %d appends/s, without a window", steadyRate), ofCore(middle(steadyWithout)), ""},
	}, nil
}

// steady returns the part of a core that the program takes while it is written to
// at a steady rate.
func steady(ctx context.Context, p *program) (share float64, err error) {
	const every = time.Second * steadyWriters / steadyRate
	errs := make(chan error, steadyWriters)
	for i := range steadyWriters {
		go func() {
			_, err := one(ctx, p.address, fmt.Sprintf("steady-%d", i), every, steadyTime+time.Second)
			errs <- err
		}()
	}
	share, err = p.share(ctx, steadyTime)
	for range steadyWriters {
		err = errors.Join(err, <-errs)
	}
	return share, err
}

func inMilliseconds(d time.Duration) string { return fmt.Sprintf("%.0f ms", d.Seconds()*1e3) }

func ofCore(share float64) string { return fmt.Sprintf("%.2f %% of a core", 100*share) }

// middle returns the median, of an even number the upper one of the two.
func middle[T float64 | time.Duration](values []T) T {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
