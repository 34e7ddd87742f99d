//go:build !windows

package discovery

import "syscall"

// addressInUse is the system's error for a port that another program has.
const addressInUse = syscall.EADDRINUSE
