package main

import (
	"strconv"
	"strings"
	"time"
)

// count writes a number with its thousands apart.
func count(n int) string { return number(float64(n), 0) }

// number writes a number with its thousands apart.
func number(value float64, decimals int) string {
	text := strconv.FormatFloat(value, 'f', decimals, 64)
	whole, rest, _ := strings.Cut(text, ".")
	for at := len(whole) - 3; at > 0 && whole[at-1] != '-'; at -= 3 {
		whole = whole[:at] + "," + whole[at:]
	}
	if rest != "" {
		rest = "." + rest
	}
	return whole + rest
}

// inMilliseconds writes a time for the table.
func inMilliseconds(d time.Duration) string { return number(d.Seconds()*1e3, 2) }
