package guard

import (
	"net"
	"sync"

	"golang.org/x/net/netutil"
)

// maxConnections is how many connections are held at once; more are left
// waiting in the system's queue. Ten thousand waiting clients fit with room to
// spare, at some 16 KiB each.
const maxConnections = 16 << 10

// Listener bounds how many connections l has open at once. A client elsewhere
// holds a share of them at most, and is hung up on beyond it, so that it cannot
// keep the others out. This machine may have all: what runs here could do worse.
func Listener(l net.Listener) net.Listener {
	return &doorstep{
		Listener: netutil.LimitListener(l, maxConnections), most: maxConnections / shares,
		held: make(map[client]int),
	}
}

// doorstep counts the connections of each client.
type doorstep struct {
	net.Listener
	most int // how many a client may have

	mu   sync.Mutex
	held map[client]int
}

// Accept returns the next connection of a client who may have one more.
func (d *doorstep) Accept() (net.Conn, error) {
	for {
		conn, err := d.Listener.Accept()
		if err != nil {
			return nil, err
		}
		remote := conn.RemoteAddr().String()
		if addrOf(remote).IsLoopback() {
			return conn, nil
		}
		c := clientAt(remote)
		if d.enter(c) {
			return &counted{Conn: conn, leave: sync.OnceFunc(func() { d.leave(c) })}, nil
		}
		_ = conn.Close() // nothing was promised to it
	}
}

func (d *doorstep) enter(c client) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.held[c] >= d.most {
		return false
	}
	d.held[c]++
	return true
}

func (d *doorstep) leave(c client) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.held[c]--
	if d.held[c] == 0 {
		delete(d.held, c)
	}
}

// counted is a connection in its client's share until it is closed.
type counted struct {
	net.Conn
	leave func()
}

func (c *counted) Close() error {
	c.leave()
	return c.Conn.Close()
}
