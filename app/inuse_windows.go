package main

import "golang.org/x/sys/windows"

// addressInUse is the system's error for an address that is taken.
const addressInUse = windows.WSAEADDRINUSE
