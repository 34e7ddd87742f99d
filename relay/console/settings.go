package console

import (
	"log/slog"
	"time"
)

// Theme is how the window looks.
type Theme string

// The themes.
const (
	ThemeSystem Theme = "system" // as the desktop looks
	ThemeLight  Theme = "light"
	ThemeDark   Theme = "dark"
)

// Desktop are the settings of how the program lives on the desktop. They take
// effect at once.
type Desktop struct {
	// Login says whether the program starts when its owner logs in.
	Login Value[bool]

	// Tray says whether the program goes on in the tray when its window is
	// closed.
	Tray Value[bool]

	Theme    Value[Theme]
	LogLevel Value[slog.Level] // the least that is logged
}

// DesktopChange holds new values of those; nil leaves a setting as it is.
type DesktopChange struct {
	Login    *bool
	Tray     *bool
	Theme    *Theme
	LogLevel *slog.Level
}

// LogLine is one line of the program's log.
type LogLine struct {
	Number uint64 // counts all lines of this run, from 1
	Time   time.Time
	Level  slog.Level
	Text   string
}
