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
	return "stop that program, or let the relay listen at another port with --port PORT; port 0 takes a free one"
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
// first, from this one last. It is at the addresses that are announced: those
// that are advertised, else those of the networks that the options mean, however
// the machine is connected just now.
func urls(places []place, advertised []string, o discovery.Options) []string {
	var far, near []string
	for _, p := range places {
		if p.private() {
			near = append(near, urlOf(p))
			continue
		}
		for _, addr := range addrsOf(p, advertised, o) {
			far = append(far, urlOf(place{addr, p.port}))
		}
		if p.everywhere() {
			near = append(near, urlOf(place{loopback, p.port}))
		}
	}
	return append(far, near...)
}

// addrsOf lists the addresses at which other machines reach a place.
func addrsOf(p place, advertised []string, o discovery.Options) (addrs []netip.Addr) {
	for _, text := range advertised {
		if addr, err := netip.ParseAddr(text); err == nil { // it was checked
			addrs = append(addrs, addr)
		}
	}
	switch {
	case len(addrs) > 0:
		return addrs
	case !p.everywhere():
		return []netip.Addr{p.addr}
	default:
		return slices.DeleteFunc(discovery.Addresses(o), func(a netip.Addr) bool { return p.addr.Is4() && !a.Is4() })
	}
}

// urlPrefix is what the URLs of relays begin with.
const urlPrefix = "http://"

// urlOf is the URL of a place. A zone's mark is escaped in one (RFC 6874).
func urlOf(p place) string { return urlPrefix + strings.Replace(p.String(), "%", "%25", 1) }
