package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Where things stand in the window at its first size, which the window manager
// puts into the middle of the display.
const (
	chooseStream = "mousemove --window %w 300 189 click 1"
	overEntries  = "mousemove --window %w 960 600"
	onScrollBar  = "mousemove --window %w 1161 435"
)

// scrolling tells how long a picture stands still, at the longest, while a person
// scrolls through a long stream.
func (b *bench) scrolling(ctx context.Context, full string) ([]row, error) {
	var rows []row
	err := b.shown(ctx, full, func(*program) error {
		for _, line := range []string{"key ctrl+2", "sleep 1", inWindow(chooseStream), "sleep 2"} {
			if err := b.display.input(ctx, line); err != nil {
				return err
			}
		}
		for _, by := range []struct{ what, place, input string }{
			// A wheel that is turned fast, and a bar that is drawn down evenly.
			{"the wheel", overEntries, "click --repeat 1000 --delay 10 5"},
			{"the bar", onScrollBar, "mousedown 1 " + strings.Repeat("mousemove_relative 0 1 sleep 0.03 ", 250) + "mouseup 1"},
		} {
			var frames []time.Duration
			for range b.rounds {
				if err := b.display.input(ctx, inWindow(by.place)); err != nil {
					return err
				}
				time.Sleep(quietTime)
				stills, err := b.stills(ctx, by.input)
				if err != nil {
					return err
				}
				frames = append(frames, stills...)
				if err := b.display.input(ctx, "key Home"); err != nil {
					return err
				}
			}
			rows = append(rows, row{
				"longest frame while scrolling by " + by.what,
				fmt.Sprintf("%s (of %d; 99 of 100 within %s, half within %s)",
					inMilliseconds(slices.Max(frames)), len(frames), inMilliseconds(percentile(frames, 99)), inMilliseconds(percentile(frames, 50))),
				"≤ 50 ms",
			})
		}
		return nil
	})
	return rows, err
}

// inWindow makes a line for xdotool concern Hearth's window.
func inWindow(line string) string {
	return "search --onlyvisible --name ^Hearth$ " + strings.ReplaceAll(line, "%w", "%1")
}

// stills returns how long each picture stood while something was put in.
func (b *bench) stills(ctx context.Context, input string) ([]time.Duration, error) {
	watching, cancel := context.WithCancel(ctx)
	defer cancel()
	over := make(chan error, 1)
	go func() {
		over <- b.display.input(ctx, input)
		cancel()
	}()
	var changes []time.Time
	b.display.watch(watching, func(at time.Time) { changes = append(changes, at) }) // until all is put in
	if err := <-over; err != nil {
		return nil, err
	}
	if len(changes) < 3 {
		return nil, errors.New("the list does not scroll")
	}
	var gaps []time.Duration
	for i, at := range changes[2:] { // the first is what was there, the second is the first step
		gaps = append(gaps, at.Sub(changes[i+1]))
	}
	return gaps, nil
}

// percentile returns the time that so many of 100 did not exceed.
func percentile(took []time.Duration, percent int) time.Duration {
	sorted := slices.Sorted(slices.Values(took))
	return sorted[(len(sorted)-1)*percent/100]
}
