package ui

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hearth/relay/console"
)

// What needs the owner comes with where it is solved, the weightiest first.
func TestMatters(t *testing.T) {
	type told struct {
		Title  string
		Weight weight
		Leads  target
	}
	broken := func(n int) (o console.Overview) {
		for i := range n {
			o.Damaged = append(o.Damaged, console.Damage{
				StreamRef: console.StreamRef{Space: defaultSpace, Name: fmt.Sprintf("stream-%d", i)},
				Position:  7, Reason: "a link does not fit",
			})
		}
		return o
	}
	for _, test := range []struct {
		name      string
		condition condition
		want      []told
	}{
		{"all is well", condition{overview: console.Overview{DiskFree: 1e12}}, nil},
		{"a problem", condition{overview: console.Overview{Problem: "It is broken."}}, []told{{"It is broken.", alarm, toSettings}}},
		{
			"a full disk is told once",
			condition{overview: console.Overview{Problem: "The disk is full.", DiskFree: 1000}},
			[]told{{"The disk is full.", alarm, toFolder}},
		},
		{
			"little room",
			condition{overview: console.Overview{DiskFree: 1_400_000_000}},
			[]told{{"Only 1.4 GB are free where the data lies.", notice, toFolder}},
		},
		{
			"damage",
			condition{overview: broken(1)},
			[]told{{"The stream “stream-0” is damaged at position 7.", alarm, toStream}},
		},
		{
			"much damage",
			condition{overview: broken(5)},
			[]told{
				{"The stream “stream-0” is damaged at position 7.", alarm, toStream},
				{"The stream “stream-1” is damaged at position 7.", alarm, toStream},
				{"The stream “stream-2” is damaged at position 7.", alarm, toStream},
				{"2 more streams are damaged.", alarm, toStreams},
			},
		},
		{
			"what wants a look, and what was chosen",
			condition{
				overview: console.Overview{Open: true}, unseen: 2, newest: console.Refusal{Code: "busy"},
				network: console.Neighbourhood{Trouble: "multicast is blocked"},
			},
			[]told{
				{"2 refusals are new.", notice, toRefusals},
				{"Devices may not find this relay by themselves.", notice, toNetwork},
				{"Anyone on this network can read and write.", choice, toSettings},
			},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got []told
			for _, m := range test.condition.matters() {
				got = append(got, told{m.title, m.weight, m.lead.to})
				if m.button == "" {
					t.Errorf("%q has no button", m.title)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
