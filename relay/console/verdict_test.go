package console_test

import (
	"strings"
	"testing"

	"hearth/relay/console"
)

// Each of the four answers is told in sentences of its own that use its figures.
func TestEveryVerdictIsExplained(t *testing.T) {
	s := console.Stream{StreamRef: console.StreamRef{Name: "notes"}}
	unknown := console.ExplainVerdict(console.Verdict{Answer: "from_tomorrow"}, s)
	for _, test := range []struct {
		verdict console.Verdict
		want    []string
	}{
		{console.Verdict{Answer: console.AnswerEntries, Position: 1_204, Head: 1_204}, []string{"Yes", "everything", "1,204", "“notes”"}},
		{console.Verdict{Answer: console.AnswerEntries, Position: 1_200, Head: 1_204, Behind: 4}, []string{"Yes", "go on", "1,200", "1,204", "4 of them"}},
		{console.Verdict{Answer: console.AnswerEntries, Head: 1_204, Behind: 1_204}, []string{"the beginning of “notes”", "1,204 of them"}},
		{console.Verdict{Answer: console.AnswerEntries}, []string{"no entries"}},
		{console.Verdict{Answer: console.AnswerReplaced, Identity: "a1b2c3"}, []string{"No", "a1b2c3"}},
		{console.Verdict{Answer: console.AnswerAhead, Position: 18_502, Head: 18_430}, []string{"missing here", "18,502", "18,430"}},
		{console.Verdict{Answer: console.AnswerDiverged, Position: 1_204}, []string{"parted", "1,204"}},
		{console.Verdict{Answer: "from_tomorrow"}, []string{"from_tomorrow"}},
	} {
		e := console.ExplainVerdict(test.verdict, s)
		told := strings.Join([]string{e.Title, e.What, e.Todo}, " ")
		for _, want := range test.want {
			if !strings.Contains(told, want) {
				t.Errorf("%+v is told as %q, without %q", test.verdict, told, want)
			}
		}
		if test.verdict.Answer != "from_tomorrow" && e.Title == unknown.Title {
			t.Errorf("%+v is told as unknown", test.verdict)
		}
		for _, sentence := range []string{e.Title, e.What, e.Todo} {
			if !strings.HasSuffix(sentence, ".") {
				t.Errorf("%q is not a sentence", sentence)
			}
		}
	}
}
