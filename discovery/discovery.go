// Package discovery lets a service be found on the networks that a machine is on, and finds others: DNS-SD (RFC 6763)
// over multicast DNS (RFC 6762). It knows a name, a port and TXT pairs, and nothing of what is served there.
//
// It is a responder of its own on top of miekg/dns and x/net: what matters here, that the machine's networks change under a
// running program, that each network hears its own addresses only, and that everything announced is taken back, has to be
// right inside the responder and cannot be put around one.
package discovery

import (
	"errors"
	"log/slog"
	"net/netip"
	"time"
)

// ErrNoNetwork is wrapped by what Find answers when there was no network to look on.
var ErrNoNetwork = errors.New("no network")

// ErrPortTaken is wrapped by errors about interfaces on which another program keeps others from multicast DNS's port.
var ErrPortTaken = errors.New("another program keeps UDP port 5353 to itself")

// Service is what to announce.
type Service struct {
	Type string   // "_name._tcp" or "_name._udp" (RFC 6763, section 7)
	Name string   // for people; cut to what fits into 63 bytes
	ID   string   // unique in the world, at least eight letters or digits; tells the service from others of its name
	Port int      // where it listens
	TXT  []string // "key=value" pairs; id=ID is added where it is missing

	// Instance is the name under which it was announced before, if that was another one since others had Name: then it has
	// that again, however many of the others are there now. It does not count if it was not made from Name.
	Instance string

	// At is the address where it listens: only this one is announced, where an interface has it. The zero Addr and an
	// unspecified one of IPv6 are every address, an unspecified one of IPv4 is every one of IPv4.
	At netip.Addr
	// Addresses are announced on each interface in place of its own, for who reaches the service through a router or a
	// container's host.
	Addresses []netip.Addr
}

// Options say where to announce and to look.
type Options struct {
	// Interfaces names the only interfaces to use, whatever their kind. Empty means the real ones: those that are up and
	// multicast, and not loopback, point-to-point, or made by containers, virtual machines and VPNs.
	Interfaces []string
	// Except names interfaces never to use.
	Except []string
	// Logger takes what is not worth an error; nil means slog.Default.
	Logger *slog.Logger
}

func (o Options) logger() *slog.Logger {
	if o.Logger == nil {
		return slog.Default()
	}
	return o.Logger
}

// Status tells what is announced now.
type Status struct {
	Announced []Announcement // by interface
	Unused    []Unused       // by interface
	Quiet     string         // why nothing is announced, as a sentence; empty while something is
}

// Announcement is the service as one network sees it.
type Announcement struct {
	Interface string
	Addresses []netip.Addr
	Name      string // the service's
	Instance  string // the name shown to people; differs from Name where that was taken
}

// Unused is an interface that is not used.
type Unused struct {
	Interface string
	Reason    string // reads on from "not used: "
}

// Found is a service that answers on a network.
type Found struct {
	Instance  string // for people; valid UTF-8 without control characters
	Host      string // without the final dot
	Port      int
	Addresses []netip.Addr      // IPv4 first, link-local IPv6 last and with its zone
	TXT       map[string]string // keys in lower case, the first of equal ones; a key without a value has ""
	SeenAt    time.Time         // when it was last heard of

	// Stale says that it was asked more than once since, and did not answer: it crashed, or left without a word. What is
	// told of it is what was known last.
	Stale bool
}

// pulse tells one waiting reader that something changed; a reader who is busy finds one pulse afterwards.
func pulse(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
