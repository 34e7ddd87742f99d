package ui

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"fyne.io/systray"
	"github.com/godbus/dbus/v5"
)

// watcherName is who knows whether a tray is there: the watcher of
// freedesktop.org's StatusNotifierItem, under the name that all desktops use.
const watcherName = "org.kde.StatusNotifierWatcher"

const (
	// busVariable tells programs where the session bus is.
	busVariable = "DBUS_SESSION_BUS_ADDRESS"

	// noBus is what it says where there is none.
	noBus = "disabled:"
)

// mayHaveTray says whether a tray can come at all: not without a session bus.
func mayHaveTray() bool {
	if address := os.Getenv(busVariable); address != "" {
		return address != noBus
	}
	_, err := os.Stat(filepath.Join(os.Getenv("XDG_RUNTIME_DIR"), "bus"))
	return err == nil
}

// setTrayTitle names the mark in the tray, for desktops that show or read it out.
func setTrayTitle(title string) { systray.SetTitle(title) }

// startNoBus keeps the toolkit, where there is no session bus, from starting one
// that nobody else knows of and nobody ends.
func startNoBus() {
	if !mayHaveTray() {
		_ = os.Setenv(busVariable, noBus) // its name is one that variables can have
	}
}

// watchTrayHost tells whether the desktop has a tray, at once and whenever that
// changes, until ctx is done.
func watchTrayHost(ctx context.Context, told func(hosted bool)) {
	if !mayHaveTray() {
		told(false)
		return
	}
	conn, err := dbus.ConnectSessionBus(dbus.WithContext(ctx))
	if err != nil {
		told(false)
		return
	}
	defer conn.Close()
	signals := make(chan *dbus.Signal, 16)
	conn.Signal(signals)
	for _, match := range [][]dbus.MatchOption{
		{dbus.WithMatchInterface("org.freedesktop.DBus"), dbus.WithMatchMember("NameOwnerChanged"), dbus.WithMatchArg(0, watcherName)},
		{dbus.WithMatchInterface(watcherName)},
	} {
		if err := conn.AddMatchSignalContext(ctx, match...); err != nil {
			told(false)
			return
		}
	}
	hosted := trayHosted(ctx, conn)
	told(hosted)
	for {
		select {
		case <-ctx.Done():
			return
		case s, ok := <-signals:
			if !ok { // the session has ended
				told(false)
				return
			}
			if !strings.HasPrefix(s.Name, "org.freedesktop.DBus.") && !strings.Contains(s.Name, "Host") {
				continue // an item came or went
			}
			if now := trayHosted(ctx, conn); now != hosted {
				hosted = now
				told(hosted)
			}
		}
	}
}

// trayHosted asks whether there is a tray.
func trayHosted(ctx context.Context, conn *dbus.Conn) bool {
	var owned bool
	if err := conn.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.NameHasOwner", 0, watcherName).Store(&owned); err != nil || !owned {
		return false // asking the watcher itself might start one without a tray
	}
	var hosted bool
	err := conn.Object(watcherName, "/StatusNotifierWatcher").CallWithContext(ctx, "org.freedesktop.DBus.Properties.Get", dbus.FlagNoAutoStart,
		watcherName, "IsStatusNotifierHostRegistered").Store(&hosted)
	return err == nil && hosted
}
