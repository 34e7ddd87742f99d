package ui

import (
	"fmt"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"hearth/relay/console"
)

// refusalRow tells one refusal.
type refusalRow struct {
	follow              func(lead)
	refusal             console.Refusal
	code, status, fresh *words
	title, what, meta   *prose
	remedy              *widget.Button
	content             fyne.CanvasObject
}

func newRefusalRow(follow func(lead)) *refusalRow {
	r := &refusalRow{
		follow: follow,
		code:   newWords("", theme.ColorNamePrimary), status: caption(""), fresh: newWords("", theme.ColorNameError),
		title: newProse("", theme.ColorNameForeground), what: newProse("", theme.ColorNameForeground), meta: newProse("", colorMuted),
	}
	r.code.size, r.fresh.size = theme.SizeNameCaptionText, theme.SizeNameCaptionText
	r.title.style.TextStyle.Bold = true
	r.remedy = newButton("", func() {
		if _, to, ok := remedy(r.refusal); ok {
			r.follow(to)
		}
	})
	label := stacked(5, container.NewHBox(chip(r.code, colorTint)), r.status, r.fresh)
	told := stacked(4, r.title, r.what, r.meta)
	r.content = inset(container.NewBorder(nil, nil,
		laid(topMargin(1), fixedWidth(150, label)), laid(leftMargin(gap), container.NewVBox(r.remedy)),
		laid(atMost(readable), told)), gap, 12)
	return r
}

func (r *refusalRow) set(refusal console.Refusal, fresh bool, now time.Time) {
	r.refusal = refusal
	e := console.Explain(refusal)
	r.code.set(refusal.Code)
	r.status.set(fmt.Sprintf("status %d", refusal.Status))
	r.fresh.set("")
	if fresh {
		r.fresh.set("● new")
	}
	r.title.set(e.Title)
	r.what.set(e.What + " " + e.Todo)
	button, _, ok := remedy(refusal)
	r.remedy.SetText(button)
	r.remedy.Hidden = !ok
	r.age(now)
}

func (r *refusalRow) age(now time.Time) { r.meta.set(circumstances(r.refusal, now)) }

// circumstances says who did what, when and how often.
func circumstances(r console.Refusal, now time.Time) string {
	parts := []string{r.Client}
	if r.Key != "" {
		parts = append(parts, "key "+r.Key)
	}
	parts = append(parts, console.Doing(r), ago(r.Last, now))
	if r.Times > 1 {
		parts = append(parts, counted(r.Times, "time", "times"))
	}
	return strings.Join(parts, " · ")
}

// remedy is where the owner can do something about a refusal, if that is
// anywhere in this window; button is what the way there is called.
func remedy(r console.Refusal) (button string, to lead, ok bool) {
	switch r.Code {
	case "stream_replaced", "cursor_ahead", "cursor_diverged", "epoch_behind", "wrong_kind", "out_of_place":
		if r.Space != "" && r.Stream != "" {
			return "Open stream", lead{to: toStream, stream: console.StreamRef{Space: r.Space, Name: r.Stream}}, true
		}
	case "internal":
		return "See the log", lead{to: toLog}, true
	case "storage_full":
		return "Open data folder", lead{to: toFolder}, true
	}
	return "", lead{}, false
}
