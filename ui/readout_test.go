package ui

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hearth/relay/console/render"
)

// Lines break at spaces where that leaves them long enough, and tabs and wide
// letters have their room.
func TestWrapped(t *testing.T) {
	for _, test := range []struct {
		text  string
		width int
		want  []string
	}{
		{"", 10, nil},
		{"short", 10, []string{"short"}},
		{"a line that is too long", 10, []string{"a line ", "that is ", "too long"}},
		{"supercalifragilistic", 10, []string{"supercalif", "ragilistic"}},
		{"a supercalifragilistic", 10, []string{"a supercal", "ifragilist", "ic"}},
		{"one\n\ntwo\n", 10, []string{"one", "", "two"}},
		{"\tx", 10, []string{"    x"}},
		{"日本語日本語", 6, []string{"日本語", "日本語"}},
		{"日本", 0, []string{"日", "本"}},
	} {
		if diff := cmp.Diff(test.want, wrapped(test.text, test.width)); diff != "" {
			t.Errorf("%q in %d (-want +got):\n%s", test.text, test.width, diff)
		}
	}
}

// Nothing is lost at the breaks, and no line is too long.
func TestWrappedLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.RuneFrom([]rune("ab é日🔥"))).Draw(t, "text")
		width := rapid.IntRange(2, 20).Draw(t, "width")
		lines := wrapped(text, width)
		if got := strings.Join(lines, ""); got != text {
			t.Fatalf("%q became %q", text, got)
		}
		for _, line := range lines {
			if letters(line) > width {
				t.Errorf("%q is longer than %d", line, width)
			}
		}
	})
}

// The dump has lines as long as there is room for, and says when it is cut.
func TestReadout(t *testing.T) {
	r := readout{size: 100, data: []byte(strings.Repeat("x", 17)), kind: kindHex}
	for _, test := range []struct {
		letters, count int
		last           string
	}{
		{40, 3, "0010  78    "}, {70, 3, "0010  78    "}, {71, 2, "0010  78    "},
	} {
		r.fit(test.letters)
		if got := r.row(r.count() - 1).cells[0]; r.count() != test.count || !strings.HasPrefix(got, test.last) {
			t.Errorf("in %d letters there are %d lines, the last %q", test.letters, r.count(), got)
		}
	}
	if !r.cut() {
		t.Error("17 of 100 bytes are told as all")
	}
	if got := r.text(); got != strings.Repeat("78", 17) {
		t.Errorf("copied as %q", got)
	}
	r.views = []render.View{{Kind: render.KindText, Text: "abc def", Cut: true}}
	r.fit(5)
	r.read(render.KindText)
	if diff := cmp.Diff([]string{"abc ", "def"}, r.lines); diff != "" || !r.cut() || r.text() != "abc def" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
