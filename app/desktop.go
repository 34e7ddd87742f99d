package main

import (
	"context"
	"errors"

	"hearth/relay/console"
)

// Log returns the latest lines of the log.
func (h *home) Log(context.Context) ([]console.LogLine, error) {
	if h.book == nil {
		return nil, nil
	}
	return h.book.recent(), nil
}

// desktopValues fills in what is not in the settings file.
func (h *home) desktopValues(v console.Values) console.Values {
	v.Login = console.Value[bool]{Origin: console.OriginDefault}
	if h.login != nil {
		v.Login = h.login.value()
	}
	return v
}

// changeDesktop puts into effect what the program itself has to do for a
// change, and says what it changed; the window does the rest.
func (h *home) changeDesktop(change console.DesktopChange) (string, error) {
	if change.Login != nil {
		if h.login == nil {
			return "", errors.New("only the program with its window is started at login")
		}
		if err := h.login.set(*change.Login); err != nil {
			return "", err
		}
	}
	if change.LogLevel != nil && h.book != nil {
		h.book.level.Set(*change.LogLevel)
	}
	return desktopSummary(change), nil
}

func desktopSummary(change console.DesktopChange) string {
	switch {
	case change.Login != nil && *change.Login:
		return "Hearth starts in the tray when you log in."
	case change.Login != nil:
		return "Hearth no longer starts when you log in."
	case change.Tray != nil && *change.Tray:
		return "Hearth goes on in the tray when its window is closed."
	case change.Tray != nil:
		return "Hearth ends when its window is closed."
	case change.LogLevel != nil:
		return "The log has everything from level " + change.LogLevel.String() + " up from now on."
	default:
		return "The window has changed its looks."
	}
}
