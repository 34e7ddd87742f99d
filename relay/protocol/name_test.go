package protocol_test

import (
	"errors"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"hearth/relay/protocol"
)

// grammar is the contract's sentence about names.
var grammar = regexp.MustCompile(`\A[a-z0-9][a-z0-9_.-]{0,63}\z`)

// checkName holds ParseName to the grammar.
func checkName(t interface {
	Helper()
	Fatalf(format string, args ...any)
}, text string,
) {
	t.Helper()
	name, err := protocol.ParseName(text)
	if grammar.MatchString(text) {
		if err != nil || string(name) != text {
			t.Fatalf("ParseName(%q) = %q, %v", text, name, err)
		}
		return
	}
	if e, ok := errors.AsType[*protocol.NameError](err); !ok || e.Text != text || name != "" {
		t.Fatalf("ParseName(%q) = %q, %v, want a *NameError", text, name, err)
	}
}

// Just the names of the known relay are names.
func TestNameVectors(t *testing.T) {
	v := readVectors(t)
	for _, text := range v.Name {
		if name, err := protocol.ParseName(text); err != nil || string(name) != text {
			t.Errorf("ParseName(%q) = %q, %v", text, name, err)
		}
	}
	for _, text := range v.NameRefused {
		if name, err := protocol.ParseName(text); err == nil {
			t.Errorf("ParseName took %q as %q", text, name)
		}
	}
}

// Names follow the grammar, whatever text comes.
func TestNameGrammar(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkName(t, rapid.OneOf(spelled, rapid.String(), rapid.StringN(1, 70, -1),
			rapid.StringMatching(`[a-zA-Z0-9_.-]{60,70}`)).Draw(t, "text"))
	})
}

// The message of a refused name is readable text of bounded length.
func TestNameErrorIsBounded(t *testing.T) {
	for _, text := range []string{strings.Repeat("\xff", 1<<20), strings.Repeat("é", 1<<20), "\x00\n\x1b[31m"} {
		_, err := protocol.ParseName(text)
		message := err.Error()
		if len(message) > 1000 || !utf8.ValidString(message) || strings.ContainsAny(message, "\x00\n\x1b") {
			t.Errorf("the message for %.20q is %d bytes: %.200q", text, len(message), message)
		}
	}
}
