package main

import (
	"fmt"
	"net"
	"net/netip"
	"strconv"
)

// defaultPort is the relay's port unless someone says otherwise.
const defaultPort = 2451

// place is an address to listen at, as --listen says it.
type place struct {
	addr netip.Addr // the zero Addr: every address of the machine
	port uint16     // 0: any free one
}

// loopback is this machine's own address, which no other machine reaches.
var loopback = netip.AddrFrom4([4]byte{127, 0, 0, 1})

// UnmarshalText reads HOST:PORT. The host is an IP address, localhost, or empty
// for every address. Other names are refused: which addresses they have may
// change with the network.
func (p *place) UnmarshalText(text []byte) error {
	host, port, err := net.SplitHostPort(string(text))
	if err != nil {
		return fmt.Errorf("%q is no address to listen at: it takes HOST:PORT, such as 127.0.0.1:%d", text, defaultPort)
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return fmt.Errorf("%q is no port: it takes a number from 0 to 65535", port)
	}
	var addr netip.Addr
	switch host {
	case "":
	case "localhost":
		addr = loopback
	default:
		addr, err = netip.ParseAddr(host)
		if err != nil {
			return fmt.Errorf("%q is no address to listen at: it takes an IP address of this machine, localhost, or nothing for all of them", host)
		}
		addr = addr.Unmap()
	}
	*p = place{addr, uint16(n)}
	return nil
}

func (p place) String() string {
	host := ""
	if p.addr.IsValid() {
		host = p.addr.String()
	}
	return net.JoinHostPort(host, strconv.Itoa(int(p.port)))
}

// private says that no other machine reaches the place.
func (p place) private() bool { return p.addr.IsLoopback() }

// everywhere says that the place is every address of the machine.
func (p place) everywhere() bool { return !p.addr.IsValid() || p.addr.IsUnspecified() }
