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

	"hearth/relay/console/render"
)

// askWhere lets the person choose a file for the entry's bytes.
func (p *entryPane) askWhere() {
	pager, position := p.pager, p.position
	d := dialog.NewFileSave(func(file fyne.URIWriteCloser, err error) {
		safe(func() {
			switch {
			case err != nil:
				p.say(sentence("the file cannot be written: " + err.Error()))
			case file != nil: // not given up
				p.saveTo(file, pager, position)
			}
		})()
	}, windowOf(p.content))
	d.SetFileName(fileName(p.stream.Name, position, p.readout.kinds()[0]))
	d.Show()
	d.Resize(dialogSize(p.content)) // which it can take only once it is shown
}

// saveTo writes all bytes of an entry to a file, or leaves none.
func (p *entryPane) saveTo(file fyne.URIWriteCloser, pager *pager, position uint64) {
	p.save.Disable() // one at a time
	name := file.URI().Name()
	p.shell.later(func(ctx context.Context) (func(), error) {
		data, err := p.shell.console.EntryData(ctx, pager.ref, position)
		if err == nil {
			_, err = io.Writer(file).Write(data)
		}
		if err = errors.Join(err, file.Close()); err != nil {
			return nil, errors.Join(err, storage.Delete(file.URI()))
		}
		return func() {
			p.save.Enable()
			p.say("")
			p.facts.set(fmt.Sprintf("Saved as %s, %s.", name, counted(len(data), "byte", "bytes")))
		}, nil
	}, func(err error) {
		p.save.Enable()
		p.say(sentence("the entry is not saved: " + err.Error()))
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
