package discovery

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"sync/atomic"

	"github.com/miekg/dns"
	"golang.org/x/net/ipv4"
	"golang.org/x/net/ipv6"
)

const (
	// port is multicast DNS's own (RFC 6762, section 3). A question from another port comes from a simple resolver.
	port = 5353
	// hops is what multicast DNS sends with, so that readers may check that nothing was routed (RFC 6762, section 11).
	hops = 255
	// longestPacket is what a message may have at most (RFC 6762, section 17).
	longestPacket = 9000
)

var (
	group4 = &net.UDPAddr{IP: net.IPv4(224, 0, 0, 251), Port: port}
	group6 = &net.UDPAddr{IP: net.ParseIP("ff02::fb"), Port: port}
)

// A packet is one message that came in on a link.
type packet struct {
	conn *conn
	from netip.AddrPort
	msg  *dns.Msg
}

// A conn speaks multicast DNS on one link, with one socket for each family that the link has addresses of. Each link has
// sockets of its own because not every platform tells through which interface a packet came or lets one say it per packet.
type conn struct {
	link   link
	v4     *ipv4.PacketConn // nil without IPv4
	v6     *ipv6.PacketConn // nil without IPv6
	in     chan<- packet
	closed chan struct{}
	broken atomic.Bool // a reader ended by itself: open the link anew
	wg     sync.WaitGroup
}

// open joins the link's groups. What comes in goes to in until close.
func open(l link, in chan<- packet) (*conn, error) {
	c := &conn{link: l, in: in, closed: make(chan struct{})}
	var failed []error
	if l.any(netip.Addr.Is4) {
		failed = append(failed, c.open4())
	}
	if l.any(netip.Addr.Is6) {
		failed = append(failed, c.open6())
	}
	if c.v4 == nil && c.v6 == nil {
		return nil, fmt.Errorf("multicast does not work on %s: %w", l.name, errors.Join(failed...))
	}
	return c, nil
}

// listen binds to the wildcard. That a multicast address is asked for lets other programs have the same port.
func listen(network string, group *net.UDPAddr) (*net.UDPConn, error) {
	udp, err := net.ListenUDP(network, group)
	if errors.Is(err, addressInUse) {
		return nil, ErrPortTaken // of which the system's own words say no more
	}
	return udp, err
}

func (c *conn) open4() error {
	udp, err := listen("udp4", group4)
	if err != nil {
		return err
	}
	v4 := ipv4.NewPacketConn(udp)
	i := &net.Interface{Index: c.link.index, Name: c.link.name}
	if err := errors.Join(v4.JoinGroup(i, group4), v4.SetMulticastInterface(i), v4.SetMulticastTTL(hops), v4.SetMulticastLoopback(true)); err != nil {
		udp.Close()
		return err
	}
	// Windows does not have it; accept falls back to the sender's address.
	_ = v4.SetControlMessage(ipv4.FlagInterface|ipv4.FlagDst, true)
	c.v4 = v4
	c.wg.Go(func() {
		c.read(func(b []byte) (n int, m meta, err error) {
			n, cm, from, err := v4.ReadFrom(b)
			m.from = from
			if cm != nil {
				m.index, m.dst = cm.IfIndex, cm.Dst
			}
			return n, m, err
		})
	})
	return nil
}

func (c *conn) open6() error {
	udp, err := listen("udp6", group6)
	if err != nil {
		return err
	}
	v6 := ipv6.NewPacketConn(udp)
	i := &net.Interface{Index: c.link.index, Name: c.link.name}
	if err := errors.Join(v6.JoinGroup(i, group6), v6.SetMulticastInterface(i), v6.SetMulticastHopLimit(hops), v6.SetMulticastLoopback(true)); err != nil {
		udp.Close()
		return err
	}
	_ = v6.SetControlMessage(ipv6.FlagInterface|ipv6.FlagDst, true)
	c.v6 = v6
	c.wg.Go(func() {
		c.read(func(b []byte) (n int, m meta, err error) {
			n, cm, from, err := v6.ReadFrom(b)
			m.from = from
			if cm != nil {
				m.index, m.dst = cm.IfIndex, cm.Dst
			}
			return n, m, err
		})
	})
	return nil
}

// meta is how a packet came; index is 0 where the platform does not tell.
type meta struct {
	from  net.Addr
	dst   net.IP
	index int
}

// read hands on what comes in on the link until the socket is closed or fails.
func (c *conn) read(receive func([]byte) (int, meta, error)) {
	b := make([]byte, 1<<16) // all that UDP can carry: a larger packet is an error on some platforms
	for {
		n, m, err := receive(b)
		if err != nil {
			c.broken.Store(true)
			return
		}
		udp, ok := m.from.(*net.UDPAddr)
		if !ok || n > longestPacket || !c.link.accepts(m, udp.AddrPort()) {
			continue
		}
		msg := new(dns.Msg)
		if msg.Unpack(b[:n]) != nil || msg.Opcode != dns.OpcodeQuery || msg.Rcode != dns.RcodeSuccess {
			continue // RFC 6762, sections 18.3 and 18.11
		}
		from := netip.AddrPortFrom(udp.AddrPort().Addr().Unmap(), udp.AddrPort().Port())
		if msg.Response && from.Port() != port {
			continue // RFC 6762, section 6
		}
		select {
		case c.in <- packet{conn: c, from: from, msg: msg}:
		case <-c.closed:
			return
		}
	}
}

// accepts tells whether a packet came through this link: each socket also gets what others of the machine joined, and what is
// sent to the machine alone, which counts only from the link's own networks (RFC 6762, section 11).
func (l link) accepts(m meta, from netip.AddrPort) bool {
	if m.index != 0 && m.index != l.index {
		return false
	}
	return m.index != 0 && m.dst.IsMulticast() || l.reaches(from.Addr().Unmap())
}

// send multicasts on the link. It fails if nothing went out in any family.
func (c *conn) send(m *dns.Msg) error {
	m.Compress = true
	b, err := m.Pack()
	if err != nil {
		return fmt.Errorf("message for %s: %w", c.link.name, err)
	}
	var failed []error
	sent := false
	if c.v4 != nil {
		_, err := c.v4.WriteTo(b, nil, group4)
		failed, sent = append(failed, err), sent || err == nil
	}
	if c.v6 != nil {
		to := *group6
		to.Zone = c.link.name
		_, err := c.v6.WriteTo(b, nil, &to)
		failed, sent = append(failed, err), sent || err == nil
	}
	if !sent {
		return fmt.Errorf("sending on %s: %w", c.link.name, errors.Join(failed...))
	}
	return nil
}

// reply sends to one asker only.
func (c *conn) reply(m *dns.Msg, to netip.AddrPort) error {
	b, err := m.Pack()
	if err != nil {
		return fmt.Errorf("reply on %s: %w", c.link.name, err)
	}
	switch {
	case to.Addr().Is4() && c.v4 != nil:
		_, err = c.v4.WriteTo(b, nil, net.UDPAddrFromAddrPort(to))
	case to.Addr().Is6() && c.v6 != nil:
		_, err = c.v6.WriteTo(b, nil, net.UDPAddrFromAddrPort(to))
	}
	return err
}

// close leaves the link and waits for the readers.
func (c *conn) close() {
	close(c.closed)
	if c.v4 != nil {
		c.v4.Close()
	}
	if c.v6 != nil {
		c.v6.Close()
	}
	c.wg.Wait()
}
