package guard

import (
	"errors"
	"net"
	"testing"
)

// caller is a connection from an address.
type caller struct {
	net.Conn
	from   net.Addr
	closed bool
}

func (c *caller) RemoteAddr() net.Addr { return c.from }

func (c *caller) Close() error {
	c.closed = true
	return nil
}

// queue is a listener at which callers stand.
type queue struct {
	net.Listener
	callers []*caller
}

func (q *queue) Accept() (net.Conn, error) {
	if len(q.callers) == 0 {
		return nil, net.ErrClosed
	}
	c := q.callers[0]
	q.callers = q.callers[1:]
	return c, nil
}

// Who holds his share of the connections is hung up on, whichever of his own
// addresses he uses; others come in, this machine always does, and what is closed,
// even twice, makes room for one.
func TestConnectionShares(t *testing.T) {
	const greedy, other = "192.0.2.1", "192.0.2.2"
	d := &doorstep{most: 2, held: make(map[client]int)}
	calls := func(from string) (net.Conn, bool) {
		t.Helper()
		c := &caller{from: &net.TCPAddr{IP: net.ParseIP(from), Port: 5000}}
		d.Listener = &queue{callers: []*caller{c}}
		conn, err := d.Accept()
		if err != nil && (!errors.Is(err, net.ErrClosed) || !c.closed) {
			t.Fatalf("%s: %v, closed %v", from, err, c.closed)
		}
		return conn, err == nil
	}
	first, ok := calls(greedy)
	if !ok {
		t.Fatal("the first connection is turned away")
	}
	for _, step := range []struct {
		from string
		in   bool
	}{
		{greedy, true},
		{greedy, false},
		{"::ffff:" + greedy, false},
		{other, true},
		{"127.0.0.1", true},
		{"127.0.0.1", true},
		{"127.0.0.1", true},
		{"::1", true},
		{"2001:db8::1", true},
		{"2001:db8::2", true},
		{"2001:db8::3", false},
		{"2001:db8:0:1::3", true},
	} {
		if _, ok := calls(step.from); ok != step.in {
			t.Errorf("%s comes in: %v", step.from, ok)
		}
	}
	for range 2 {
		if err := first.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, ok := calls(greedy); !ok {
		t.Error("a closed connection makes no room")
	}
	if _, ok := calls(greedy); ok {
		t.Error("a connection that is closed twice makes room for two")
	}
}
