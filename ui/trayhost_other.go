//go:build !linux

package ui

import "context"

// mayHaveTray says whether a tray can come at all.
func mayHaveTray() bool { return true }

// setTrayTitle does nothing: elsewhere the title would stand beside the icon.
func setTrayTitle(string) {}

// startNoBus does nothing: there is no session bus on these systems.
func startNoBus() {}

// watchTrayHost tells that the desktop has a tray: these systems always do.
func watchTrayHost(_ context.Context, told func(hosted bool)) { told(true) }
