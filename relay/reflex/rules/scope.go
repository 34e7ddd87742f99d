package rules

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// maxScope is how large the text of a scope may be. It is a key in a database, and
// stands in each firing, while what is in it is for others to choose.
const maxScope = 4 << 10

// scopeOf returns the fields of an event that make its scope, and the text of that:
// the values in the order of the fields, of which one that comes twice counts once.
func (r *Rule) scopeOf(e *Envelope) (scope Object, key string, err error) {
	fields := r.Scope.Fields
	if len(fields) == 0 {
		return Object{}, "[]", nil
	}
	scope = make(Object, len(fields))
	text := make([]byte, 0, 64)
	for _, name := range fields {
		if _, twice := scope[name]; twice {
			continue
		}
		v, ok, err := e.Event.field(name)
		switch {
		case err != nil:
			return nil, "", err
		case !ok:
			return nil, "", fmt.Errorf("the event has no field %.100q, by which the rule's scopes are told apart", name)
		}
		if s, ok := v.(string); ok && len(s) > maxScope {
			return nil, "", errScope // before it is written down
		}
		scope[name] = v
		text = canonical.append(append(text, ','), v)
		if len(text) > maxScope {
			return nil, "", errScope
		}
	}
	text[0] = '['
	return scope, string(append(text, ']')), nil
}

var errScope = fmt.Errorf("the fields by which the rule's scopes are told apart are larger than %d bytes", maxScope)

// idDigits is how many hexadecimal digits of a SHA-256 make an id.
const idDigits = 16

// firingID returns the id of a firing, which is that of its run: the same whenever
// the same log is evaluated again in the same generation.
func firingID(rule string, generation int, scope string, seq uint64) string {
	return "fir_" + digest(strings.Join([]string{rule, strconv.Itoa(generation), scope, strconv.FormatUint(seq, 10)}, "\x00"))
}

func digest(text string) string { return fullDigest(text)[:idDigits] }

func fullDigest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// Definition names what the rule's state depends on: its condition and its scope,
// as they are written. When it changes, the rule starts anew.
func (r *Rule) Definition() string { return digest(r.condition()) }

func (r *Rule) condition() string {
	return Text(record{{"scope", texts(r.Scope.Fields)}, {"when", r.When.canonical()}})
}
