package ui

import (
	"fmt"
	"net/url"
	"path/filepath"
	"strings"
	"unicode"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"hearth/relay/console"
)

// setting is a value that is typed, or just shown if it is fixed.
type setting struct {
	entry  *entry
	fixed  *widget.Label // selectable; a disabled entry would be hard to read
	origin *prose
	stack  *fyne.Container
	was    string
	from   console.Origin // of what holds
}

func newSetting(changed func()) *setting {
	s := &setting{entry: newEntry(), fixed: widget.NewLabel(""), origin: remark("")}
	s.entry.OnChanged = safely(func(string) {
		s.tellOrigin()
		changed()
	})
	s.fixed.Selectable = true
	s.fixed.Hide()
	s.stack = container.NewStack(s.entry, unindented(s.fixed))
	return s
}

// unindented aligns a label with the entries, which begin further left.
func unindented(l *widget.Label) fyne.CanvasObject {
	return inset(laid(borderless{l.Theme}, l), 0, 7)
}

// field is one line of a form: what it is about, and below its value what there
// is to say about that.
func field(title, hint string, value fyne.CanvasObject, below ...fyne.CanvasObject) fyne.CanvasObject {
	label := stacked(2, strong(title), caption(hint))
	lines := stacked(5, append([]fyne.CanvasObject{value}, below...)...)
	return inset(container.NewBorder(nil, nil, fixedWidth(210, label), nil, lines), gap, 12)
}

// unpadded takes back the margins of a section, for lines that bring their own.
func unpadded(o fyne.CanvasObject) fyne.CanvasObject { return inset(o, -gap, -6) }

// show takes a new value in; what the person is typing stays.
func (s *setting) show(value string, origin console.Origin, fixed bool) {
	typed := s.entry.Text
	if typed == s.was {
		typed = value
	}
	s.was = value
	s.fixed.SetText(value)
	s.entry.SetText(typed)
	s.entry.Hidden, s.fixed.Hidden = fixed, !fixed
	s.from = origin
	s.tellOrigin()
	s.stack.Refresh()
}

// tellOrigin says where the value comes from that stands there.
func (s *setting) tellOrigin() {
	if s.changed() != nil {
		s.origin.set("Not saved yet.")
	} else {
		s.origin.set(originSentence(s.from))
	}
}

// changed returns what was typed, nil if that is what already holds.
func (s *setting) changed() *string {
	typed := strings.TrimSpace(s.entry.Text)
	if s.entry.Hidden || typed == s.was {
		return nil
	}
	return &typed
}

// showList is show for several values, which are typed with commas in between.
func (s *setting) showList(list console.Value[[]string]) {
	text := strings.Join(list.Value, ", ")
	s.show(text, list.Origin, list.Fixed())
	if text == "" && list.Fixed() {
		s.fixed.SetText(s.entry.PlaceHolder)
	}
}

// changedList is changed for several values.
func (s *setting) changedList() *[]string {
	typed := s.changed()
	if typed == nil {
		return nil
	}
	list := strings.FieldsFunc(*typed, func(r rune) bool { return r == ',' || unicode.IsSpace(r) })
	if list == nil {
		list = []string{}
	}
	return &list
}

func (v *settings) openFolder() {
	folder, err := filepath.Abs(v.folder.Text)
	if err == nil {
		slashed := filepath.ToSlash(folder)
		if !strings.HasPrefix(slashed, "/") {
			slashed = "/" + slashed // a drive letter is part of the path (RFC 8089, E.2)
		}
		err = fyne.CurrentApp().OpenURL(&url.URL{Scheme: "file", Path: slashed})
	}
	if err != nil {
		v.refused(fmt.Errorf("the folder cannot be opened here: %w", err))
	}
}

func originSentence(o console.Origin) string {
	switch o {
	case console.OriginFlag:
		return "Given on the command line, so it cannot be changed while Hearth runs."
	case console.OriginEnvironment:
		return "Given in the environment, so it cannot be changed while Hearth runs."
	case console.OriginFile:
		return "From the settings that were saved."
	default:
		return "The default; nothing else was chosen."
	}
}

// sentence makes of an error's text what stands by itself.
func sentence(s string) string {
	if s == "" {
		return s
	}
	s = strings.ToUpper(s[:1]) + s[1:]
	if !strings.HasSuffix(s, ".") {
		s += "."
	}
	return s
}
