package ui

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/storage"
	"fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"hearth/relay/console"
	"hearth/relay/console/render"
)

// saver is a button that writes all bytes of an entry to a file.
type saver struct {
	*widget.Button
	shell  *shell
	what   func() saved
	told   func(string) // what was done
	failed func(string) // why nothing was, or nothing if it was
}

// saved is an entry with the name that is proposed for its file.
type saved struct {
	ref      console.StreamRef
	position uint64
	name     string
}

func newSaver(s *shell, what func() saved, told, failed func(string)) *saver {
	v := &saver{shell: s, what: what, told: told, failed: failed}
	v.Button = newIconButton("", theme.DocumentSaveIcon(), v.ask)
	v.Importance = widget.LowImportance
	return v
}

// ask lets the person choose a file.
func (v *saver) ask() {
	what := v.what()
	d := dialog.NewFileSave(func(file fyne.URIWriteCloser, err error) {
		safe(func() {
			switch {
			case err != nil:
				v.failed(sentence("the file cannot be written: " + err.Error()))
			case file != nil: // not given up
				v.to(file, what)
			}
		})()
	}, windowOf(v.Button))
	d.SetFileName(what.name)
	d.Show()
	d.Resize(dialogSize(v.Button)) // which it can take only once it is shown
}

// to writes all bytes of an entry to a file, or leaves none.
func (v *saver) to(file fyne.URIWriteCloser, what saved) {
	v.Disable() // one at a time
	name := file.URI().Name()
	v.shell.later(func(ctx context.Context) (func(), error) {
		data, err := v.shell.console.EntryData(ctx, what.ref, what.position)
		if err == nil {
			_, err = io.Writer(file).Write(data)
		}
		if err = errors.Join(err, file.Close()); err != nil {
			return nil, errors.Join(err, storage.Delete(file.URI()))
		}
		return func() {
			v.Enable()
			v.failed("")
			v.told(fmt.Sprintf("Saved as %s, %s.", name, counted(len(data), "byte", "bytes")))
		}, nil
	}, func(err error) {
		v.Enable()
		v.failed(sentence("the entry is not saved: " + err.Error()))
	})
}

// extensions are what files of each kind are called.
var extensions = map[render.Kind]string{render.KindJSON: "json", render.KindCBOR: "cbor", render.KindText: "txt", kindHex: "bin"}

// fileName proposes a name for an entry's file. A stream's name is one for a file
// as well, but for signs that some systems give a meaning.
func fileName(stream string, position uint64, kind render.Kind) string {
	plain := strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>|`, r) {
			return '-'
		}
		return r
	}, stream)
	return fmt.Sprintf("%s-%d.%s", strings.TrimLeft(plain, "."), position, extensions[kind])
}

// windowOf is the window that an object is in.
func windowOf(o fyne.CanvasObject) fyne.Window {
	driver := fyne.CurrentApp().Driver()
	c := driver.CanvasForObject(o)
	for _, w := range driver.AllWindows() {
		if w.Canvas() == c {
			return w
		}
	}
	return driver.AllWindows()[0] // an object that is not shown, and there is but one window
}

// dialogSize is that of a dialog with lists, which by itself would be as small as
// it can.
func dialogSize(o fyne.CanvasObject) fyne.Size {
	around := windowOf(o).Canvas().Size()
	return fyne.NewSize(min(around.Width-4*gap, readable), min(around.Height-4*gap, 520))
}
