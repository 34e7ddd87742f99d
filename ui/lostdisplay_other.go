//go:build !(x11 && linux)

package ui

// onDisplayLost does nothing: elsewhere a display that goes ends no program, or
// not without a signal.
func onDisplayLost(func()) {}
