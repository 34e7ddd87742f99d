package ui

import (
	"context"
	"fmt"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"hearth/relay/console"
)

// openWarning says what switching the network on means.
const openWarning = "Anyone on this network can read and write all streams, without a key. Use it only on a network whose every device you trust."

// settings is the screen of what the owner decides.
type settings struct {
	shell  *shell
	window fyne.Window
	values console.Values // as they are in effect
	loaded bool

	name, port  *setting
	open        *widget.Check
	openFixed   *words
	openOrigin  *prose
	warning     *prose
	folder      *widget.Label
	save        *widget.Button
	answer      *prose
	body        fyne.CanvasObject
	settingOpen bool // the switch is being set by us, not by the person
}

// setting is a value that is typed, or just shown if it is fixed.
type setting struct {
	entry  *widget.Entry
	fixed  *widget.Label // selectable; a disabled entry would be hard to read
	origin *prose
	stack  *fyne.Container
	was    string
}

func newSetting(changed func()) *setting {
	s := &setting{entry: widget.NewEntry(), fixed: widget.NewLabel(""), origin: remark("")}
	s.entry.OnChanged = func(string) { changed() }
	s.fixed.Selectable = true
	s.fixed.Hide()
	s.stack = container.NewStack(s.entry, unindented(s.fixed))
	return s
}

// unindented aligns a label with the entries, which begin further left.
func unindented(l *widget.Label) fyne.CanvasObject {
	return inset(container.NewThemeOverride(l, snug{}), 0, 7)
}

// show takes a new value in; what the person is typing stays.
func (s *setting) show(value string, origin console.Origin, fixed bool) {
	typed := s.entry.Text
	if typed == s.was {
		typed = value
	}
	s.was = value
	s.fixed.SetText(value)
	s.entry.SetText(typed)
	s.entry.Hidden, s.fixed.Hidden = fixed, !fixed
	s.origin.set(originSentence(origin))
	s.stack.Refresh()
}

// changed returns what was typed, nil if that is what already holds.
func (s *setting) changed() *string {
	typed := strings.TrimSpace(s.entry.Text)
	if s.entry.Hidden || typed == s.was {
		return nil
	}
	return &typed
}

func newSettings(s *shell, window fyne.Window, folder string) *settings {
	v := &settings{shell: s, window: window}
	v.name, v.port = newSetting(v.edited), newSetting(v.edited)
	v.open = widget.NewCheck("Open to everyone on this network", v.openSwitched)
	v.openFixed = newWords("", theme.ColorNameForeground)
	v.openOrigin = remark("")
	v.warning = newProse(openWarning, theme.ColorNameError)
	v.folder = widget.NewLabel(folder)
	v.folder.Selectable = true
	v.folder.Wrapping = fyne.TextWrapBreak
	show := widget.NewButtonWithIcon("Open folder", theme.FolderOpenIcon(), v.openFolder)
	v.save = widget.NewButton("Save", v.saveChanges)
	v.save.Importance = widget.HighImportance
	v.save.Disable()
	v.answer = newProse("", theme.ColorNameForeground)

	field := func(title, hint string, value fyne.CanvasObject, below ...fyne.CanvasObject) fyne.CanvasObject {
		label := stacked(2, strong(title), caption(hint))
		lines := stacked(5, append([]fyne.CanvasObject{value}, below...)...)
		return inset(container.NewBorder(nil, nil, fixedWidth(210, label), nil, lines), gap, 12)
	}
	v.body = scrolled(container.NewVBox(container.New(atMost(readable+gap), sheet(stacked(0,
		field("Name", "as other devices see it", v.name.stack, v.name.origin),
		widget.NewSeparator(),
		field("Port", "0 lets the system pick one", container.NewBorder(nil, nil, fixedWidth(110, v.port.stack), nil), v.port.origin),
		widget.NewSeparator(),
		field("Network", "who can reach the relay", flush(container.NewStack(v.open, v.openFixed)), v.warning, v.openOrigin),
		widget.NewSeparator(),
		field("Data folder", "chosen when Hearth starts", container.NewBorder(nil, nil, nil, container.NewVBox(show), unindented(v.folder))),
		widget.NewSeparator(),
		inset(container.NewBorder(nil, nil, container.NewVBox(v.save), nil, inset(v.answer, gap, 7)), gap, 12),
	)))))
	return v
}

func (v *settings) title() string              { return "Settings" }
func (v *settings) content() fyne.CanvasObject { return v.body }
func (v *settings) restless() bool             { return false }
func (v *settings) age()                       {}

func (v *settings) load(ctx context.Context) (func(), error) {
	values, err := v.shell.console.Settings(ctx)
	if err != nil {
		return nil, fmt.Errorf("the settings cannot be read: %w", err)
	}
	return func() { v.show(values) }, nil
}

func (v *settings) show(values console.Values) {
	if v.loaded && values == v.values {
		return
	}
	touched := v.loaded && v.open.Checked != v.values.Open.Value
	v.values, v.loaded = values, true
	v.name.show(values.Name.Value, values.Name.Origin, values.Name.Fixed())
	v.port.show(strconv.Itoa(values.Port.Value), values.Port.Origin, values.Port.Fixed())
	v.openOrigin.set(originSentence(values.Open.Origin))
	v.folder.SetText(values.Folder.Value)
	v.open.Hidden, v.openFixed.Hidden = values.Open.Fixed(), !values.Open.Fixed()
	if values.Open.Fixed() || !touched {
		v.setOpen(values.Open.Value)
	}
	if values.Open.Value {
		v.openFixed.paint("Open to everyone on this network", theme.ColorNameError)
	} else {
		v.openFixed.paint("This machine only", theme.ColorNameForeground)
	}
	v.edited()
	v.body.Refresh()
}

// setOpen sets the switch without asking the person.
func (v *settings) setOpen(on bool) {
	v.settingOpen = true
	v.open.SetChecked(on)
	v.settingOpen = false
}

// openSwitched asks before the network is let in; nothing happens until Save.
func (v *settings) openSwitched(on bool) {
	if v.settingOpen {
		return
	}
	if !on || v.values.Open.Value {
		v.edited()
		return
	}
	text := newProse(openWarning+" It takes effect when you save.", theme.ColorNameForeground)
	ask := dialog.NewCustomConfirm("Open the relay to this network?", "Open it", "Keep it closed", text, func(yes bool) {
		if !yes {
			v.setOpen(false)
		}
		v.edited()
	}, v.window)
	ask.SetConfirmImportance(widget.DangerImportance)
	ask.Resize(fyne.NewSize(440, 200)) // wide enough for the sentence on three lines
	ask.Show()
}

// edited brings the button and the warning in line with the form.
func (v *settings) edited() {
	if v.save == nil || !v.loaded {
		return
	}
	if v.open.Checked {
		v.warning.paint(openWarning, theme.ColorNameError)
	} else {
		v.warning.paint("Only apps on this machine reach the relay.", colorMuted)
	}
	if change, err := v.change(); err == nil && change == (console.Change{}) {
		v.save.Disable()
	} else {
		v.save.Enable()
	}
	v.answer.set("")
}

// change is what the form asks for; nil where it asks for nothing new.
func (v *settings) change() (console.Change, error) {
	change := console.Change{Name: v.name.changed()}
	if typed := v.port.changed(); typed != nil {
		port, err := strconv.ParseUint(*typed, 10, 16)
		if err != nil {
			return change, fmt.Errorf("%q is no port: it is a number from 0 to 65535", *typed)
		}
		p := int(port)
		change.Port = &p
	}
	if on := v.open.Checked; !v.values.Open.Fixed() && on != v.values.Open.Value {
		change.Open = &on
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
	v.shell.later(func(ctx context.Context) (func(), error) {
		answer, err := v.shell.console.Change(ctx, change)
		if err != nil {
			return nil, err
		}
		values, err := v.shell.console.Settings(ctx)
		if err != nil {
			return nil, err
		}
		return func() {
			v.show(values)
			v.answer.paint(answer, theme.ColorNameForeground)
			v.shell.look() // the header shows them as well
		}, nil
	}, func(err error) {
		v.edited()
		v.refused(err)
	})
}

func (v *settings) refused(err error) {
	v.answer.paint(sentence(err.Error()), theme.ColorNameError)
}

func (v *settings) openFolder() {
	folder, err := filepath.Abs(v.folder.Text)
	if err == nil {
		slashed := filepath.ToSlash(folder)
		if !strings.HasPrefix(slashed, "/") {
			slashed = "/" + slashed // a drive letter is part of the path (RFC 8089, E.2)
		}
		err = fyne.CurrentApp().OpenURL(&url.URL{Scheme: "file", Path: slashed})
	}
	if err != nil {
		v.refused(fmt.Errorf("the folder cannot be opened here: %w", err))
	}
}

func originSentence(o console.Origin) string {
	switch o {
	case console.OriginFlag:
		return "Given on the command line, so it cannot be changed while Hearth runs."
	case console.OriginEnvironment:
		return "Given in the environment, so it cannot be changed while Hearth runs."
	case console.OriginFile:
		return "From the settings that were saved."
	default:
		return "The default; nothing else was chosen."
	}
}

// sentence makes of an error's text what stands by itself.
func sentence(s string) string {
	if s == "" {
		return s
	}
	s = strings.ToUpper(s[:1]) + s[1:]
	if !strings.HasSuffix(s, ".") {
		s += "."
	}
	return s
}
