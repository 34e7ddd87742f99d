package ui

import (
	"testing"
	"time"
)

// Ages are short, never negative, and become dates after two weeks.
func TestAgo(t *testing.T) {
	now := time.Date(2026, 3, 20, 12, 0, 0, 0, time.Local)
	for _, test := range []struct {
		since time.Duration
		want  string
	}{
		{-time.Hour, "just now"},
		{0, "just now"},
		{59 * time.Second, "just now"},
		{time.Minute, "1 min ago"},
		{59 * time.Minute, "59 min ago"},
		{time.Hour, "1 h ago"},
		{23 * time.Hour, "23 h ago"},
		{25 * time.Hour, "yesterday"},
		{3 * day, "3 days ago"},
		{old - time.Second, "13 days ago"},
		{old, "2026-03-06"},
	} {
		if got := ago(now.Add(-test.since), now); got != test.want {
			t.Errorf("%v ago is told as %q, want %q", test.since, got, test.want)
		}
	}
	if got := ago(time.Time{}, now); got != "never" {
		t.Errorf("no time is told as %q", got)
	}
	if got := exact(now.Add(-time.Hour), now); got != "2026-03-20 11:00:00 · 1 h ago" {
		t.Errorf("the exact time is %q", got)
	}
}

// Figures have their digits grouped, up to the largest position there is.
func TestNumbers(t *testing.T) {
	for _, test := range []struct{ got, want string }{
		{number(18_430), "18,430"},
		{number(uint64(1<<64 - 1)), "18,446,744,073,709,551,615"},
		{counted(1, "stream", "streams"), "1 stream"},
		{counted(0, "stream", "streams"), "0 streams"},
		{counted(uint64(12_000), "entry", "entries"), "12,000 entries"},
		{shortened("äöüß", 4), "äöüß"},
		{shortened("äöüßx", 4), "äöüß…"},
		{abridged("äöüß", 4), "äöüß"},
		{abridged("äöüßxyz", 4), "äö…yz"},
	} {
		if test.got != test.want {
			t.Errorf("got %q, want %q", test.got, test.want)
		}
	}
}

// A dump's lines have the same places for the same things, and nothing in them
// that is not printable ASCII.
func TestDump(t *testing.T) {
	for _, test := range []struct {
		offset int
		data   string
		want   string
	}{
		{0, "S\x01notes\n", "0000  53 01 6e 6f 74 65 73 0a  S.notes."},
		{0x10, "é", "0010  c3 a9                    .."},
		{0xfff8, " ~\x7f", "fff8  20 7e 7f                  ~."},
	} {
		if got := dumpLine(test.offset, 8, []byte(test.data)); got != test.want {
			t.Errorf("got  %q\nwant %q", got, test.want)
		}
	}
}

// An entry is named by its place and size, and by what is shown of it.
func TestEntryTitle(t *testing.T) {
	for _, test := range []struct {
		size int
		cut  bool
		want string
	}{
		{0, false, "Entry 1,204 · empty"},
		{1, false, "Entry 1,204 · 1 byte"},
		{65_536, false, "Entry 1,204 · 65,536 bytes"},
		{3_000_000, true, "Entry 1,204 · the beginning of 3.0 MB"},
	} {
		if got := entryTitle(1204, test.size, test.cut); got != test.want {
			t.Errorf("%d bytes are told as %q, want %q", test.size, got, test.want)
		}
	}
}
