//go:build !windows

package main

import "syscall"

// addressInUse is the system's error for an address that is taken.
const addressInUse = syscall.EADDRINUSE
