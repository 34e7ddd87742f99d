//go:build !headless

package main

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/alecthomas/kong"

	"hearth/relay/console"
	"hearth/relay/consolehttp"
)

// errNoService says that the relay that a window is attached to has gone.
var errNoService = errors.New("its service does not run")

// attached is the console of a relay that runs on a data folder as a service of
// its own, followed through its stops and starts. All is the relay's, but the
// start at login: that is this desktop's.
type attached struct {
	*consolehttp.Client
	login *autostart
}

var _ console.Console = (*attached)(nil)

// newAttached returns the console of the relay on a data folder. Close it after
// use.
func newAttached(folder string, login *autostart) *attached {
	return &attached{consolehttp.NewClient(func() (url, token string, err error) {
		run, err := readRunFile(folder)
		if err == nil && run == nil {
			err = errNoService
		}
		if err != nil {
			return "", "", err
		}
		return run.URL, run.Token, nil
	}), login}
}

// Settings returns the relay's settings with this desktop's.
func (a *attached) Settings(ctx context.Context) (console.Values, error) {
	v, err := a.Client.Settings(ctx)
	v.Login = a.login.value()
	return v, err
}

// Change changes the relay's settings, or this desktop's.
func (a *attached) Change(ctx context.Context, change console.Change) (string, error) {
	login := change.Login
	change.Login = nil
	if login != nil {
		before := a.login.value().Value
		if err := a.login.set(*login); err != nil {
			return "", err
		}
		if change == (console.Change{}) {
			return desktopSummary(console.DesktopChange{Login: login}), nil
		}
		said, err := a.Client.Change(ctx, change)
		if err != nil {
			err = errors.Join(err, a.login.set(before))
		}
		return said, err
	}
	said, err := a.Client.Change(ctx, change)
	if tray := change.Tray; err == nil && tray != nil && !*tray {
		said = "The window ends when it is closed; the relay goes on."
	}
	return said, err
}

// serviceGone is what to do when the service does not answer.
func serviceGone() string {
	const begin, end = "Start it again", ", and this window finds it by itself. Or quit this window and start Hearth anew, with the relay in it."
	if runtime.GOOS == "linux" {
		return begin + " (“systemctl --user start hearth”, if systemd runs it)" + end
	}
	return begin + end
}

// withoutEffect returns an error if flags were given that only whoever starts the
// relay can give: they would be passed over without a word.
func (f relayFlags) withoutEffect(command *kong.Context, run *runFile) error {
	var given []string
	for _, p := range command.Path {
		if p.Flag == nil {
			continue
		}
		switch p.Flag.Name {
		case "listen", "port", "open", "name", "interface", "advertise-address":
			given = append(given, "--"+p.Flag.Name)
		}
	}
	if len(given) == 0 {
		return nil
	}
	return &hintedError{
		fmt.Errorf("%s would have no effect: the relay runs already, as a service of its own at %s", strings.Join(given, " "), run.URL),
		`"hearth" without that shows it; most of it can be changed in its settings`,
	}
}
