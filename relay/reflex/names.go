package reflex

import (
	"slices"
	"unicode/utf8"

	"hearth/relay/protocol"
)

// MaxTypeName is the length of the longest type of events, in bytes: twice what
// the longest name of a stream takes.
const MaxTypeName = 128

// owned are the types of the events that only the relay publishes, sorted.
var owned = []string{
	"feedback_given",
	"rule_archived", "rule_due", "rule_errored", "rule_fired", "rule_installed", "rule_reset",
	"run_cancelled", "run_dead_lettered", "run_progressed", "run_requeued", "run_retrying",
	"run_skipped", "run_started", "run_succeeded",
	"tick",
}

// Owned says whether events of a type are published by the relay alone.
func Owned(name string) bool {
	_, ok := slices.BinarySearch(owned, name)
	return ok
}

// checkStream checks the name of a stream. The error is a *Rejection.
func checkStream(name string) error {
	if name == RelayStream {
		return nil
	}
	if _, err := protocol.ParseName(name); err != nil {
		return invalid("", fieldError(err.Error(), badValue, "stream_id"))
	}
	return nil
}

// validType says whether a text can be the type of events: one of up to
// MaxTypeName bytes without control characters.
func validType(name string) bool {
	if name == "" || len(name) > MaxTypeName || !utf8.ValidString(name) {
		return false
	}
	for _, r := range name {
		if r < ' ' || 0x7f <= r && r <= 0x9f {
			return false
		}
	}
	return true
}
