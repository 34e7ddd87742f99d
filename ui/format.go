package ui

import (
	"math/big"
	"time"

	"github.com/dustin/go-humanize"
)

// number groups digits in threes.
func number[T int | uint32 | uint64](n T) string {
	return humanize.BigComma(new(big.Int).SetUint64(uint64(n)))
}

// counted is a number with its noun.
func counted[T int | uint32 | uint64](n T, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return number(n) + " " + many
}

// byteSize is a size in powers of ten, as disks are sold.
func byteSize(n uint64) string { return humanize.Bytes(n) }

const (
	day = 24 * time.Hour

	// old is when a date says more than an age.
	old = 14 * day
)

// ages are short enough for a column.
var ages = []humanize.RelTimeMagnitude{
	{D: time.Minute, Format: "just now", DivBy: 1},
	{D: time.Hour, Format: "%d min %s", DivBy: time.Minute},
	{D: day, Format: "%d h %s", DivBy: time.Hour},
	{D: 2 * day, Format: "yesterday", DivBy: 1},
	{D: old, Format: "%d days %s", DivBy: day},
}

// ago says how long before now something was; what is older than two weeks has
// its date.
func ago(t, now time.Time) string {
	switch {
	case t.IsZero():
		return "never"
	case t.After(now): // another machine's clock may be ahead by a little
		return "just now"
	case now.Sub(t) >= old:
		return t.Local().Format(time.DateOnly)
	}
	return humanize.CustomRelTime(t, now, "ago", "", ages)
}

// exact is a time to the second, with how long ago that was if not long.
func exact(t, now time.Time) string {
	if t.IsZero() {
		return "never"
	}
	at := t.Local().Format(time.DateTime)
	if now.Sub(t) >= old {
		return at
	}
	return at + " · " + ago(t, now)
}

// shortened is the beginning of something that is longer than n letters.
func shortened(s string, n int) string {
	letters := []rune(s)
	if len(letters) <= n {
		return s
	}
	return cut(letters, n, false)
}

// titleMost is how many letters of a name a title has room for.
const titleMost = 40

// abridged is a name that is longer than n letters without its middle: names
// differ at their ends as often as where they begin.
func abridged(name string, n int) string {
	letters := []rune(name)
	if len(letters) <= n {
		return name
	}
	return cut(letters, n, true)
}
