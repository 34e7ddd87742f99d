package ui

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"hearth/relay/console"
)

// eventFilter lets through the events that the person wants to see: by words, by
// type and by who they come from.
type eventFilter struct {
	offer   *eventOffer
	changed func()
	setting bool // the program changes the controls, not the person
	words   *entry
	types   *typePick
	actor   *widget.Select
	content fyne.CanvasObject
}

const (
	everyActor = "Anyone"

	// wordsMost is how many letters are looked for at the most: more than a name or
	// an id has.
	wordsMost = 300
)

func newEventFilter(changed func()) *eventFilter {
	f := &eventFilter{offer: new(eventOffer), words: newEntry()}
	f.changed = func() {
		if !f.setting {
			changed()
		}
	}
	f.words.SetPlaceHolder("Filter")
	f.words.OnChanged = safely(func(string) { f.changed() })
	f.types = newTypePick(f.changed)
	f.actor = newSelect([]string{everyActor}, func(string) {})
	f.actor.SetSelected(everyActor)
	f.actor.OnChanged = safely(func(string) { f.changed() })
	f.content = laid(filterLine{}, f.words, outlined(f.types), outlined(f.actor))
	return f
}

// filterLine is words to look for beside two things to choose from, which are wider
// where there is room.
type filterLine struct{}

const (
	// pickShare is how much of the line each has, pickLeast for most of what is
	// chosen, and pickMost for nearly all.
	pickShare = 0.34
	pickLeast = 104
	pickMost  = 150

	// wordsLeast is the least room for what is typed.
	wordsLeast = 72
)

func (filterLine) MinSize(objects []fyne.CanvasObject) fyne.Size {
	height := float32(0)
	for _, o := range objects {
		height = max(height, o.MinSize().Height)
	}
	return fyne.NewSize(wordsLeast+2*(smallGap+pickLeast), height)
}

func (filterLine) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	pick := min(max(size.Width*pickShare, pickLeast), pickMost)
	words := size.Width - 2*(smallGap+pick)
	x := float32(0)
	for i, width := range []float32{words, pick, pick} {
		objects[i].Move(fyne.NewPos(x, 0))
		objects[i].Resize(fyne.NewSize(width, size.Height))
		x += width + smallGap
	}
}

// query is what the person looks for.
func (f *eventFilter) query() console.EventQuery {
	words := []rune(strings.TrimSpace(f.words.Text))
	q := console.EventQuery{Text: string(words[:min(len(words), wordsMost)]), Types: f.types.picked()}
	if f.actor.Selected != everyActor {
		q.Actor = f.offer.participant(f.actor.Selected)
	}
	return q
}

// active says that the filter may hold something back.
func (f *eventFilter) active() bool {
	q := f.query()
	return q.Text != "" || q.Actor != "" || len(q.Types) > 0
}

// reset lets everything through again.
func (f *eventFilter) reset() {
	f.setting = true
	f.words.SetText("")
	f.types.clear()
	f.actor.SetSelected(everyActor)
	f.setting = false
	f.changed()
}

// begin forgets what was seen in another stream, and lets everything through.
func (f *eventFilter) begin() {
	f.offer = new(eventOffer)
	f.reset()
	f.types.offer(nil)
	f.actor.SetOptions([]string{everyActor})
}

// refresh brings what can be chosen in line with what was seen.
func (f *eventFilter) refresh() {
	types, actors := f.offer.all()
	f.types.offer(types)
	if options := append([]string{everyActor}, actors...); len(options) != len(f.actor.Options) {
		f.actor.SetOptions(options) // names are only ever added
	}
}
