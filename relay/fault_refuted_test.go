//go:build unix

package relay_test

import (
	"slices"
	"testing"

	"github.com/anishathalye/porcupine"
)

// What TestLinearizable asks of a history is too much for one with a single wrong
// answer, of whatever kind: else it would hold the relay to nothing.
func TestWrongAnswersAreRefuted(t *testing.T) {
	const stream = "notes"
	var sound []porcupine.Operation
	happen := func(call, end int64, in asked, out told) int {
		in.stream = stream
		sound = append(sound, porcupine.Operation{ClientId: len(sound), Input: in, Call: call, Output: out, Return: end})
		return len(sound) - 1
	}
	// Three appends and a read race; what follows comes one after the other.
	happen(0, 1, asked{what: "append", entry: "a"}, told{seq: 1})
	happen(2, 5, asked{what: "append", entry: "b"}, told{seq: 2})
	third := happen(3, 6, asked{what: "append", entry: "c"}, told{seq: 3})
	racing := happen(4, 7, asked{what: "read"}, told{seq: 2, entries: "a\nb\n"})
	early := happen(8, 9, asked{what: "read"}, told{seq: 3, entries: "a\nb\nc\n"})
	refused := happen(10, 11, asked{what: "append", entry: "x", first: 2}, told{refused: true, seq: 3})
	placed := happen(12, 13, asked{what: "append", entry: "d", first: 4}, told{seq: 4})
	news := happen(14, 15, asked{what: "wait", seq: 3}, told{news: true, seq: 4})
	none := happen(16, 17, asked{what: "wait", seq: 4}, told{})
	late := happen(18, 19, asked{what: "read"}, told{seq: 4, entries: "a\nb\nc\nd\n"})
	if !porcupine.CheckOperations(streamModel, sound) {
		t.Fatal("a history without a fault is refuted")
	}
	for name, wrong := range map[string]struct {
		at  int
		out told
	}{
		"an append is lost":                        {late, told{seq: 3, entries: "a\nb\nc\n"}},
		"an append is lost from the midst":         {late, told{seq: 3, entries: "a\nc\nd\n"}},
		"two appends are in another order":         {early, told{seq: 3, entries: "a\nc\nb\n"}},
		"an entry is there twice":                  {late, told{seq: 5, entries: "a\nb\nb\nc\nd\n"}},
		"an entry that nobody wrote":               {late, told{seq: 5, entries: "a\nb\nc\nd\ne\n"}},
		"another entry":                            {late, told{seq: 4, entries: "a\nb\nc\ne\n"}},
		"a refused entry is there":                 {late, told{seq: 5, entries: "a\nb\nc\nx\nd\n"}},
		"a read of the past":                       {early, told{seq: 1, entries: "a\n"}},
		"a read of nothing":                        {early, told{}},
		"a read of the future":                     {racing, told{seq: 4, entries: "a\nb\nc\nd\n"}},
		"a head without its entry":                 {late, told{seq: 5, entries: "a\nb\nc\nd\n"}},
		"two appends at one place":                 {third, told{seq: 2}},
		"an append at another place":               {placed, told{seq: 5}},
		"an append that fits is refused":           {placed, told{refused: true, seq: 3}},
		"an append that does not fit is taken":     {refused, told{seq: 4}},
		"a refusal with another head":              {refused, told{refused: true, seq: 2}},
		"a wait that misses what has come":         {news, told{}},
		"a wait with another head":                 {news, told{news: true, seq: 5}},
		"a wait with a head of the past":           {news, told{news: true, seq: 3}},
		"a wait that is told of what it knows":     {none, told{news: true, seq: 4}},
		"a wait that is told of what has not come": {none, told{news: true, seq: 5}},
	} {
		t.Run(name, func(t *testing.T) {
			history := slices.Clone(sound)
			history[wrong.at].Output = wrong.out
			if porcupine.CheckOperations(streamModel, history) {
				t.Error("nothing is found wrong with it")
			}
		})
	}
	t.Run("an append to another stream", func(t *testing.T) {
		history := slices.Clone(sound)
		in, ok := history[third].Input.(asked)
		if !ok {
			t.Fatal("no question")
		}
		in.stream = "calendar"
		history[third].Input = in
		if porcupine.CheckOperations(streamModel, history) {
			t.Error("nothing is found wrong with it")
		}
	})
}
