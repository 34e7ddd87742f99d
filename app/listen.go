package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"

	"hearth/discovery"
	"hearth/relay/console"
)

// listen opens a place, and beside an address of the network the loopback at
// the same port too: from there the owner's commands come, and the machine's
// own apps. Either all of it opens or nothing.
func listen(ctx context.Context, p place) ([]net.Listener, error) {
	first, err := listenAt(ctx, p)
	if err != nil {
		return nil, err
	}
	if p.private() || p.everywhere() {
		return []net.Listener{first}, nil
	}
	second, err := listenAt(ctx, place{loopback, placeOf(first).port})
	if err != nil {
		return nil, errors.Join(err, first.Close())
	}
	return []net.Listener{first, second}, nil
}

func listenAt(ctx context.Context, p place) (net.Listener, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", p.String())
	if errors.Is(err, addressInUse) {
		return nil, &portInUseError{place: p, holder: portHolder(p.port), err: err}
	}
	if err != nil {
		return nil, &hintedError{
			fmt.Errorf("%s cannot be listened at: %w", p, err),
			"give an address that this machine has, and a port above 1023, with --listen HOST:PORT",
		}
	}
	return l, nil
}

// placeOf returns where a listener listens.
func placeOf(l net.Listener) place {
	a := l.Addr().(*net.TCPAddr).AddrPort()
	return place{a.Addr().Unmap(), a.Port()}
}

// portInUseError says that another program listens at a place already.
type portInUseError struct {
	place  place
	holder string // the other program, "name (process 12)"; empty if not known
	err    error
}

func (e *portInUseError) Error() string {
	if e.holder == "" {
		return fmt.Sprintf("port %d is in use by another program", e.place.port)
	}
	return fmt.Sprintf("port %d is in use by %s", e.place.port, e.holder)
}

func (e *portInUseError) Unwrap() error { return e.err }

// Hint says what to do.
func (e *portInUseError) Hint() string {
	return "stop that program, or let the relay listen at another port with --listen HOST:PORT; port 0 takes a free one"
}

// checkPlace refuses to listen where other machines reach the relay unless it
// is open to them.
func checkPlace(p place, open bool) error {
	if p.private() || open {
		return nil
	}
	return &hintedError{
		fmt.Errorf("%s can be reached from the network, where the relay is not open", p),
		"add --open to let everyone on the network read and write, or listen at " + place{loopback, p.port}.String(),
	}
}

// usualPlace is where the relay listens if no place was given for this run.
func usualPlace(v console.Values) place {
	p := place{port: uint16(v.Port.Value)}
	if !v.Open.Value {
		p.addr = loopback
	}
	return p
}

// urls says how clients reach what listens at the places: from other machines
// first, from this one last. The addresses that are advertised come before the
// machine's own.
func urls(places []place, advertised []string) []string {
	var far, near []string
	for _, p := range places {
		for _, a := range advertised {
			if addr, err := netip.ParseAddr(a); err == nil && !p.private() {
				far = append(far, urlOf(place{addr, p.port}))
			}
		}
		switch {
		case p.private():
			near = append(near, urlOf(p))
		case p.everywhere():
			for _, a := range machineAddrs() {
				if (!p.addr.Is4() || a.Is4()) && !slices.Contains(advertised, a.String()) {
					far = append(far, urlOf(place{a, p.port}))
				}
			}
			near = append(near, urlOf(place{loopback, p.port}))
		default:
			far = append(far, urlOf(p))
		}
	}
	return slices.Compact(append(far, near...))
}

// urlOf is the URL of a place. A zone's mark is escaped in one (RFC 6874).
func urlOf(p place) string { return "http://" + strings.Replace(p.String(), "%", "%25", 1) }

// machineAddrs lists the addresses that other machines may reach this one
// under: those on networks that people share first, and IPv4 before IPv6. Those
// of containers come last, from where the relay is reached too. Link-local ones of IPv6 are left out: in a URL they would
// need the zone, which is another one on each machine.
func machineAddrs() []netip.Addr {
	interfaces, err := net.Interfaces()
	if err != nil {
		return nil // then only the machine's own address is told
	}
	var addrs [2]struct{ v4, v6 []netip.Addr } // shared or not
	for _, i := range interfaces {
		if i.Flags&net.FlagRunning == 0 || i.Flags&net.FlagLoopback != 0 {
			continue
		}
		own, err := i.Addrs()
		if err != nil {
			continue // it went away meanwhile
		}
		to := &addrs[1]
		if discovery.Shared(i) {
			to = &addrs[0]
		}
		for _, a := range own {
			network, ok := a.(*net.IPNet)
			if !ok {
				continue
			}
			addr, _ := netip.AddrFromSlice(network.IP)
			switch addr = addr.Unmap(); {
			case addr.Is4():
				to.v4 = append(to.v4, addr)
			case addr.IsGlobalUnicast():
				to.v6 = append(to.v6, addr)
			}
		}
	}
	return slices.Concat(addrs[0].v4, addrs[0].v6, addrs[1].v4, addrs[1].v6)
}
