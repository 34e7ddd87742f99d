package ui

import (
	"math"
	"testing"
	"time"

	"hearth/relay/console"
)

// The time until the disk is full is told where the last hour says something
// about it, in words that claim no more than that.
func TestFullIn(t *testing.T) {
	for _, test := range []struct {
		free, bytes uint64
		since       time.Duration
		want        string
	}{
		{0, 1000, time.Hour, "not known on this system"},
		{1e12, 0, time.Hour, "nothing was written in the last hour"},
		{1e12, 1e6, time.Minute, "too early to tell"},
		{1e9, 1e9, 24 * time.Hour, "about 60 minutes, if it goes on like the last hour"},
		{1e9, 1e9, 30 * time.Minute, "about 30 minutes, if it goes on like the last hour"},
		{10e9, 1e8, 24 * time.Hour, "about 4 days, if it goes on like the last hour"},
		{75e9, 5e6, 24 * time.Hour, "about 20 months, if it goes on like the last hour"},
		{75e9, 2e6, 24 * time.Hour, "about 4 years, if it goes on like the last hour"},
		{math.MaxUint64, 1, 24 * time.Hour, "more than 10 years, as the last hour goes"},
	} {
		minutes := []console.Minute{{Bytes: test.bytes / 2}, {Bytes: test.bytes - test.bytes/2}}
		if got := fullIn(test.free, minutes, test.since); got != test.want {
			t.Errorf("%d free, %d written, after %v: %q, want %q", test.free, test.bytes, test.since, got, test.want)
		}
	}
}
