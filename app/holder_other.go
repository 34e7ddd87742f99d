//go:build !linux

package main

// portHolder says which program listens at a port, or nothing where the system
// is not asked for it.
func portHolder(uint16) string { return "" }
