package ui

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"hearth/relay/console"
)

// backupForm is what the owner decides of backups; it takes effect when it is
// saved.
type backupForm struct {
	values console.BackupValues // as they are in effect
	loaded bool

	folder, keep, recipient *setting
	every                   *widget.Select
	intervals               []named[time.Duration] // to choose from
	everyFrame              fyne.CanvasObject
	everyFixed              *words
	everyOrigin             *prose
	save                    *widget.Button
	answer                  *prose
	content                 fyne.CanvasObject
}

// intervals are the usual times between two backups.
var intervals = []named[time.Duration]{
	{0, "Only when I ask for one"}, {time.Hour, "Every hour"}, {6 * time.Hour, "Every 6 hours"}, {day, "Every day"}, {7 * day, "Every week"},
}

// newBackupForm makes the form; apply puts a change into effect and tells in
// answer what came of it.
func newBackupForm(apply func(c console.BackupChange, answer *prose, failed func(error))) *backupForm {
	v := &backupForm{
		intervals: intervals, everyFixed: newWords("", theme.ColorNameForeground), everyOrigin: remark(""),
		answer: newProse("", theme.ColorNameForeground),
	}
	v.folder, v.keep, v.recipient = newSetting(v.edited), newSetting(v.edited), newSetting(v.edited)
	v.recipient.entry.SetPlaceHolder("nobody: whoever has a backup can read it")
	v.every = newSelect(namesOf(v.intervals), func(string) { v.edited() })
	v.everyFrame = outlined(v.every)
	browse := newIconButton("Choose", theme.FolderOpenIcon(), v.choose)
	v.save = newButton("Save", func() { v.saveChanges(apply) })
	v.save.Importance = widget.HighImportance
	v.save.Disable()
	v.content = stacked(0,
		field("Folder", "best on another disk or a share", container.NewBorder(nil, nil, nil, container.NewVBox(browse), v.folder.stack), v.folder.origin),
		widget.NewSeparator(),
		field("How often", "by itself", container.NewBorder(nil, nil, fixedWidth(230, container.NewStack(v.everyFrame, v.everyFixed)), nil), v.everyOrigin),
		widget.NewSeparator(),
		field("How many", "are kept; older ones go", container.NewBorder(nil, nil, fixedWidth(110, v.keep.stack), nil), v.keep.origin),
		widget.NewSeparator(),
		field("Encrypted to", "a recipient of age, age1…", v.recipient.stack, v.recipient.origin),
		widget.NewSeparator(),
		inset(container.NewBorder(nil, nil, container.NewVBox(v.save), nil, inset(v.answer, gap, 7)), gap, 12),
	)
	return v
}

func (v *backupForm) show(b console.BackupValues) {
	if v.loaded && reflect.DeepEqual(b, v.values) {
		return
	}
	chosen, ok := v.interval()
	typing := v.loaded && ok && chosen != v.values.BackupEvery.Value
	v.values, v.loaded = b, true
	v.folder.show(b.BackupFolder.Value, b.BackupFolder.Origin, b.BackupFolder.Fixed())
	v.keep.show(strconv.Itoa(b.BackupKeep.Value), b.BackupKeep.Origin, b.BackupKeep.Fixed())
	v.recipient.show(b.BackupRecipient.Value, b.BackupRecipient.Origin, b.BackupRecipient.Fixed())
	every := b.BackupEvery.Value
	v.intervals = intervals
	if nameOf(intervals, every, "") == "" { // the settings file may say any time
		v.intervals = append(slices.Clone(intervals), named[time.Duration]{every, "Every " + every.String()})
	}
	v.every.SetOptions(namesOf(v.intervals))
	if !typing {
		v.every.SetSelected(nameOf(v.intervals, every, ""))
	}
	v.everyFixed.set(nameOf(v.intervals, every, ""))
	v.everyFixed.Hidden = !b.BackupEvery.Fixed()
	if b.BackupEvery.Fixed() {
		v.everyFrame.Hide()
	} else {
		v.everyFrame.Show()
	}
	v.edited()
}

// interval returns the time between two backups that is chosen.
func (v *backupForm) interval() (time.Duration, bool) {
	if i := v.every.SelectedIndex(); i >= 0 && i < len(v.intervals) {
		return v.intervals[i].value, true
	}
	return 0, false
}

// edited brings the button in line with the form.
func (v *backupForm) edited() {
	if !v.loaded {
		return
	}
	change, err := v.change()
	v.everyOrigin.set(originSentence(v.values.BackupEvery.Origin))
	if change.BackupEvery != nil {
		v.everyOrigin.set("Not saved yet.")
	}
	if err == nil && change == (console.BackupChange{}) {
		v.save.Disable()
	} else {
		v.save.Enable()
	}
	v.answer.set("")
}

// change is what the form asks for; nil where it asks for nothing new.
func (v *backupForm) change() (console.BackupChange, error) {
	c := console.BackupChange{BackupFolder: v.folder.changed(), BackupRecipient: v.recipient.changed()}
	if every, ok := v.interval(); ok && every != v.values.BackupEvery.Value && !v.values.BackupEvery.Fixed() {
		c.BackupEvery = &every
	}
	if typed := v.keep.changed(); typed != nil {
		keep, err := strconv.Atoi(*typed)
		if err != nil || keep < 1 {
			return c, fmt.Errorf("%q is no number of backups to keep: at least one is", *typed)
		}
		c.BackupKeep = &keep
	}
	return c, nil
}

func (v *backupForm) saveChanges(apply func(console.BackupChange, *prose, func(error))) {
	change, err := v.change()
	if err != nil {
		v.refused(err)
		return
	}
	v.save.Disable()
	v.answer.paint("Saving…", colorMuted)
	apply(change, v.answer, func(err error) { v.edited(); v.refused(err) })
}

func (v *backupForm) refused(err error) { v.answer.paint(sentence(err.Error()), theme.ColorNameError) }

// choose lets the person look for a folder.
func (v *backupForm) choose() {
	d := dialog.NewFolderOpen(func(folder fyne.ListableURI, err error) {
		safe(func() {
			switch {
			case err != nil:
				v.refused(fmt.Errorf("the folder cannot be looked into: %w", err))
			case folder != nil: // not given up
				v.folder.entry.SetText(folder.Path())
			}
		})()
	}, windowOf(v.content))
	d.Show()
	d.Resize(dialogSize(v.content)) // which it can take only once it is shown
}
