package ui

import (
	"context"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"hearth/relay/console"
)

// typedRelay looks for a relay at an address that a person types: on some
// networks relays cannot find each other.
type typedRelay struct {
	shell   *shell
	changed func() // the room that is taken is another one
	field   *entry
	button  *widget.Button
	below   *fyne.Container // what came of it
	content *fyne.Container
}

func newTypedRelay(s *shell, changed func()) *typedRelay {
	t := &typedRelay{shell: s, changed: changed, field: newEntry(), below: stacked(0)}
	t.field.SetPlaceHolder("192.168.1.5:2451")
	t.field.OnSubmitted = safely(func(string) { t.ask() })
	t.button = newButton("Look there", t.ask)
	t.content = stacked(0,
		inset(stacked(6,
			newProse("One is missing? Not every network lets relays find each other. Type the address that it shows.", colorMuted),
			flush(fixedWidth(240, t.field), t.button),
		), gap, 10),
		t.below,
	)
	return t
}

// ask goes there, aside from the UI thread.
func (t *typedRelay) ask() {
	address := t.field.Text
	if address == "" || t.button.Disabled() {
		return
	}
	t.button.Disable()
	t.shell.later(func(ctx context.Context) (func(), error) {
		check, err := t.shell.console.Ask(ctx, address)
		return func() { t.told(checkLine(check)) }, err
	}, func(err error) {
		t.told(checkLine(console.Check{Title: address, Outcome: console.OutcomeBad, Detail: sentence(err.Error())}))
	})
}

func (t *typedRelay) told(line fyne.CanvasObject) {
	t.button.Enable()
	t.below.Objects = []fyne.CanvasObject{widget.NewSeparator(), line}
	t.changed()
}
