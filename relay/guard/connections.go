package guard

import (
	"net"

	"golang.org/x/net/netutil"
)

// maxConnections is how many connections are held at once; more are left
// waiting in the system's queue. Ten thousand waiting clients fit with room to
// spare, at some 16 KiB each.
const maxConnections = 16 << 10

// Listener bounds how many connections l has open at once.
func Listener(l net.Listener) net.Listener {
	return netutil.LimitListener(l, maxConnections)
}
