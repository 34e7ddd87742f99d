package main

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hearth/relay/protocol"
)

// However an input is laid out and however it arrives, the same values come of it, in
// their order and each with its line; and what is wrong is found where it stands.
func TestInput(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		var want []string
		line := 1
		gap := func(between bool) {
			gap := rapid.SampledFrom([]string{"\n", "\n\n", " ", "\r\n", "\t", ""}).Draw(t, "gap")
			if between || gap != "" {
				text.WriteString(gap)
				line += strings.Count(gap, "\n")
			}
		}
		for i := range rapid.IntRange(0, 20).Draw(t, "values") {
			gap(true)
			value, ids := fmt.Sprintf(`{"type":"t%d"}`, i), "drawn"
			switch rapid.IntRange(0, 3).Draw(t, "form") {
			case 1:
				value, ids = fmt.Sprintf("{\"event\":\n{\"type\":\"t%d\"},\"id\":\"i%d\"}", i, i), fmt.Sprint("i", i)
			case 2:
				value, ids = fmt.Sprintf("{\"events\":[{\"event\":{\"type\":\"t%d\"}},\n\n{\"event\":{\"type\":\"t\"},\"id\":\"j\"}]}", i), "drawn j"
			}
			text.WriteString(value)
			line += strings.Count(value, "\n")
			want = append(want, fmt.Sprintf("%d: %s", line, ids))
		}
		if wrong := rapid.SampledFrom([]string{"", "}", `{"type":`, `{"type":7}`, "null", `{"a":1,"a":2}`, "{\"type\":\"\xff\"}"}).Draw(t, "wrong"); wrong != "" {
			gap(true)
			text.WriteString(wrong)
			want = append(want, fmt.Sprintf("%d: wrong", line))
		} else {
			gap(false)
		}

		in := readInput(t.Context(), iotest.OneByteReader(strings.NewReader(text.String())))
		var got []string
		seen := make(map[string]bool)
		for v := range in.values {
			in.release(v)
			if v.err != nil {
				got = append(got, fmt.Sprintf("%d: wrong", v.line))
				continue
			}
			var ids []string
			for _, e := range v.events {
				if seen[e.id] && e.id != "j" {
					t.Fatalf("the id %s is drawn twice", e.id)
				}
				seen[e.id] = true
				if strings.Contains(e.id, ".") {
					e.id = "drawn"
				}
				ids = append(ids, e.id)
			}
			got = append(got, fmt.Sprintf("%d: %s", v.line, strings.Join(ids, " ")))
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("of %q (-want +got):\n%s", text.String(), diff)
		}
	})
}

// Of a value without end no more is read than could be published, and what stands before
// it is good.
func TestEndlessInput(t *testing.T) {
	t.Parallel()
	for name, begin := range map[string]string{"a text": `"`, "a list": "[", "an event": `{"type":"a","x":"`, "nothing": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			more := "1"
			switch begin {
			case "[":
				more = "1,"
			case "":
				more = " \n"
			}
			const most = protocol.MaxBody + 1<<20
			text := strings.NewReader(`{"type":"good"}` + "\n" + begin + strings.Repeat(more, 2*protocol.MaxBody/len(more)))
			in := readInput(t.Context(), io.LimitReader(text, most))
			var got []inputValue
			for v := range in.values {
				in.release(v)
				got = append(got, v)
			}
			if len(got) != 2 || got[0].err != nil || !errors.Is(got[1].err, errEndless) {
				t.Errorf("%d values, the last with %v", len(got), got[len(got)-1].err)
			}
		})
	}
}

// What is there is published together as far as it may be, in its order, and nothing of
// it is lost on the way.
func TestGather(t *testing.T) {
	t.Parallel()
	lines := slices.Concat(
		slices.Repeat([]string{`{"type":"small"}`}, maxTogether+1),
		[]string{`{"events":[{"event":{"type":"a"}},{"event":{"type":"b"}}]}`},
		slices.Repeat([]string{`{"type":"large","x":"` + strings.Repeat("x", maxTogetherBytes/2) + `"}`}, 3),
		[]string{`{"events":[{"event":{"type":"a"}}],"correlation_id":"c"}`, `{"type":"last"}`},
	)
	want := []int{maxTogether, 1, 1, 1, 1, 1, 1, 1}
	in := &input{values: make(chan inputValue, len(lines))}
	var ids idSource
	for _, line := range lines {
		v, err := ids.valueOf([]byte(line))
		if err != nil {
			t.Fatal(err)
		}
		in.values <- v
	}
	close(in.values)
	var got []int
	seen := 0
	var next *inputValue
	for {
		var together []inputValue
		if next != nil {
			together, next = []inputValue{*next}, nil
		} else if v, ok := <-in.values; ok {
			together = []inputValue{v}
		} else {
			break
		}
		if together[0].joins() {
			together, next = gather(in, together)
		}
		got = append(got, len(together))
		seen += len(together)
	}
	if diff := cmp.Diff(want, got); diff != "" || seen != len(lines) {
		t.Errorf("%d of %d values (-want +got):\n%s", seen, len(lines), diff)
	}
}
