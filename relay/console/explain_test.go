package console_test

import (
	"strings"
	"testing"

	"hearth/relay/console"
	"hearth/relay/protocol"
	"hearth/relay/reflex"
)

// Every code of both protocols is told in words of its own, in whole sentences,
// with and without the figures that come with it.
func TestEveryCodeIsExplained(t *testing.T) {
	unknown := console.Explain(console.Refusal{Code: "no_such_code"})
	var codes []string
	for _, code := range protocol.Codes() {
		codes = append(codes, string(code))
	}
	for _, code := range reflex.RejectionTypes() {
		codes = append(codes, string(code))
	}
	for _, code := range codes {
		t.Run(code, func(t *testing.T) {
			for _, r := range []console.Refusal{
				{Code: code},
				{
					Code: code, Stream: "notes", Action: console.ActionRead, Message: "it said so",
					Position: 18_502, Head: 18_430, Epoch: 2, Limit: 16 << 20,
				},
			} {
				e := console.Explain(r)
				if e.Title == unknown.Title {
					t.Fatalf("%+v is told as an unknown code", r)
				}
				for _, sentence := range []string{e.Title, e.What, e.Todo} {
					if !strings.HasSuffix(sentence, ".") {
						t.Errorf("%q is not a sentence", sentence)
					}
					if strings.Contains(sentence, code) && strings.Contains(code, "_") {
						t.Errorf("%q names the code, which stands beside it as a label", sentence)
					}
				}
			}
		})
	}
}

// The figures of a refusal are in what is told, also those that no sound
// client would send.
func TestExplanationsUseTheFigures(t *testing.T) {
	for _, test := range []struct {
		refusal console.Refusal
		want    []string
	}{
		{console.Refusal{Code: "cursor_ahead", Stream: "notes", Position: 18_502, Head: 18_430}, []string{"notes", "18,502", "18,430"}},
		{console.Refusal{Code: "cursor_ahead", Position: 1<<64 - 1}, []string{"a stream", "18,446,744,073,709,551,615", "at 0"}},
		{console.Refusal{Code: "cursor_diverged", Stream: "notes", Position: 1_204}, []string{"notes", "1,204"}},
		{console.Refusal{Code: "epoch_behind", Stream: "recipes", Epoch: 3}, []string{"recipes", "format 3"}},
		{console.Refusal{Code: "too_large", Limit: 16 << 20}, []string{"16 MiB"}},
		{console.Refusal{Code: "quota_exceeded", Limit: 5_000_000_000}, []string{"5.0 GB"}},
		{console.Refusal{Code: "out_of_place", Head: 12}, []string{"position 12"}},
		{console.Refusal{Code: "unauthorized", Action: console.ActionWrite, Stream: "calendar"}, []string{"write to calendar"}},
		{console.Refusal{Code: "bad_request", Message: "an empty batch"}, []string{"an empty batch"}},
		{console.Refusal{Code: "not_found", Stream: "house", Message: "no event has the id e1"}, []string{"house", "the id e1"}},
		{console.Refusal{Code: "invalid_state", Message: "the stream holds entries"}, []string{"holds entries"}},
		{console.Refusal{Code: "validation_failed", Message: "the event has no type"}, []string{"has no type"}},
		{console.Refusal{Code: "from_tomorrow", Message: "not on Sundays"}, []string{"from_tomorrow", "not on Sundays"}},
		{console.Refusal{}, []string{"(none)"}},
	} {
		e := console.Explain(test.refusal)
		told := strings.Join([]string{e.Title, e.What, e.Todo}, " ")
		for _, want := range test.want {
			if !strings.Contains(told, want) {
				t.Errorf("%+v is told as %q, without %q", test.refusal, told, want)
			}
		}
	}
}

// What a client was at reads on from "it wanted to".
func TestDoing(t *testing.T) {
	for _, test := range []struct {
		refusal console.Refusal
		want    string
	}{
		{console.Refusal{Action: console.ActionWrite, Stream: "notes"}, "write to notes"},
		{console.Refusal{Action: console.ActionRead, Stream: "notes"}, "read notes"},
		{console.Refusal{Action: console.ActionRead, Stream: "notes", Position: 18_502}, "read notes after 18,502"},
		{console.Refusal{Action: console.ActionWait}, "wait for a stream"},
		{console.Refusal{Action: console.ActionFollow, Stream: "house"}, "follow house"},
		{console.Refusal{Action: console.ActionOther, Stream: "notes"}, "use the relay"},
	} {
		if got := console.Doing(test.refusal); got != test.want {
			t.Errorf("Doing(%+v) = %q, want %q", test.refusal, got, test.want)
		}
	}
}
