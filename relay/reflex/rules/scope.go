package rules

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strconv"
	"strings"
)

// scopeOf returns the fields of an event that make its scope, or the one that it
// lacks.
func (r *Rule) scopeOf(e *Envelope) (scope Object, missing string) {
	scope = make(Object, len(r.Scope.Fields))
	for _, name := range r.Scope.Fields {
		v, ok := field(e.Event, name)
		if !ok {
			return nil, name
		}
		scope[name] = v
	}
	return scope, ""
}

// scopeKey returns the text of a scope: its values in the order of the fields, of
// which one that comes twice counts once.
func scopeKey(fields []string, scope Object) string {
	values := make(List, 0, len(fields))
	for i, name := range fields {
		if !slices.Contains(fields[:i], name) {
			values = append(values, scope[name])
		}
	}
	return Text(values)
}

// idDigits is how many hexadecimal digits of a SHA-256 make an id.
const idDigits = 16

// firingID returns the id of a firing, which is that of its run: the same whenever
// the same log is evaluated again in the same generation.
func firingID(rule string, generation int, scope string, seq uint64) string {
	return "fir_" + digest(strings.Join([]string{rule, strconv.Itoa(generation), scope, strconv.FormatUint(seq, 10)}, "\x00"))
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])[:idDigits]
}

// Definition names what the rule's state depends on: its condition and its scope,
// as they are written. When it changes, the rule starts anew.
func (r *Rule) Definition() string { return digest(r.condition()) }

func (r *Rule) condition() string {
	when := Object{"filter": r.When.Filter.canonical(), "dedupe": nil, "pattern": r.When.Pattern.canonical(), "throttle": nil}
	if d := r.When.Dedupe; d != nil {
		when["dedupe"] = Object{"key": texts(d.Key), "within": d.Within.String()}
	}
	if t := r.When.Throttle; t != nil {
		when["throttle"] = Object{"at_most": Int(int64(t.AtMost)), "per": t.Per.String()}
	}
	return Text(Object{"scope": texts(r.Scope.Fields), "when": when})
}

func (Each) canonical() Object { return Object{"kind": "each"} }

func (p Count) canonical() Object {
	return Object{"kind": "count", "at_least": Int(int64(p.AtLeast)), "within": p.Within.String()}
}

func (p Sequence) canonical() Object {
	return Object{"kind": "sequence", "steps": canonicals(p.Steps), "within": p.Within.String()}
}

func (p Absence) canonical() Object { return Object{"kind": "absence", "within": p.Within.String()} }
