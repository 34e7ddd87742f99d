package main

import (
	"context"
	"regexp"
	"slices"
)

const (
	// smallEntry is the size of what people write most, in bytes.
	smallEntry = 256

	// largeEntry is that of a picture's preview.
	largeEntry = 1 << 20

	// batchEntries is how many entries a batch has, if it has several.
	batchEntries = 100

	// stream is the one stream, where there is one.
	stream = "bench"
)

// unit is what a scenario's value counts.
type unit struct {
	name     string
	decimals int
	less     bool // whether less is better
}

var (
	requestRate  = unit{name: "requests/s"}
	batchRate    = unit{name: "batches/s"}
	entryRate    = unit{name: "entries/s"}
	eventRate    = unit{name: "events/s"}
	milliseconds = unit{name: "ms", decimals: 2, less: true}
	kibibytes    = unit{name: "KiB", decimals: 1, less: true}
	bytesEach    = unit{name: "B", less: true}
	percent      = unit{name: "%", decimals: 1}
)

// scenario is something that clients do, done to each target.
type scenario struct {
	name  string // for -scenario and the targets
	title string // for the table
	unit  unit

	// skips are the kinds of targets that it says nothing about.
	skips []kind

	// data is what the folder holds at the start; nil if nothing.
	data *fixture

	// run does it once.
	run func(ctx context.Context, l *look) (outcome, error)
}

// scenarios lists them all.
func scenarios(size extent) []scenario {
	history := historyFixture(size)
	many := streamsFixture(size)
	return slices.Concat(
		appendScenarios(),
		catchUpScenarios(size, history),
		tailScenarios(size, history),
		wakeScenarios(),
		[]scenario{idleScenario(size), manyStreamsScenario(size, many)},
		startScenarios(size, history, many),
		diskScenarios(size, history),
		eventScenarios(size),
	)
}

// choose returns those whose names match.
func choose(all []scenario, names *regexp.Regexp) []scenario {
	return slices.DeleteFunc(all, func(s scenario) bool { return !names.MatchString(s.name) })
}
