package ui

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"hearth/relay/console"
)

// happeningNames say what is told of each kind of happenings.
var happeningNames = []named[console.Happening]{
	{console.HappeningCreated, "Streams that are made"},
	{console.HappeningMoved, "Streams that move"},
	{console.HappeningRefusals, "Devices that are refused"},
	{console.HappeningBackups, "Backups"},
	{console.HappeningChecks, "Checks"},
	{console.HappeningDisk, "Room on the disk"},
}

// toldSettings are what the relay tells of itself.
type toldSettings struct {
	checks  map[console.Happening]*widget.Check
	untold  []console.Happening // as they are in effect
	origin  *prose
	answer  *prose
	content fyne.CanvasObject

	changed func(untold []console.Happening)
	setting bool // something is being set by us, not by the person
}

func newToldSettings(changed func(untold []console.Happening)) *toldSettings {
	v := &toldSettings{
		checks: make(map[console.Happening]*widget.Check), changed: changed,
		origin: remark(""), answer: newProse("", theme.ColorNameForeground),
	}
	kinds := stacked(0)
	for _, kind := range happeningNames {
		v.checks[kind.value] = newCheck(kind.name, func(on bool) { v.switched(kind.value, on) })
		kinds.Add(flush(v.checks[kind.value]))
	}
	v.content = field("What is told", "as events on the stream _relay", kinds, v.origin, v.answer)
	return v
}

// switched passes on what the person chose.
func (v *toldSettings) switched(kind console.Happening, on bool) {
	if v.setting {
		return
	}
	untold := slices.DeleteFunc(slices.Clone(v.untold), func(k console.Happening) bool { return k == kind })
	if !on {
		untold = append(untold, kind)
	}
	v.answer.set("")
	v.changed(untold)
}

func (v *toldSettings) show(untold console.Value[[]console.Happening]) {
	v.setting = true
	defer func() { v.setting = false }()
	v.untold = untold.Value
	for kind, check := range v.checks {
		check.SetChecked(!slices.Contains(v.untold, kind))
	}
	v.origin.set(originSentence(untold.Origin))
}
