package discovery

import "golang.org/x/sys/windows"

// addressInUse is the system's error for a port that another program has.
const addressInUse = windows.WSAEADDRINUSE
