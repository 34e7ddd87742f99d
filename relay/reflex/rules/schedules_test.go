package rules

import (
	"encoding/json"
	"os"
	"slices"
	"testing"
	"time"
	_ "time/tzdata" // the same on every machine

	"github.com/google/go-cmp/cmp"
)

// scheduleVectors are the times of schedules in another implementation.
type scheduleVectors struct {
	Cases []struct {
		Name      string
		Kind      string
		Schedule  json.RawMessage
		After     time.Time
		Next      []time.Time
		Last, Now time.Time
		Due       []time.Time
		Valid     bool
		Schedules []json.RawMessage
		Ops       []scheduleStep
	}
	TickIDs []struct {
		Name     string
		Schedule string
		At       time.Time
		ID       string
	} `json:"tick_ids"`
}

// scheduleStep is something that happens to schedules.
type scheduleStep struct {
	Op        string
	At        time.Time
	Schedules []json.RawMessage
	Expect    struct {
		Ticks []struct {
			Schedule string
			At       time.Time
			ID       string
		}
		Last map[string]time.Time
	}
}

// undone are the vectors that we do not follow: see ARCHITECTURE.md, "Decided".
var undone = map[string][]time.Time{
	// What is asked for is after the moment that is asked about.
	"dst/ny-fold-asked-inside": times("2026-11-02T06:30:00Z", "2026-11-03T06:30:00Z"),

	// There are five fields.
	"dst/be-six-gap": nil,

	// Changes of half an hour miss nothing: each quarter to an hour comes, those that
	// the clock shows twice come twice, and those that it leaps over do not.
	"dst/lh-45-hourly-fold": times("2026-04-04T12:45:00Z", "2026-04-04T13:45:00Z", "2026-04-04T14:45:00Z",
		"2026-04-04T15:15:00Z", "2026-04-04T16:15:00Z", "2026-04-04T17:15:00Z"),
	"dst/lh-45-hourly-gap": times("2026-10-03T14:15:00Z", "2026-10-03T15:15:00Z", "2026-10-03T15:45:00Z",
		"2026-10-03T16:45:00Z", "2026-10-03T17:45:00Z"),
	"dst/lh-hour-3-gap": times("2026-10-03T16:00:00Z", "2026-10-03T16:20:00Z", "2026-10-03T16:40:00Z", "2026-10-04T16:00:00Z"),
}

func times(texts ...string) (list []time.Time) {
	for _, text := range texts {
		t, err := time.Parse(time.RFC3339, text)
		if err != nil {
			panic(err)
		}
		list = append(list, t)
	}
	return list
}

// TestSchedules holds schedules to the same times as elsewhere, over changes of
// clocks in many zones.
func TestSchedules(t *testing.T) {
	for _, c := range readSchedules(t).Cases {
		t.Run(c.Name, func(t *testing.T) {
			if c.Kind == "checks" {
				check(t, c.Schedules, c.Ops)
				return
			}
			s, err := ParseSchedule(c.Schedule)
			own, ours := undone[c.Name]
			switch {
			case ours && own == nil || c.Kind == "valid" && !c.Valid:
				if err == nil {
					t.Error("it is taken for a schedule")
				}
				return
			case err != nil:
				t.Fatal(err)
			}
			switch c.Kind {
			case "next":
				want := c.Next
				if ours {
					want = own
				}
				var got []time.Time
				for at := s.Next(c.After); len(got) < len(want); at = s.Next(at) {
					got = append(got, at.UTC())
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("the next ones (-want +got): %s", diff)
				}
				if ours && slices.EqualFunc(c.Next[:min(len(want), len(c.Next))], got, time.Time.Equal) {
					t.Error("it does follow the vector")
				}
			case "due":
				if diff := cmp.Diff(c.Due, s.Due(c.Last, c.Now), cmp.Comparer(time.Time.Equal), cmp.Transformer("list", func(l []time.Time) []time.Time {
					return append([]time.Time{}, l...)
				})); diff != "" {
					t.Errorf("the due ones (-want +got): %s", diff)
				}
			}
		})
	}
}

// check lets schedules look at the clock again and again. The first look starts the
// timetable; there is none before the stream is there.
func check(t *testing.T, schedules []json.RawMessage, steps []scheduleStep) {
	t.Helper()
	last := make(map[string]time.Time)
	begun := false
	for _, step := range steps {
		if step.Op == "publish" {
			begun = true
			continue
		}
		if step.Schedules != nil {
			schedules = step.Schedules
		}
		var ids []string
		for _, text := range schedules {
			s, err := ParseSchedule(text)
			if err != nil {
				t.Fatal(err)
			}
			if !begun {
				continue
			}
			if _, known := last[s.Name]; !known {
				last[s.Name] = step.At
				continue
			}
			for _, at := range s.Due(last[s.Name], step.At) {
				last[s.Name] = at
				ids = append(ids, TickID(s.Name, at))
			}
		}
		var want []string
		for _, tick := range step.Expect.Ticks {
			want = append(want, tick.ID)
		}
		if diff := cmp.Diff(want, ids); diff != "" {
			t.Errorf("at %s the ticks (-want +got): %s", step.At, diff)
		}
		if diff := cmp.Diff(step.Expect.Last, last, cmp.Comparer(time.Time.Equal)); diff != "" {
			t.Errorf("at %s the last ones (-want +got): %s", step.At, diff)
		}
	}
}

// The id of a tick is the same as elsewhere.
func TestTickIDs(t *testing.T) {
	for _, v := range readSchedules(t).TickIDs {
		if got := TickID(v.Schedule, v.At); got != v.ID {
			t.Errorf("%s: %s", v.Name, got)
		}
	}
}

func readSchedules(t *testing.T) (v scheduleVectors) {
	t.Helper()
	text, err := os.ReadFile("testdata/schedules.json")
	if err == nil {
		err = json.Unmarshal(text, &v)
	}
	if err != nil {
		t.Fatal(err)
	}
	return v
}
