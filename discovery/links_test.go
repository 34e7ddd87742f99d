package discovery

import (
	"net"
	"net/netip"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Promise: only networks that people share are used unless others are named.
func TestReal(t *testing.T) {
	const shared = net.FlagUp | net.FlagRunning | net.FlagBroadcast | net.FlagMulticast
	for _, c := range []struct {
		name  string
		flags net.Flags
		want  bool
	}{
		{"eth0", shared, true},
		{"wlan0", shared, true},
		{"enp3s0", shared, true},
		{"en0", shared, true},
		{"br0", shared, true}, // a bridge that somebody made on purpose
		{"hearth0", shared, true},
		{"Ethernet 2", shared, true},
		{"vEthernet (External)", shared, true},
		{"eth0", shared &^ net.FlagMulticast, false},
		{"lo", net.FlagUp | net.FlagLoopback | net.FlagMulticast, false},
		{"ppp0", shared | net.FlagPointToPoint, false},
		{"docker0", shared, false},
		{"veth12ab", shared, false},
		{"br-4f2a", shared, false},
		{"virbr0", shared, false},
		{"tun0", shared, false},
		{"utun3", shared, false},
		{"tailscale0", shared, false},
		{"wg0", shared, false},
		{"awdl0", shared, false},
	} {
		if got := unreal(c.name, c.flags) == ""; got != c.want {
			t.Errorf("%s (%v): %v", c.name, c.flags, got)
		}
	}
}

func testLink(name string, prefixes ...string) link {
	l := link{index: 7, name: name}
	for _, p := range prefixes {
		l.prefixes = append(l.prefixes, netip.MustParsePrefix(p))
	}
	return l
}

// Promise: what is named is used whatever its kind, what is left out never, and each interface that is not used has its reason.
func TestUnwanted(t *testing.T) {
	const shared = net.FlagUp | net.FlagRunning | net.FlagBroadcast | net.FlagMulticast
	for name, c := range map[string]struct {
		options Options
		name    string
		flags   net.Flags
		want    string
	}{
		"real":                {Options{}, "eth0", shared, ""},
		"containers":          {Options{}, "docker0", shared, "it leads to containers"},
		"virtual machines":    {Options{}, "vboxnet0", shared, "it leads to virtual machines"},
		"VPN":                 {Options{}, "ztr2q5k6", shared, "it is a VPN"},
		"loopback":            {Options{}, "lo", shared | net.FlagLoopback, "it leads to this machine itself only"},
		"named":               {Options{Interfaces: []string{"docker0"}}, "docker0", shared, ""},
		"another is named":    {Options{Interfaces: []string{"docker0"}}, "eth0", shared, "the settings name others"},
		"left out":            {Options{Except: []string{"eth0"}}, "eth0", shared, "it is left out by the settings"},
		"another is left out": {Options{Except: []string{"eth0"}}, "eth1", shared, ""},
	} {
		if got := c.options.unwanted(c.name, c.flags); got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}

// Promise: an interface announces its own addresses, those that work without a zone first and others only where needed.
func TestAddresses(t *testing.T) {
	for name, c := range map[string]struct {
		has  []string
		want []string
	}{
		"both":       {[]string{"fe80::1/64", "fd00::1/64", "10.0.0.1/24"}, []string{"10.0.0.1", "fd00::1"}},
		"link-local": {[]string{"fe80::1/64", "10.0.0.1/24"}, []string{"10.0.0.1", "fe80::1"}},
		"many": {
			[]string{"10.0.0.1/8", "10.0.0.2/8", "10.0.0.3/8", "10.0.0.4/8", "10.0.0.5/8", "10.0.0.6/8", "10.0.0.7/8", "10.0.0.8/8", "10.0.0.9/8"},
			[]string{"10.0.0.1", "10.0.0.2", "10.0.0.3", "10.0.0.4", "10.0.0.5", "10.0.0.6", "10.0.0.7", "10.0.0.8"},
		},
	} {
		if d := cmp.Diff(c.want, texts(testLink("eth0", c.has...).addresses(new(zone).listens))); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}

// Promise: nothing from beyond the link's networks is listened to, nor what came in on another link.
func TestAccepts(t *testing.T) {
	l := testLink("eth0", "10.0.0.1/24", "fe80::1/64")
	group, own := net.IPv4(224, 0, 0, 251), net.IPv4(10, 0, 0, 1)
	for name, c := range map[string]struct {
		from string
		meta meta
		want bool
	}{
		"multicast here":                      {"10.0.0.9:5353", meta{index: 7, dst: group}, true},
		"multicast of another network here":   {"192.168.0.9:5353", meta{index: 7, dst: group}, true},
		"multicast on another link":           {"10.0.0.9:5353", meta{index: 8, dst: group}, false},
		"to this machine from the network":    {"10.0.0.9:5353", meta{index: 7, dst: own}, true},
		"to this machine from far away":       {"203.0.113.9:5353", meta{index: 7, dst: own}, false},
		"link not told, from its network":     {"10.0.0.9:5353", meta{}, true},
		"link not told, from another network": {"192.168.0.9:5353", meta{}, false},
		"link-local here":                     {"[fe80::9%eth0]:5353", meta{}, true},
		"link-local on another link":          {"[fe80::9%eth1]:5353", meta{}, false},
		"IPv4 in IPv6's clothes":              {"[::ffff:10.0.0.9]:5353", meta{}, true},
	} {
		if got := l.accepts(c.meta, netip.MustParseAddrPort(c.from)); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// Promise: addresses are told, and neighbours known, of the networks that would be used and no others.
func TestAddressesAndNeighbours(t *testing.T) {
	o := loopback(t)
	here, beside, away := netip.MustParseAddr("127.0.0.1"), netip.MustParseAddr("::ffff:127.0.0.9"), netip.MustParseAddr("203.0.113.9")
	if all := Addresses(o); len(all) == 0 || all[0] != here {
		t.Errorf("told %v", all)
	}
	if Neighbour(here, o) || !Neighbour(beside, o) || Neighbour(away, o) {
		t.Errorf("neighbours: %t, %t, %t", Neighbour(here, o), Neighbour(beside, o), Neighbour(away, o))
	}
	nowhere := Options{Interfaces: []string{"hearth-none"}}
	if all := Addresses(nowhere); len(all) > 0 || Neighbour(beside, nowhere) {
		t.Errorf("without a network: %v", all)
	}
}
