package relay

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearth/relay/console"
	"hearth/relay/store"
)

// What was done is counted in its minute and forgotten after an hour, also when
// nothing happens in between or the clock is set.
func TestActivityMinutes(t *testing.T) {
	var a activity
	start := time.Unix(1_800_000_000, 0).Truncate(time.Minute)
	ref := store.Ref{Space: "default", Name: "notes"}
	a.wrote(start, "::1", "", ref, 3, 100)
	a.wrote(start.Add(59*time.Second), "::1", "", ref, 1, 10)
	a.read(start.Add(2*time.Minute), "::1", "", "notes")
	a.refused(start.Add(2*time.Minute), console.Refusal{Client: "::2", Space: "default", Stream: "notes"})
	a.refused(start.Add(-time.Hour), console.Refusal{Client: "192.0.2.7"}) // the clock was set back

	want := make([]console.Minute, hour)
	for i := range want {
		want[i].Start = start.Add(time.Duration(i-hour+3) * time.Minute)
	}
	want[hour-3].Writes, want[hour-3].Entries, want[hour-3].Bytes = 2, 4, 110
	want[hour-1].Reads, want[hour-1].Refused = 1, 2
	if diff := cmp.Diff(want, a.recent(start.Add(2*time.Minute)).Minutes); diff != "" {
		t.Error(diff)
	}
	var seen []string
	for _, d := range a.recent(start).Devices {
		seen = append(seen, d.Client+" "+string(d.Action))
	}
	if diff := cmp.Diff([]string{"::1 read", "::2 refused"}, slices.Sorted(slices.Values(seen))); diff != "" {
		t.Errorf("the devices, without the one that was not let in: %s", diff)
	}
	hours := a.hourOf(start.Add(2*time.Minute), ref)
	if hours[hour-3] != 2 {
		t.Errorf("the stream's hour is %v", hours)
	}
	for _, later := range []time.Duration{59 * time.Minute, 60 * time.Minute, 61 * time.Minute, 300 * time.Hour} {
		writes := 0
		for _, m := range a.recent(start.Add(later)).Minutes {
			writes += m.Writes
		}
		if kept := later < hour*time.Minute; (writes == 2) != kept || (a.hourOf(start.Add(later), ref) != console.Hour{}) != kept {
			t.Errorf("after %v: %d writes, hour %v", later, writes, a.hourOf(start.Add(later), ref))
		}
	}
}

// After a clock was set forward by a day, and back, minutes are told apart again.
func TestActivityAfterClockForward(t *testing.T) {
	var w window[int]
	start := time.Unix(1_800_000_000, 0)
	*w.at(start)++
	*w.at(start.Add(24 * time.Hour))++
	*w.at(start.Add(time.Minute))++
	*w.at(start.Add(2 * time.Minute))++
	if got := w.list(start.Add(2 * time.Minute)); len(got) != hour || !slices.Equal(got[hour-3:], []int{0, 2, 1}) {
		t.Errorf("the minutes are %v", got)
	}
}

// Devices and streams that somebody makes up do not grow without end, and those
// seen last stay.
func TestActivityIsBounded(t *testing.T) {
	var a activity
	now := time.Unix(1_800_000_000, 0)
	for i := range 10 * maxBusy {
		now = now.Add(time.Second)
		a.wrote(now, fmt.Sprintf("10.0.%d.%d", i>>8, i&255), "", store.Ref{Space: "default", Name: fmt.Sprintf("s-%d", i)}, 1, 1)
	}
	if len(a.devices) > maxDevices || len(a.streams) > maxBusy {
		t.Errorf("%d devices and %d streams are remembered", len(a.devices), len(a.streams))
	}
	devices := a.recent(now).Devices
	last := 10*maxBusy - 1
	if want := fmt.Sprintf("10.0.%d.%d", last>>8, last&255); devices[0].Client != want || !devices[0].Seen.Equal(now) {
		t.Errorf("the last device is %+v", devices[0])
	}
	if a.hourOf(now, store.Ref{Space: "default", Name: fmt.Sprintf("s-%d", last)}) == (console.Hour{}) {
		t.Error("the last stream is forgotten")
	}
}
