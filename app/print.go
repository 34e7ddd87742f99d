package main

import (
	"fmt"
	"strings"
	"time"
	"unicode"

	"github.com/dustin/go-humanize"
)

// columnGap is how many blanks stand between the columns of a table.
const columnGap = 2

// printable returns a text from elsewhere without what could steer a terminal.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, text)
}

// size says a number of bytes for people.
func size(bytes uint64) string { return humanize.Bytes(bytes) }

// moment says a time for people; one that is not known is a dash.
func moment(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Local().Format(time.DateTime)
}

// count says how many of something there are.
func count(n uint64, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}
