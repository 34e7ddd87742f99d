package ui

import (
	"context"
	"testing"
	"time"

	"fyne.io/fyne/v2/test"
	"github.com/google/go-cmp/cmp"

	"hearth/relay/console"
)

func openBackups(t *testing.T) (*scene, *backups) {
	t.Helper()
	s := openScene(t)
	s.values.BackupFolder = console.Value[string]{Value: "/srv/backups", Origin: console.OriginFile}
	s.values.BackupKeep = console.Value[int]{Value: 7, Origin: console.OriginDefault}
	s.write("notes", "one", "two")
	s.window.visit(s.window.settings)
	s.look()
	return s, s.window.settings.backups
}

// A backup that is asked for is made, told of, and listed.
func TestBackUpNow(t *testing.T) {
	s, v := openBackups(t)
	reads(t, v.content, "None yet · none is made by itself")
	test.Tap(findButton(t, v.content, "Back up now"))
	if !v.now.begin.Disabled() {
		t.Error("a second one can be begun beside the first")
	}
	reads(t, v.content, "Backing up…", "Cancel")
	s.settle()
	s.look()
	reads(t, v.content, "Backed up: 2 entries in 1 stream, read back and sound.", "Last just now", "B · 1 stream")
	readsNot(t, v.content, "Cancel")
	if v.now.begin.Disabled() {
		t.Error("no other one can be made")
	}
	s.now = s.now.Add(time.Hour + time.Minute)
	s.window.settings.age()
	reads(t, v.content, "Last 1 h ago")
}

// backingUp is a console whose backups a test steers.
type backingUp struct {
	console.Console
	backUp func(ctx context.Context, progress func(done, total uint64)) (console.Backup, error)
}

func (b backingUp) BackUp(ctx context.Context, _ string, progress func(done, total uint64)) (console.Backup, error) {
	return b.backUp(ctx, progress)
}

// A backup that is cancelled ends, and so does one that fails, each in its words.
func TestBackUpEnds(t *testing.T) {
	s, v := openBackups(t)
	usual := v.shell.console
	v.shell.console = backingUp{usual, func(ctx context.Context, progress func(done, total uint64)) (console.Backup, error) {
		progress(30_000_000, 80_000_000)
		s.settle()
		reads(t, v.content, "Writing… 30 MB of 40 MB")
		test.Tap(findButton(t, v.content, "Cancel"))
		<-ctx.Done()
		return console.Backup{}, ctx.Err()
	}}
	test.Tap(v.now.begin)
	s.settle()
	reads(t, v.content, "The backup was cancelled; those before it are as they were.")

	v.shell.console = backingUp{usual, func(context.Context, func(done, total uint64)) (console.Backup, error) {
		return console.Backup{}, console.ErrBackingUp
	}}
	test.Tap(v.now.begin)
	s.settle()
	reads(t, v.content, "No backup was made: a backup is being made already: wait until it is done.")
}

// What the owner decides of backups is kept when he saves it, and nothing else is.
func TestBackupSettings(t *testing.T) {
	s, v := openBackups(t)
	f := v.form
	if !f.save.Disabled() {
		t.Error("nothing is new, and can be saved")
	}
	reads(t, v.content, "From the settings that were saved.")
	f.every.SetSelected("Every day")
	f.keep.entry.SetText("none")
	test.Tap(f.save)
	reads(t, v.content, `"none" is no number of backups to keep: at least one is.`)
	if len(s.changes) > 0 {
		t.Fatalf("changed: %+v", s.changes)
	}
	f.keep.entry.SetText("14")
	f.recipient.entry.SetText("age1example")
	reads(t, v.content, "Not saved yet.")
	s.answer = "A backup is made every 24h."
	s.values.BackupEvery = console.Value[time.Duration]{Value: day, Origin: console.OriginFile}
	s.values.BackupKeep = console.Value[int]{Value: 14, Origin: console.OriginFile}
	s.values.BackupRecipient = console.Value[string]{Value: "age1example", Origin: console.OriginFile}
	test.Tap(f.save)
	s.settle()
	want := console.Change{BackupChange: console.BackupChange{BackupEvery: new(day), BackupKeep: new(14), BackupRecipient: new("age1example")}}
	if diff := cmp.Diff([]console.Change{want}, s.changes); diff != "" {
		t.Errorf("the changes (-want +got):\n%s", diff)
	}
	reads(t, v.content, "A backup is made every 24h.")
	if !f.save.Disabled() {
		t.Error("it can be saved once more")
	}

	// A time that is none of the usual ones stays what it is.
	s.values.BackupEvery.Value = 36 * time.Hour
	s.look()
	if f.every.Selected != "Every 36h0m0s" || !f.save.Disabled() {
		t.Errorf("every %q", f.every.Selected)
	}
}

// What is given for this run is shown, and cannot be changed.
func TestBackupSettingsFixed(t *testing.T) {
	s, v := openBackups(t)
	s.values.BackupEvery = console.Value[time.Duration]{Value: time.Hour, Origin: console.OriginEnvironment}
	s.look()
	if v.form.everyFrame.Visible() {
		t.Error("it can be chosen")
	}
	reads(t, v.content, "Every hour", "Given in the environment")
}

// When backups are made, and which there are, is told in few words.
func TestBackupsTold(t *testing.T) {
	now := time.Date(2026, 3, 4, 12, 0, 0, 0, time.Local)
	for want, b := range map[string]console.Backups{
		"None yet · none is made by itself":             {},
		"Last 2 h ago · the next at 13:30":              {Last: now.Add(-2 * time.Hour), Next: now.Add(90 * time.Minute)},
		"Last yesterday · the next at 2026-03-05 08:00": {Last: now.Add(-day), Next: now.Add(20 * time.Hour)},
		"Last just now · the next any moment":           {Last: now, Next: now},
		"Last 10 days ago · one is being made now":      {Last: now.Add(-10 * day), Running: true},
		"Last 2026-02-01 · none is made by itself":      {Last: time.Date(2026, 2, 1, 9, 0, 0, 0, time.Local)},
		"None yet · the next at 2027-03-04 12:00":       {Next: now.AddDate(1, 0, 0)},
	} {
		if got := whenBackedUp(b, now); got != want {
			t.Errorf("told is %q, want %q", got, want)
		}
	}
	b := console.Backup{Made: now, Bytes: 3_200_000, Streams: 4, Encrypted: true, Lacking: make([]console.StreamRef, 2)}
	if got := keptLine(b); got != "2026-03-04 12:00 · 3.2 MB · 4 streams · encrypted · lacks 2 damaged streams" {
		t.Errorf("a kept one is %q", got)
	}
	if got := progressOf(50_000_000, 80_000_000); got != "Reading it back… 10 MB of 40 MB" {
		t.Errorf("the progress is %q", got)
	}
}

// That there is no new backup needs the owner, and leads to the settings.
func TestBackupFailedMatters(t *testing.T) {
	list := condition{overview: console.Overview{BackupFailed: "No backup could be made: the share is away."}}.matters()
	want := []matter{{notice, "There is no new backup.", "No backup could be made: the share is away.", "Settings", lead{to: toSettings}}}
	if diff := cmp.Diff(want, list, cmp.AllowUnexported(matter{}, lead{})); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// Only the newest backups are listed, and how many more there are.
func TestManyBackups(t *testing.T) {
	s, v := openBackups(t)
	state := console.Backups{Failed: "No backup could be made: the share is away."}
	for i := range keptMost + 2 {
		state.Kept = append(state.Kept, console.Backup{Made: s.now.Add(-time.Duration(i) * day), Streams: 1})
	}
	v.show(state, s.values.BackupValues)
	reads(t, v.content, "and 2 older ones", "the share is away.")
}
