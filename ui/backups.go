package ui

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"hearth/relay/console"
)

// keptMost is how many of the backups that are kept are listed one by one.
const keptMost = 5

// backups is what there is of backups, the way to make one now, and what the owner
// decides of them.
type backups struct {
	shell *shell
	state console.Backups
	known bool // whether the state is

	form    *backupForm
	now     *undertaking
	when    *words // the last one, and the next
	told    *prose // what came of the one that was asked for
	failed  *prose
	kept    *fyne.Container
	content fyne.CanvasObject
}

func newBackups(s *shell, apply func(c console.BackupChange, answer *prose, failed func(error))) *backups {
	v := &backups{
		shell: s, form: newBackupForm(apply), when: newWords("", theme.ColorNameForeground),
		told: newProse("", theme.ColorNameForeground), failed: newProse("", theme.ColorNameError), kept: stacked(3),
	}
	v.when.shrinks = true
	v.now = newUndertaking(s, "Back up now", v.start)
	v.now.far, v.now.over, v.now.shift = v.far, v.over, v.refresh
	v.told.Hide()
	v.failed.Hide()
	v.content = stacked(0,
		field("Made so far", "of everything, each proven", stretched(gap, 0, v.when, v.now.begin), v.now.under, v.told, v.failed, v.kept),
		widget.NewSeparator(),
		v.form.content,
	)
	return v
}

// start makes a backup aside from the UI thread.
func (v *backups) start() {
	v.tell("Backing up…", colorMuted)
	v.now.start(func(ctx context.Context, progress func(done, total uint64)) (func(), error) {
		b, err := v.shell.console.BackUp(ctx, "", progress)
		return func() {
			v.tell(fmt.Sprintf("Backed up: %s in %s, read back and sound.", counted(b.Entries, "entry", "entries"),
				counted(b.Streams, "stream", "streams")), theme.ColorNameSuccess)
			v.shell.look()
		}, err
	})
}

func (v *backups) far(done, total uint64) { v.tell(progressOf(done, total), colorMuted) }

// progressOf says how far a backup has come. Everything is read twice: once from
// the relay, once from the backup.
func progressOf(done, total uint64) string {
	if done < total/2 {
		return fmt.Sprintf("Writing… %s of %s", byteSize(done), byteSize(total/2))
	}
	return fmt.Sprintf("Reading it back… %s of %s", byteSize(done-total/2), byteSize(total/2))
}

func (v *backups) over(err error) {
	if errors.Is(err, context.Canceled) {
		v.tell("The backup was cancelled; those before it are as they were.", colorMuted)
		return
	}
	v.tell(sentence("no backup was made: "+err.Error()), theme.ColorNameError)
}

func (v *backups) tell(text string, color fyne.ThemeColorName) {
	v.told.paint(text, color)
	v.told.Hidden = text == ""
	v.refresh()
}

func (v *backups) show(state console.Backups, values console.BackupValues) {
	v.form.show(values)
	if v.known && reflect.DeepEqual(v.state, state) {
		return
	}
	v.state, v.known = state, true
	v.failed.set(state.Failed)
	v.failed.Hidden = state.Failed == ""
	v.kept.Objects = nil
	for _, b := range state.Kept[:min(len(state.Kept), keptMost)] {
		line := caption(keptLine(b))
		line.shrinks = true
		v.kept.Add(line)
	}
	if more := len(state.Kept) - keptMost; more > 0 {
		v.kept.Add(caption("and " + counted(more, "older one", "older ones")))
	}
	v.age()
	v.refresh()
}

// age lets the times grow older.
func (v *backups) age() {
	if v.known {
		v.when.set(whenBackedUp(v.state, v.shell.now()))
	}
}

func (v *backups) refresh() { v.content.Refresh() }

// whenBackedUp says when the last backup was made, and when the next one is.
func whenBackedUp(b console.Backups, now time.Time) string {
	last := "None yet"
	if !b.Last.IsZero() {
		last = "Last " + ago(b.Last, now)
	}
	switch {
	case b.Running:
		return last + " · one is being made now"
	case b.Next.IsZero():
		return last + " · none is made by itself"
	case !b.Next.After(now):
		return last + " · the next any moment"
	default:
		return last + " · the next " + nextAt(b.Next, now)
	}
}

// nextAt is a time to come: today only the hour, else with its date.
func nextAt(t, now time.Time) string {
	t, now = t.Local(), now.Local()
	if t.YearDay() == now.YearDay() && t.Year() == now.Year() {
		return "at " + t.Format("15:04")
	}
	return "at " + t.Format("2006-01-02 15:04")
}

// keptLine is a backup in a line.
func keptLine(b console.Backup) string {
	parts := []string{b.Made.Local().Format("2006-01-02 15:04"), byteSize(b.Bytes), counted(b.Streams, "stream", "streams")}
	if b.Encrypted {
		parts = append(parts, "encrypted")
	}
	if n := len(b.Lacking); n > 0 {
		parts = append(parts, "lacks "+counted(n, "damaged stream", "damaged streams"))
	}
	return strings.Join(parts, " · ")
}
