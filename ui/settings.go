package ui

import (
	"context"
	"fmt"
	"reflect"
	"strconv"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"hearth/relay/console"
)

// settings is the screen of what the owner decides. What apps notice takes
// effect when it is saved, what only he notices at once.
type settings struct {
	shell  *shell
	window fyne.Window
	values console.Values // as they are in effect
	loaded bool

	name, port *setting
	interfaces *setting
	advertise  *setting
	open       *widget.Check
	openFixed  *words
	openOrigin *prose
	openAnswer *prose // what came of switching it
	warning    *prose
	folder     *widget.Label
	save       *widget.Button
	answer     *prose
	backups    *backups
	told       *toldSettings
	own        *ownSettings
	log        *logPane
	form       fyne.CanvasObject
	body       *fyne.Container
	setting    bool // a switch is being set by us, not by the person

	hosted func() bool // whether a tray is there
}

func newSettings(s *shell, window fyne.Window, folder string, service bool) *settings {
	v := &settings{shell: s, window: window, hosted: func() bool { return false }}
	v.name, v.port = newSetting(v.edited), newSetting(v.edited)
	v.interfaces, v.advertise = newSetting(v.edited), newSetting(v.edited)
	v.interfaces.entry.SetPlaceHolder("each that leads to a network people share")
	v.advertise.entry.SetPlaceHolder("those of this machine")
	v.open = newCheck("Open to everyone on this network", v.openSwitched)
	v.openFixed = newWords("", theme.ColorNameForeground)
	v.openOrigin = remark("")
	v.openAnswer = newProse("", theme.ColorNameForeground)
	v.openAnswer.Hide()
	v.warning = newProse(openWarning, theme.ColorNameError)
	v.folder = widget.NewLabel(folder)
	v.folder.Selectable = true
	v.folder.Wrapping = fyne.TextWrapBreak
	show := newIconButton("Open folder", theme.FolderOpenIcon(), v.openFolder)
	v.save = newButton("Save", v.saveChanges)
	v.save.Importance = widget.HighImportance
	v.save.Disable()
	v.answer = newProse("", theme.ColorNameForeground)
	v.backups = newBackups(s, func(c console.BackupChange, answer *prose, failed func(error)) {
		v.apply(console.Change{BackupChange: c}, answer, failed)
	})
	v.told = newToldSettings(v.changeTold)
	v.own = newOwnSettings(service, v.changeOwn, v.showLog)
	v.log = newLogPane(s, v.showForm)

	v.form = scrolled(container.NewVBox(laid(atMost(readable+gap), stacked(gap,
		section("The relay", unpadded(stacked(0,
			field("Name", "as other devices see it", v.name.stack, v.name.origin),
			widget.NewSeparator(),
			field("Port", "0 lets the system pick one", container.NewBorder(nil, nil, fixedWidth(110, v.port.stack), nil), v.port.origin),
			widget.NewSeparator(),
			field("Network", "who can reach the relay", flush(container.NewStack(v.open, v.openFixed)), v.warning, v.openOrigin, v.openAnswer),
			widget.NewSeparator(),
			field("Interfaces", "where it is announced; !eth1: not there", v.interfaces.stack, v.interfaces.origin),
			widget.NewSeparator(),
			field("Addresses", "that are announced", v.advertise.stack, v.advertise.origin),
			widget.NewSeparator(),
			field("Data folder", "chosen when Hearth starts", container.NewBorder(nil, nil, nil, container.NewVBox(show), unindented(v.folder))),
			widget.NewSeparator(),
			inset(container.NewBorder(nil, nil, container.NewVBox(v.save), nil, inset(v.answer, gap, 7)), gap, 12),
		))),
		section("Backups", unpadded(v.backups.content)),
		section(relaysOwn, unpadded(v.told.content)),
		section("Hearth on this desktop", unpadded(v.own.content)),
	))))
	v.body = container.NewStack(v.form)
	return v
}

func (v *settings) title() string              { return "Settings" }
func (v *settings) content() fyne.CanvasObject { return v.body }
func (v *settings) restless() bool             { return false }
func (v *settings) age()                       { v.backups.age() }

func (v *settings) load(ctx context.Context) (func(), error) {
	values, err := v.shell.console.Settings(ctx)
	if err != nil {
		return nil, fmt.Errorf("the settings cannot be read: %w", err)
	}
	backups, err := v.shell.console.Backups(ctx)
	if err != nil {
		return nil, fmt.Errorf("what there is of backups cannot be told: %w", err)
	}
	lines, err := v.shell.console.Log(ctx)
	if err != nil {
		return nil, fmt.Errorf("the log cannot be read: %w", err)
	}
	return func() {
		v.show(values)
		v.backups.show(backups, values.BackupValues)
		v.log.show(lines)
	}, nil
}

func (v *settings) show(values console.Values) {
	v.own.tray(v.hosted())
	if v.loaded && reflect.DeepEqual(values, v.values) {
		return
	}
	v.values, v.loaded = values, true
	v.name.show(values.Name.Value, values.Name.Origin, values.Name.Fixed())
	v.port.show(strconv.Itoa(values.Port.Value), values.Port.Origin, values.Port.Fixed())
	v.interfaces.showList(values.Interfaces)
	v.advertise.showList(values.Advertise)
	v.openOrigin.set(originSentence(values.Open.Origin))
	v.folder.SetText(values.Folder.Value)
	v.open.Hidden, v.openFixed.Hidden = values.Open.Fixed(), !values.Open.Fixed()
	v.setOpen(values.Open.Value)
	if values.Open.Value {
		v.openFixed.paint("Open to everyone on this network", theme.ColorNameError)
		v.warning.paint(openWarning, theme.ColorNameError)
	} else {
		v.openFixed.paint("This machine only", theme.ColorNameForeground)
		v.warning.paint("Only apps on this machine reach the relay.", colorMuted)
	}
	v.told.show(values.Untold)
	v.own.show(values.Desktop)
	v.edited()
	v.body.Refresh()
}

// setOpen sets the switch without asking the person.
func (v *settings) setOpen(on bool) {
	v.setting = true
	v.open.SetChecked(on)
	v.setting = false
}

// openSwitched keeps the network out, or lets it in once the person has been
// asked, at once: a question that was answered yes and changed nothing misleads.
func (v *settings) openSwitched(on bool) {
	if v.setting {
		return
	}
	if !on {
		v.letIn(false, v.openFailed)
		return
	}
	askOpen(v.window, func(yes bool) {
		if yes {
			v.letIn(true, v.openFailed)
		} else {
			v.setOpen(false)
		}
	})
}

// letIn lets the network in, or keeps it out.
func (v *settings) letIn(on bool, failed func(error)) {
	v.openAnswer.paint("Changing that…", colorMuted)
	v.openAnswer.Show()
	v.apply(console.Change{Open: &on}, v.openAnswer, failed)
}

func (v *settings) openFailed(err error) {
	v.setOpen(v.values.Open.Value)
	v.openAnswer.paint(sentence(err.Error()), theme.ColorNameError)
}

// edited brings the button in line with the form.
func (v *settings) edited() {
	if v.save == nil || !v.loaded {
		return
	}
	if change, err := v.change(); err == nil && reflect.ValueOf(change).IsZero() {
		v.save.Disable()
	} else {
		v.save.Enable()
	}
	v.answer.set("")
}

// change is what the form asks for; nil where it asks for nothing new.
func (v *settings) change() (console.Change, error) {
	change := console.Change{Name: v.name.changed(), Interfaces: v.interfaces.changedList(), Advertise: v.advertise.changedList()}
	if typed := v.port.changed(); typed != nil {
		port, err := strconv.ParseUint(*typed, 10, 16)
		if err != nil {
			return change, fmt.Errorf("%q is no port: it is a number from 0 to 65535", *typed)
		}
		p := int(port)
		change.Port = &p
	}
	return change, nil
}

func (v *settings) saveChanges() {
	change, err := v.change()
	if err != nil {
		v.refused(err)
		return
	}
	v.save.Disable()
	v.answer.paint("Saving…", colorMuted)
	v.apply(change, v.answer, func(err error) { v.edited(); v.refused(err) })
}

// changeOwn puts a change into effect at once.
func (v *settings) changeOwn(change console.DesktopChange) {
	v.apply(console.Change{DesktopChange: change}, v.own.answer, func(err error) {
		v.own.show(v.values.Desktop)
		v.own.answer.paint(sentence(err.Error()), theme.ColorNameError)
	})
}

// changeTold puts another choice of what is told into effect at once.
func (v *settings) changeTold(untold []console.Happening) {
	v.apply(console.Change{Untold: &untold}, v.told.answer, func(err error) {
		v.told.show(v.values.Untold)
		v.told.answer.paint(sentence(err.Error()), theme.ColorNameError)
	})
}

// apply makes a change and says what came of it, or has it told that it failed.
func (v *settings) apply(change console.Change, answer *prose, failed func(error)) {
	v.shell.later(func(ctx context.Context) (func(), error) {
		said, err := v.shell.console.Change(ctx, change)
		if err != nil {
			return nil, err
		}
		values, err := v.shell.console.Settings(ctx)
		if err != nil {
			return nil, err
		}
		return func() {
			v.show(values)
			v.backups.form.show(values.BackupValues)
			v.shell.settled(values)
			answer.paint(said, theme.ColorNameForeground)
			v.shell.look() // the header shows them as well
		}, nil
	}, failed)
}

func (v *settings) refused(err error) {
	v.answer.paint(sentence(err.Error()), theme.ColorNameError)
}

func (v *settings) showLog() {
	v.log.began()
	v.put(v.log.content)
}

func (v *settings) showForm() { v.put(v.form) }

func (v *settings) put(o fyne.CanvasObject) {
	v.body.Objects = []fyne.CanvasObject{o}
	v.body.Refresh()
}
