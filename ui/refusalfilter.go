package ui

import (
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"hearth/relay/console"
)

// refusalFilter lets through what the person wants to see: by words, by code, by
// stream and by address.
type refusalFilter struct {
	words *entry
	picks []*pick
	clear *widget.Button
}

func newRefusalFilter(changed func()) *refusalFilter {
	f := &refusalFilter{words: newEntry()}
	f.words.SetPlaceHolder("Filter refusals")
	f.clear = newButton("Clear filters", f.reset)
	f.clear.Importance = widget.LowImportance
	f.clear.Hide()
	noted := func() {
		f.clear.Hidden = !f.active()
		changed()
	}
	f.words.OnChanged = safely(func(string) { noted() })
	f.picks = []*pick{
		newPick("Every code", func(r console.Refusal) string { return r.Code }, noted),
		newPick("Every stream", func(r console.Refusal) string { return r.Stream }, noted),
		newPick("Every address", func(r console.Refusal) string { return r.Client }, noted),
	}
	return f
}

// pickWidth has room for the codes and for most names and addresses.
const pickWidth = 158

// controls are what the person filters with.
func (f *refusalFilter) controls() []fyne.CanvasObject {
	list := []fyne.CanvasObject{fixedWidth(190, f.words)}
	height := float32(0)
	for _, p := range f.picks {
		frame := outlined(p.choice)
		height = frame.MinSize().Height
		list = append(list, fixedWidth(pickWidth, frame))
	}
	list[0] = laid(atLeast(height), list[0])
	return append(list, f.clear)
}

// offer brings what can be chosen in line with what there is.
func (f *refusalFilter) offer(all []console.Refusal) {
	for _, p := range f.picks {
		p.offer(all)
	}
}

// active says that the filter may hold something back.
func (f *refusalFilter) active() bool {
	return f.looked() != "" || slices.ContainsFunc(f.picks, (*pick).active)
}

// lets says whether a refusal gets through.
func (f *refusalFilter) lets(r console.Refusal) bool {
	for _, p := range f.picks {
		if p.active() && p.of(r) != p.choice.Selected {
			return false
		}
	}
	looked := f.looked()
	return looked == "" || strings.Contains(strings.ToLower(searched(r)), looked)
}

func (f *refusalFilter) looked() string { return strings.ToLower(strings.TrimSpace(f.words.Text)) }

// reset lets everything through again.
func (f *refusalFilter) reset() {
	f.words.SetText("")
	for _, p := range f.picks {
		p.choice.SetSelected(p.every)
	}
}

// searched is what the words are looked for in.
func searched(r console.Refusal) string {
	e := console.Explain(r)
	return strings.Join([]string{r.Code, r.Client, r.Stream, r.Key, e.Title, e.What, e.Todo}, "\n")
}

// pick chooses one value of a field, or every one.
type pick struct {
	every  string
	of     func(console.Refusal) string
	choice *widget.Select
}

func newPick(every string, of func(console.Refusal) string, changed func()) *pick {
	p := &pick{every: every, of: of, choice: newSelect([]string{every}, func(string) {})}
	p.choice.SetSelected(every)
	p.choice.OnChanged = safely(func(string) { changed() })
	return p
}

func (p *pick) active() bool { return p.choice.Selected != p.every }

// offer lists the values that there are. The chosen one stays among them: a
// filter does not change by itself.
func (p *pick) offer(all []console.Refusal) {
	var values []string
	if p.active() {
		values = append(values, p.choice.Selected)
	}
	for _, r := range all {
		if v := p.of(r); v != "" {
			values = append(values, v)
		}
	}
	slices.Sort(values)
	options := append([]string{p.every}, slices.Compact(values)...)
	if !slices.Equal(p.choice.Options, options) {
		p.choice.SetOptions(options)
	}
}
