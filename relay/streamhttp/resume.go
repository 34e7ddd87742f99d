package streamhttp

import (
	"io"
	"net"
	"net/http"
	"time"
)

// resume has a server go on with a connection that was hijacked from it, given the
// first bytes of the next request.
func resume(server *http.Server, conn net.Conn, early []byte) {
	_ = conn.SetDeadline(time.Time{}) // from here on the server sets its own
	l := &only{conn: &begunConn{Conn: conn, early: early}}
	_ = server.Serve(l) // ends with what the second Accept says
	if !l.taken {
		_ = conn.Close() // the server is shut down
	}
}

// only is a listener that accepts one connection.
type only struct {
	conn  net.Conn
	taken bool
}

func (l *only) Accept() (net.Conn, error) {
	if l.taken {
		return nil, io.EOF
	}
	l.taken = true
	return l.conn, nil
}

func (*only) Close() error { return nil }

func (l *only) Addr() net.Addr { return l.conn.LocalAddr() }

// begunConn is a connection of which something was read already.
type begunConn struct {
	net.Conn
	early []byte
}

func (c *begunConn) Read(b []byte) (int, error) {
	if len(c.early) == 0 {
		return c.Conn.Read(b)
	}
	n := copy(b, c.early)
	c.early = c.early[n:]
	return n, nil
}

// bare returns a connection without what resume wrapped around it: what was read
// of it before it was hijacked has gone through that.
func bare(conn net.Conn) net.Conn {
	if c, ok := conn.(*begunConn); ok && len(c.early) == 0 {
		return c.Conn
	}
	return conn
}
