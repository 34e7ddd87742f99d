package ui

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/theme"

	"hearth/relay/console"
)

// check walks the chains of all streams, or of one, when asked.
type check struct {
	*undertaking
	only  console.StreamRef // zero: everything
	told  *prose            // what it has come to
	shift func()
}

func newCheckUp(s *shell, label string, shift func()) *check {
	c := &check{told: newProse("", theme.ColorNameForeground), shift: shift}
	c.undertaking = newUndertaking(s, label, c.start)
	c.undertaking.far, c.undertaking.over, c.undertaking.shift = c.far, c.over, shift
	c.told.Hide()
	return c
}

func (c *check) start() {
	c.tell("Checking…", colorMuted)
	only := c.only
	c.undertaking.start(func(ctx context.Context, progress func(done, total uint64)) (func(), error) {
		v, err := c.shell.console.Verify(ctx, only, progress)
		return func() {
			c.tell(verdictOn(v, only))
			c.shell.look()
		}, err
	})
}

func (c *check) far(done, total uint64) {
	c.tell(fmt.Sprintf("Checking… %s of %s", byteSize(done), byteSize(total)), colorMuted)
}

func (c *check) over(err error) {
	if errors.Is(err, context.Canceled) {
		c.tell("The check was cancelled.", colorMuted)
		return
	}
	c.tell(sentence("it cannot be checked: "+err.Error()), theme.ColorNameError)
}

// about turns to another stream; a check of the one before is given up.
func (c *check) about(ref console.StreamRef) {
	c.giveUp()
	c.only = ref
	c.tell("", colorMuted)
}

func (c *check) tell(text string, color fyne.ThemeColorName) {
	c.told.paint(text, color)
	if c.told.Visible() != (text != "") {
		c.told.Hidden = text == ""
		c.shift()
	}
}

// verdictOn says what a check came to, in a sentence or two.
func verdictOn(v console.Verification, only console.StreamRef) (text string, color fyne.ThemeColorName) {
	one := only != (console.StreamRef{})
	switch {
	case v.Sound() && one:
		return fmt.Sprintf("Sound: each of its %s follows from the first one.", counted(v.Entries, "entry", "entries")), theme.ColorNameSuccess
	case v.Sound():
		return fmt.Sprintf("All sound: %s in %s%s.", counted(v.Entries, "entry", "entries"),
			counted(v.Streams, "stream", "streams"), took(v.Took)), theme.ColorNameSuccess
	case one && len(v.Damaged) > 0:
		return fmt.Sprintf("Damaged at position %s: %s.", number(v.Damaged[0].Position), v.Damaged[0].Reason), theme.ColorNameError
	}
	var parts []string
	if n := len(v.Damaged); n > 0 {
		parts = append(parts, counted(n, "stream is damaged; it is marked among the streams.", "streams are damaged; they are marked among the streams."))
	}
	for _, f := range v.Faults {
		parts = append(parts, sentence(f))
	}
	return strings.Join(append(parts, "Nothing was changed: keep a copy of the data folder, then bring back a backup."), " "), theme.ColorNameError
}

// took says how long something took, if that was long enough to say anything.
func took(d time.Duration) string {
	if d < time.Second {
		return ""
	}
	return ", in " + d.Round(time.Second).String()
}
