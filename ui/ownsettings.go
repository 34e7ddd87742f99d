package ui

import (
	"log/slog"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"hearth/relay/console"
)

// ownSettings are those that only the owner at this desktop notices.
type ownSettings struct {
	login, keep             *widget.Check
	keepSays                *prose
	look, level             *widget.Select
	levelFrame              fyne.CanvasObject
	levelFixed              *words
	loginOrigin, keepOrigin *prose
	lookOrigin, levelOrigin *prose
	answer                  *prose
	content                 fyne.CanvasObject

	service bool // the relay goes on without the window
	changed func(console.DesktopChange)
	setting bool // something is being set by us, not by the person
}

// named is a value with its name in a list to choose from.
type named[T comparable] struct {
	value T
	name  string
}

var (
	looks = []named[console.Theme]{
		{console.ThemeSystem, "As the desktop"}, {console.ThemeLight, "Light"}, {console.ThemeDark, "Dark"},
	}
	levels = []named[slog.Level]{
		{slog.LevelDebug, "Everything (debug)"},
		{slog.LevelInfo, "What happens (info)"},
		{slog.LevelWarn, "Warnings and errors (warn)"},
		{slog.LevelError, "Errors alone (error)"},
	}
)

func namesOf[T comparable](list []named[T]) []string {
	names := make([]string, 0, len(list))
	for _, n := range list {
		names = append(names, n.name)
	}
	return names
}

// nameOf returns the name of a value; if it has none, as levels between two
// names have not, what it is called otherwise.
func nameOf[T comparable](list []named[T], value T, otherwise string) string {
	if i := slices.IndexFunc(list, func(n named[T]) bool { return n.value == value }); i >= 0 {
		return list[i].name
	}
	return otherwise
}

func newOwnSettings(service bool, changed func(console.DesktopChange), showLog func()) *ownSettings {
	v := &ownSettings{
		service: service, changed: changed, keepSays: newProse("", colorMuted), answer: newProse("", theme.ColorNameForeground),
		levelFixed:  newWords("", theme.ColorNameForeground),
		loginOrigin: remark(""), keepOrigin: remark(""), lookOrigin: remark(""), levelOrigin: remark(""),
	}
	v.login = newCheck("Start Hearth when I log in", func(on bool) { v.change(console.DesktopChange{Login: &on}) })
	keep, need := "Keep running in the tray", "apps need a relay that runs"
	if service {
		keep, need = "Keep its mark in the tray", "the relay itself goes on"
	}
	v.keep = newCheck(keep, func(on bool) { v.change(console.DesktopChange{Tray: &on}) })
	v.look = newSelect(namesOf(looks), func(string) {
		if i := v.look.SelectedIndex(); i >= 0 {
			v.change(console.DesktopChange{Theme: &looks[i].value})
		}
	})
	v.level = newSelect(namesOf(levels), func(string) {
		if i := v.level.SelectedIndex(); i >= 0 {
			v.change(console.DesktopChange{LogLevel: &levels[i].value})
		}
	})
	v.levelFrame = outlined(v.level)
	log := newIconButton("Show the log", theme.ListIcon(), showLog)
	v.content = stacked(0,
		field("At login", "without its window, if there is a tray", flush(v.login), v.loginOrigin),
		widget.NewSeparator(),
		field("When its window is closed", need, flush(v.keep), v.keepSays, v.keepOrigin),
		widget.NewSeparator(),
		field("Looks", "of this window", container.NewBorder(nil, nil, fixedWidth(204, outlined(v.look)), nil), v.lookOrigin),
		widget.NewSeparator(),
		field("Log", "what is written down", container.NewBorder(nil, nil,
			fixedWidth(204, container.NewStack(v.levelFrame, v.levelFixed)), container.NewVBox(log)), v.levelOrigin),
		widget.NewSeparator(),
		inset(stacked(5, caption("Changes here take effect at once."), v.answer), gap, 10),
	)
	v.tray(false)
	return v
}

// outlined gives a list to choose from the edge that a field to type in has.
func outlined(s fyne.CanvasObject) *panel {
	return newPanel(colorNone, theme.ColorNameInputBorder, 6, inset(s, 1, 1)) // inwards, so that the edge stays visible
}

// change passes on what the person chose.
func (v *ownSettings) change(c console.DesktopChange) {
	if !v.setting {
		v.answer.set("")
		v.changed(c)
	}
}

func (v *ownSettings) show(d console.Desktop) {
	v.setting = true
	defer func() { v.setting = false }()
	v.login.SetChecked(d.Login.Value)
	v.keep.SetChecked(d.Tray.Value)
	v.look.SetSelected(nameOf(looks, d.Theme.Value, ""))
	v.level.SetSelected(nameOf(levels, d.LogLevel.Value, ""))
	v.levelFixed.set(nameOf(levels, d.LogLevel.Value, d.LogLevel.Value.String()))
	v.levelFixed.Hidden = !d.LogLevel.Fixed()
	if d.LogLevel.Fixed() {
		v.levelFrame.Hide()
	} else {
		v.levelFrame.Show()
	}
	v.loginOrigin.set("The default; nothing else was chosen.")
	if d.Login.Value {
		v.loginOrigin.set("From the desktop's list of what starts at login.")
	}
	v.keepOrigin.set(originSentence(d.Tray.Origin))
	v.lookOrigin.set(originSentence(d.Theme.Origin))
	v.levelOrigin.set(originSentence(d.LogLevel.Origin))
}

// tray says what a tray has to do with it.
func (v *ownSettings) tray(hosted bool) {
	if v.service {
		v.keepSays.paint("The relay runs as a service of its own: it goes on when this window is closed.", colorMuted)
		return
	}
	if hosted {
		v.keepSays.paint("Its mark in the tray brings the window back and ends Hearth.", colorMuted)
		return
	}
	v.keepSays.paint("This desktop has no tray, so nothing could bring a hidden window back: Hearth starts with its window, and ends when that is closed.", theme.ColorNameWarning)
}
