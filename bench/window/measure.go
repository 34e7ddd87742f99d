package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

const (
	// quietTime is how long the program is given to come to rest.
	quietTime = 5 * time.Second

	// checkTime is how long a relay waits after its start before it checks all that
	// it holds, and then takes for a million entries, with room to spare.
	checkTime = 30 * time.Second

	// idleTime is how long the idle program is watched, floodTime and steadyTime
	// the one that is written to.
	idleTime   = time.Minute
	floodTime  = 10 * time.Second
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
		time.Sleep(checkTime)
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

// served is what a relay does under load.
type served struct {
	flood float64 // appends a second, as many as it can
	rate  float64 // appends a second where steadyRate are offered
	share float64 // of a core that the program takes at that
}

// writing tells what the window takes from a relay that is written to.
func (b *bench) writing(ctx context.Context, _ string) ([]row, error) {
	var with, without []served
	for range b.rounds { // by turns, so that both have the same machine
		err := b.shown(ctx, b.newFolder(), func(p *program) error {
			if err := b.display.input(ctx, "key ctrl+2"); err != nil {
				return err
			}
			s, err := underLoad(ctx, p)
			with = append(with, s)
			return err
		})
		if err != nil {
			return nil, err
		}
		err = b.headless(ctx, b.newFolder(), func(p *program) error {
			time.Sleep(quietTime)
			s, err := underLoad(ctx, p)
			without = append(without, s)
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	of := func(all []served, figure func(served) float64) float64 {
		var values []float64
		for _, s := range all {
			values = append(values, figure(s))
		}
		return middle(values)
	}
	flood := func(s served) float64 { return s.flood }
	rate := func(s served) float64 { return s.rate }
	share := func(s served) float64 { return s.share }
	return []row{
		{
			fmt.Sprintf("%d appends/s offered, window on Streams", steadyRate),
			fmt.Sprintf("%.0f/s, %s", of(with, rate), ofCore(of(with, share))), "> 95 % of those without",
		},
		{
			fmt.Sprintf("%d appends/s offered, without a window", steadyRate),
			fmt.Sprintf("%.0f/s, %s", of(without, rate), ofCore(of(without, share))), "",
		},
		{
			fmt.Sprintf("all that %d writers can append, window on Streams", floodWriters),
			fmt.Sprintf("%.0f/s, %.1f %% less", of(with, flood), 100*(1-of(with, flood)/of(without, flood))), "",
		},
		{
			fmt.Sprintf("all that %d writers can append, without a window", floodWriters),
			fmt.Sprintf("%.0f/s", of(without, flood)), "",
		},
	}, nil
}

func underLoad(ctx context.Context, p *program) (served, error) {
	rate, err := flood(ctx, p.address, floodWriters, floodTime)
	if err != nil {
		return served{}, err
	}
	s, err := steady(ctx, p)
	s.flood = rate
	return s, err
}

// steady writes to the program at a steady rate, as far as it keeps up, and returns
// the rate and the part of a core that it takes.
func steady(ctx context.Context, p *program) (s served, err error) {
	const every = time.Second * steadyWriters / steadyRate
	counts, errs := make([]int, steadyWriters), make([]error, steadyWriters)
	var group sync.WaitGroup
	for i := range steadyWriters {
		group.Go(func() { counts[i], errs[i] = one(ctx, p.address, fmt.Sprintf("steady-%d", i), every, steadyTime) })
	}
	s.share, err = p.share(ctx, steadyTime)
	group.Wait()
	for _, n := range counts {
		s.rate += float64(n) / steadyTime.Seconds()
	}
	return s, errors.Join(err, errors.Join(errs...))
}

func inMilliseconds(d time.Duration) string { return fmt.Sprintf("%.0f ms", d.Seconds()*1e3) }

func ofCore(share float64) string { return fmt.Sprintf("%.2f %% of a core", 100*share) }

// middle returns the median, of an even number the upper one of the two.
func middle[T float64 | time.Duration](values []T) T {
	sorted := slices.Sorted(slices.Values(values))
	return sorted[len(sorted)/2]
}
