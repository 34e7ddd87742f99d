//go:build !headless && !linux

package main

import "context"

// wakeService starts no service: Hearth comes with one for Linux alone.
func wakeService(context.Context) bool { return false }
