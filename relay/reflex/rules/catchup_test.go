package rules

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

// What is made up for are the latest of the ticks that came one after the other,
// over every change of a clock.
func TestDueAreTheLatest(t *testing.T) {
	zones := []string{"UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Beirut", "Pacific/Apia", "America/Scoresbysund", "Africa/Cairo"}
	begins := times("2011-12-28T00:00:00Z", "2026-03-06T12:00:00Z", "2026-03-27T12:00:00Z", "2026-04-03T00:00:00Z", "2026-10-02T00:00:00Z", "2026-10-23T20:00:00Z", "2026-10-30T20:00:00Z")
	rapid.Check(t, func(r *rapid.T) {
		s := Schedule{CatchUp: CatchUpAll, MaxCatchUp: rapid.IntRange(1, 300).Draw(r, "most")}
		var err error
		if s.Zone, err = time.LoadLocation(rapid.SampledFrom(zones).Draw(r, "zone")); err != nil {
			t.Fatal(err)
		}
		text := rapid.SampledFrom([]string{"*/7 * * * *", "30 2 * * *", "0,30 0-3 * * *", "*/30 */2 * * *", "15 * * * *", "0 0 * * *", "59 23 * * 6,0", "0 1 L * *", "45 1 1,29 * 5#4"}).Draw(r, "cron")
		if s.Cron, err = ParseCron(text); err != nil {
			t.Fatal(err)
		}
		last := rapid.SampledFrom(begins).Draw(r, "from").Add(time.Duration(rapid.Int64Range(0, int64(30*time.Hour)).Draw(r, "later")))
		now := last.Add(time.Duration(rapid.Int64Range(0, int64(100*time.Hour)).Draw(r, "for")))
		var want []time.Time
		for at := s.Next(last); !at.IsZero() && !at.After(now); at = s.Next(at) {
			want = append(want, at)
		}
		want = want[max(0, len(want)-s.MaxCatchUp):]
		if diff := cmp.Diff(want, s.Due(last, now), cmp.Comparer(time.Time.Equal), cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("%s in %s (-one by one +at once):\n%s", text, s.Zone, diff)
		}
	})
}

// A relay that was away for years makes up for the latest minutes without counting
// all of them.
func TestDueAfterYears(t *testing.T) {
	last := time.Date(1996, 1, 1, 0, 0, 0, 0, time.UTC)
	now := time.Date(2026, 11, 30, 12, 0, 30, 0, time.UTC)
	for _, text := range []string{`{"name":"s","cron":"* * * * *","catch_up":"all","max_catch_up":3}`, `{"name":"s","every":60,"catch_up":"all","max_catch_up":3}`} {
		s, err := ParseSchedule([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(times("2026-11-30T11:58:00Z", "2026-11-30T11:59:00Z", "2026-11-30T12:00:00Z"), s.Due(last, now), cmp.Comparer(time.Time.Equal)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
}
