package ui

import (
	"context"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/dialog"
	"fyne.io/fyne/v2/theme"

	"hearth/relay/console"
)

// mine tells what a cursor that the person pastes is worth in a stream.
type mine struct {
	shell  *shell
	stream console.Stream
	named  func(identity string) string // the stream that has an identity, by name; empty if none has

	cursor   *entry
	title    *prose
	code     *words
	label    *panel
	told     *prose
	content  *fyne.Container
	answered *fyne.Container
}

func newMine(s *shell, stream console.Stream, named func(string) string) *mine {
	m := &mine{
		shell: s, stream: stream, named: named, cursor: newEntry(), title: newProse("", theme.ColorNameForeground),
		code: newWords("", theme.ColorNamePrimary), told: newProse("", theme.ColorNameForeground),
	}
	m.title.style.TextStyle.Bold = true
	m.code.size = theme.SizeNameCaptionText
	m.label = chip(m.code, colorTint)
	m.cursor.SetPlaceHolder("position.identity.link")
	m.cursor.OnChanged = safely(func(string) { m.check() })
	m.answered = stacked(6, m.title, m.told, flush(caption("the relay's answer:"), m.label))
	m.answered.Hide()
	m.content = stacked(12,
		newProse("An app keeps a cursor for each stream that it reads: how far it has come, in which stream, and what it saw last. Paste one here, and see what the relay would answer.", colorMuted),
		m.cursor, m.answered,
	)
	return m
}

// ask opens the dialog above a part of the window.
func (m *mine) ask(above fyne.CanvasObject) *dialog.CustomDialog {
	w := windowOf(above)
	d := dialog.NewCustom("Is it mine? A cursor for "+abridged(m.stream.Name, titleMost), "Close", container.NewStack(m.content), w)
	size := dialogSize(above)
	d.Resize(fyne.NewSize(min(size.Width, 600), min(size.Height, 380)))
	d.Show()
	w.Canvas().Focus(m.cursor)
	return d
}

// check asks the relay about what is in the field now.
func (m *mine) check() {
	pasted := strings.TrimSpace(m.cursor.Text)
	if pasted == "" {
		m.answered.Hide()
		return
	}
	current := func() bool { return strings.TrimSpace(m.cursor.Text) == pasted }
	m.shell.later(func(ctx context.Context) (func(), error) {
		verdict, err := m.shell.console.Check(ctx, m.stream.StreamRef, pasted)
		if err != nil {
			return nil, err
		}
		return func() {
			if current() {
				m.tell(verdict)
			}
		}, nil
	}, func(err error) {
		if current() {
			m.say("No answer.", theme.ColorNameForeground, sentence(err.Error()), "")
		}
	})
}

func (m *mine) tell(v console.Verdict) {
	e := console.ExplainVerdict(v, m.stream)
	color := theme.ColorNameWarning
	if v.Answer == console.AnswerEntries {
		color = theme.ColorNameSuccess
	}
	told := e.What + " " + e.Todo
	if name := m.named(v.Identity); v.Answer == console.AnswerReplaced && name != "" {
		told = e.What + " It is the identity of “" + name + "”, which is here too: hold the cursor against that one."
	}
	m.say(e.Title, color, told, string(v.Answer))
}

// say shows an answer; code is empty if the relay would not give one.
func (m *mine) say(title string, color fyne.ThemeColorName, told, code string) {
	m.title.paint(title, color)
	m.told.set(told)
	m.code.set(code)
	m.answered.Objects[2].(*fyne.Container).Hidden = code == ""
	m.answered.Show()
	m.content.Refresh()
}
