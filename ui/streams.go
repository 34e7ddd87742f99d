package ui

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"hearth/relay/console"
)

const (
	// streamsPage is how many streams are asked for at once.
	streamsPage = 1000

	// streamsMost is how many streams the screen lists: more than a person can
	// look through, and still read in a moment. The screen says if there are
	// more.
	streamsMost = 100_000

	// defaultSpace needs no mention.
	defaultSpace = "default"

	// relaysOwn is what the stream is called on which the relay tells of itself.
	relaysOwn = "What happens on this relay"
)

// streams is the screen of all streams, with one of them in detail.
type streams struct {
	shell    *shell
	all      []console.Stream  // by space and name
	shown    []*console.Stream // those of them that the filter lets through, sorted
	more     bool              // there are more than are listed
	loaded   bool
	url      string
	selected console.StreamRef // zero for none
	at       int               // where that is in shown; -1 if nowhere
	sought   bool              // the list is to scroll there

	filter *entry
	tally  *words
	header *sortHeader
	list   *rowList
	detail *detail
	body   *fyne.Container
	listed fyne.CanvasObject
	none   fyne.CanvasObject
	hint   *words
	own    *widget.Button // leads to the relay's own stream while there is no other
}

// streamColumns leave the name room first: that is what a person looks for.
var streamColumns = columns{least: 160, list: []column{
	{title: "Name", middle: true, style: fyne.TextStyle{Bold: true}, color: theme.ColorNameForeground},
	{title: "Entries", width: 64, align: fyne.TextAlignTrailing, color: theme.ColorNameForeground, rank: 2},
	{title: "Epoch", width: 48, align: fyne.TextAlignTrailing, color: theme.ColorNameForeground, rank: 5},
	{title: "Size", width: 56, align: fyne.TextAlignTrailing, color: theme.ColorNameForeground, rank: 3},
	{title: "Last write", width: 78, color: colorMuted, rank: 1},
	{title: "Last hour", width: 72, chart: true, color: colorMuted, rank: 4},
}}

func newStreams(s *shell) *streams {
	v := &streams{shell: s, at: -1, filter: newEntry(), tally: newWords("", colorMuted)}
	v.detail = newDetail(s, v.named)
	v.filter.SetPlaceHolder("Filter streams")
	v.filter.OnChanged = safely(func(string) { v.refilter() })
	v.list = newRowList(&streamColumns, rowHeight, (*streamRows)(v))
	v.header = newSortHeader(&streamColumns, func(order) { v.refilter() })
	v.listed = container.NewBorder(
		beside(12, fixedWidth(240, v.filter), v.tally), nil, nil, nil,
		laid(topMargin(12), laid(panes{}, sheet(v.list.framed(v.header)), sheet(v.detail.content))),
	)
	v.hint = code("")
	v.own = newButton(relaysOwn, func() { v.open(v.all[0].StreamRef) })
	v.own.Importance = widget.LowImportance
	v.none = container.NewVBox(sheet(emptyState("No streams yet",
		newProse("An app makes a stream by writing to it. Give this address to the app that you want to sync:", colorMuted),
		beside(smallGap, v.hint, newCopyButton("Copy address", func() string { return v.url }).Button),
		newProse("The stream shows here as soon as the app writes to it.", colorMuted),
		v.own,
	)))
	v.body = container.NewStack(container.NewVBox(newWords("Looking for streams…", colorMuted)))
	return v
}

func (v *streams) title() string              { return "Streams" }
func (v *streams) content() fyne.CanvasObject { return v.body }
func (v *streams) field() fyne.Focusable      { return v.filter }
func (v *streams) restless() bool             { return false }

func (v *streams) load(ctx context.Context) (func(), error) {
	all, more, err := listStreams(ctx, v.shell.console)
	if err != nil {
		return nil, fmt.Errorf("the streams cannot be listed: %w", err)
	}
	return func() { v.show(all, more) }, nil
}

// listStreams reads the list page by page, so that no single read is long.
func listStreams(ctx context.Context, relay console.Relay) (all []console.Stream, more bool, err error) {
	var after console.StreamRef
	for {
		page, err := relay.Streams(ctx, after, streamsPage)
		if err != nil {
			return nil, false, err
		}
		all = append(all, page...)
		switch {
		case len(page) < streamsPage:
			return all, false, nil
		case len(all) >= streamsMost:
			return all, true, nil
		}
		after = page[len(page)-1].StreamRef
	}
}

func (v *streams) show(all []console.Stream, more bool) {
	if v.loaded && v.more == more && slices.Equal(v.all, all) {
		if v.at >= 0 && v.shown[v.at].Head != v.detail.stream.Head { // what is new of it may have been out of reach
			v.detail.show(*v.shown[v.at])
		}
		return
	}
	v.all, v.more, v.loaded = all, more, true
	v.refilter()
}

// lay shows the list, or as long as nobody has written what there is to do.
func (v *streams) lay() {
	written := slices.ContainsFunc(v.all, func(s console.Stream) bool { return s.Name != console.RelayStream })
	stage := v.none
	if written || v.selected != (console.StreamRef{}) {
		stage = v.listed
	}
	if own := len(v.all) > 0; v.own.Visible() != own {
		v.own.Hidden = !own
		v.none.Refresh()
	}
	if v.body.Objects[0] != stage {
		v.body.Objects = []fyne.CanvasObject{stage}
		v.body.Refresh()
	}
}

// reachable tells the screen where clients reach the relay.
func (v *streams) reachable(url string) {
	v.url = url
	v.hint.set(url)
}

// open selects a stream from elsewhere in the window, and shows where it is in
// the list.
func (v *streams) open(ref console.StreamRef) {
	v.selected, v.sought = ref, true
	v.filter.SetText("")
	if v.loaded {
		v.refilter()
	}
}

// refilter puts together what is shown, from what is there, what the person
// looks for, and the order.
func (v *streams) refilter() {
	v.shown = arranged(v.all, v.filter.Text, v.header.order)
	v.at = slices.IndexFunc(v.shown, v.isSelected)
	if chosen := slices.IndexFunc(v.all, func(s console.Stream) bool { return v.isSelected(&s) }); chosen >= 0 {
		v.detail.show(v.all[chosen])
	} else {
		if !v.sought { // it may be so new that it is not listed yet
			v.selected = console.StreamRef{}
		}
		v.detail.clear()
	}
	v.count()
	v.lay()
	v.list.Refresh()
	if v.sought && v.at >= 0 {
		v.list.ScrollTo(v.at)
		v.sought = false
	}
}

// named returns the name of the stream that has an identity; it is empty if none
// has.
func (v *streams) named(identity string) string {
	for i := range v.all {
		if v.all[i].Identity == identity {
			return fullName(v.all[i].StreamRef)
		}
	}
	return ""
}

func (v *streams) isSelected(s *console.Stream) bool { return s.StreamRef == v.selected }

// count says how many of the streams are shown.
func (v *streams) count() {
	switch {
	case strings.TrimSpace(v.filter.Text) != "":
		v.tally.set(fmt.Sprintf("%s of %s", number(len(v.shown)), number(len(v.all))))
	case v.more:
		v.tally.set(fmt.Sprintf("the first %s", number(len(v.all))))
	default:
		v.tally.set("")
	}
}

func (v *streams) age() {
	v.list.Refresh()
	v.detail.age()
}

// streamRows is the streams shown as rows.
type streamRows streams

func (r *streamRows) count() int { return len(r.shown) }

func (r *streamRows) row(i int) rowState {
	s := r.shown[i]
	name := fullName(s.StreamRef)
	if s.Damage != "" {
		name = "damaged: " + name
	}
	tone := theme.ColorNameForeground
	if s.Name == console.RelayStream {
		tone = colorMuted
	}
	return rowState{alarm: s.Damage != "", tones: []fyne.ThemeColorName{tone}, values: charted(&s.Hour), cells: []string{
		name, number(s.Head), number(s.Epoch), byteSize(s.Bytes), ago(s.WrittenAt, r.shell.now()), "",
	}}
}

func (r *streamRows) chosen() int { return r.at }

func (r *streamRows) choose(i int) {
	r.at, r.selected, r.sought = i, r.shown[i].StreamRef, false
	r.detail.show(*r.shown[i])
}

// charted is an hour as a chart takes it.
func charted(h *console.Hour) []float64 {
	values := make([]float64, len(h))
	for i, m := range h {
		values[i] = float64(m)
	}
	return values
}

func fullName(ref console.StreamRef) string {
	if ref.Space == defaultSpace {
		return streamName(ref)
	}
	return ref.Space + " / " + streamName(ref)
}

// streamName is what a stream is called, which for the relay's own is no name that
// tells people anything.
func streamName(ref console.StreamRef) string {
	if ref.Name == console.RelayStream {
		return relaysOwn
	}
	return ref.Name
}

func spaceAndKind(s console.Stream) string {
	if s.Space == defaultSpace {
		return string(s.Kind)
	}
	return "space " + s.Space + " · " + string(s.Kind)
}
