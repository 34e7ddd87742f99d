package main

import (
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"hearth/relay/console"
)

// wrongValue says what is wrong with a setting, where it comes from, and what to
// do.
func wrongValue(what string, origin console.Origin, folder string, err error) error {
	hint := "start Hearth with another value"
	switch origin {
	case console.OriginEnvironment:
		hint = "change or unset the variable HEARTH_… that says so"
	case console.OriginFile:
		hint = "change it in " + filepath.Join(folder, settingsName)
	}
	return &hintedError{fmt.Errorf("%s, from the %s: %w", what, origin, err), hint}
}

// warn tells of keys in the settings file that are not known: they may belong to
// a newer version, or be slips of the pen that one would wonder about for long.
func (s settings) warn(log *slog.Logger) {
	for _, key := range slices.Sorted(maps.Keys(s.kept.others)) {
		if near := nearest(key, slices.Sorted(maps.Keys(s.kept.fields()))); near != "" {
			log.Warn("the settings file has a key that is not known here", "key", key, "meant", near)
			continue
		}
		log.Warn("the settings file has a key that is not known here", "key", key)
	}
}

// nearest returns the one of the known words that is most like a word; empty if
// none is.
func nearest(word string, known []string) string {
	best, least := "", max(2, len(word)/3)+1 // every third letter may be wrong
	if len(word) > 2*maxNameBytes {
		return "" // no slip of the pen makes it as long
	}
	for _, k := range known {
		if d := distance(strings.ToLower(word), k); d < least {
			best, least = k, d
		}
	}
	return best
}

// distance counts how many letters have to be put in, left out or replaced to
// make b of a (Levenshtein's distance).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		before := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := before
			if a[i] != b[j] {
				cost++
			}
			before = row[j+1]
			row[j+1] = min(row[j+1]+1, row[j]+1, cost)
		}
	}
	return row[len(b)]
}
