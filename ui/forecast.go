package ui

import (
	"time"

	"hearth/relay/console"
)

const (
	// shortest is how long a relay must have run before what was written says
	// anything about the time to come.
	shortest = 10 * time.Minute

	// farthest is where a forecast ends: nobody's disk is that old.
	farthest = 10 * 365 * day
)

// fullIn says in how long the disk will be full if writing goes on as in the
// last hour; since is how long the relay has run.
func fullIn(free uint64, minutes []console.Minute, since time.Duration) string {
	bytes := uint64(0)
	for _, m := range minutes {
		bytes += m.Bytes
	}
	switch {
	case free == 0:
		return "not known on this system"
	case bytes == 0:
		return "nothing was written in the last hour"
	case since < shortest:
		return "too early to tell"
	}
	// In hours: a disk of petabytes and a byte an hour are too long for a
	// time.Duration.
	hours := float64(free) / float64(bytes) * min(since, time.Hour).Hours()
	if hours >= farthest.Hours() {
		return "more than 10 years, as the last hour goes"
	}
	return "about " + roughly(time.Duration(hours*float64(time.Hour))) + ", if it goes on like the last hour"
}

// roughly is a length of time in its largest unit of which there are two.
func roughly(d time.Duration) string {
	for _, unit := range []struct {
		length    time.Duration
		one, many string
	}{
		{365 * day, "year", "years"},
		{30 * day, "month", "months"},
		{day, "day", "days"},
		{time.Hour, "hour", "hours"},
	} {
		if d >= 2*unit.length {
			return counted(int(d/unit.length), unit.one, unit.many)
		}
	}
	return counted(max(1, int(d/time.Minute)), "minute", "minutes")
}
