package discovery

import (
	"cmp"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
)

// mostAddresses of one interface are announced: more than that do not fit into one packet beside the TXT pairs, and a
// reader tries the first ones only.
const mostAddresses = 8

// made are the beginnings of names of interfaces that lead to no network people share, with what makes them. Case matters:
// Windows calls a real interface "vEthernet" once Hyper-V shares it.
var made = []struct{ start, by string }{
	{"docker", containers},
	{"veth", containers},
	{"br-", containers},
	{"podman", containers},
	{"cni", containers},
	{"lxc", containers},
	{"lxdbr", containers},
	{"virbr", machines},
	{"vboxnet", machines},
	{"VirtualBox", machines}, // as Windows calls it
	{"vmnet", machines},
	{"VMware", machines},  // as Windows calls it
	{"bridge1", machines}, // macOS counts them from 100; its bridge0 is a cable to another machine
	{"tun", tunnel},
	{"tap", tunnel},
	{"zt", tunnel}, // ZeroTier
	{"utun", tunnel},
	{"tailscale", tunnel},
	{"wg", tunnel},
	{"awdl", apple},
	{"llw", apple},
}

const (
	containers = "it leads to containers"
	machines   = "it leads to virtual machines"
	tunnel     = "it is a VPN"
	apple      = "it is for Apple's own use between devices"
)

// A link is one network interface as it was when looked at.
type link struct {
	index    int
	name     string
	prefixes []netip.Prefix // its addresses with the length of their networks, sorted
}

// same tells whether nothing that matters here changed between two looks.
func (l link) same(m link) bool {
	return l.index == m.index && l.name == m.name && slices.Equal(l.prefixes, m.prefixes)
}

// addresses are those worth announcing of a service that listens there: IPv4 first; link-local IPv6 only where there is no other
// IPv6, as readers have to guess the zone for it.
func (l link) addresses(listens func(netip.Addr) bool) []netip.Addr {
	var v4, v6, local []netip.Addr
	for _, p := range l.prefixes {
		switch a := p.Addr(); {
		case !listens(a):
		case a.Is4():
			v4 = append(v4, a)
		case a.IsLinkLocalUnicast():
			local = append(local, a)
		default:
			v6 = append(v6, a)
		}
	}
	if len(v6) == 0 {
		v6 = local
	}
	all := slices.Concat(v4, v6)
	return all[:min(len(all), mostAddresses)]
}

// any tells whether one of the link's addresses is like that.
func (l link) any(like func(netip.Addr) bool) bool {
	return slices.ContainsFunc(l.prefixes, func(p netip.Prefix) bool { return like(p.Addr()) })
}

// owns tells whether an address is the link's.
func (l link) owns(a netip.Addr) bool {
	return l.any(func(own netip.Addr) bool { return own == a })
}

// reaches tells whether an address is on this link's own networks.
func (l link) reaches(a netip.Addr) bool {
	if zone := a.Zone(); zone != "" && zone != l.name {
		return false
	}
	return slices.ContainsFunc(l.prefixes, func(p netip.Prefix) bool { return p.Contains(a.WithZone("")) })
}

// unreal is why an interface of that name and kind does not lead to a network that people share; empty if it does.
func unreal(name string, flags net.Flags) string {
	switch {
	case flags&net.FlagLoopback != 0:
		return "it leads to this machine itself only"
	case flags&net.FlagPointToPoint != 0:
		return "it leads to one other machine only, as VPNs do"
	case flags&net.FlagMulticast == 0:
		return "it takes no multicast"
	}
	for _, m := range made {
		if strings.HasPrefix(name, m.start) {
			return m.by
		}
	}
	return ""
}

// unwanted is why an interface is not to be used; empty if it is. What is named for use is used whatever its kind.
func (o Options) unwanted(name string, flags net.Flags) string {
	switch {
	case slices.Contains(o.Except, name):
		return "it is left out by the settings"
	case slices.Contains(o.Interfaces, name):
		return ""
	case len(o.Interfaces) > 0:
		return "the settings name others"
	default:
		return unreal(name, flags)
	}
}

// links looks at the machine's interfaces: those that are wanted, carry traffic now and have an address, and why the others are
// not used. Where there is none, the error says so in a sentence.
func (o Options) links() (all []link, unused []Unused, err error) {
	interfaces, err := net.Interfaces()
	if err != nil {
		return nil, nil, fmt.Errorf("the machine's network interfaces cannot be read: %w", err)
	}
	for _, i := range interfaces {
		l, why := o.link(i)
		if why != "" {
			unused = append(unused, Unused{i.Name, why})
		} else {
			all = append(all, l)
		}
	}
	for _, name := range o.Interfaces {
		if !slices.ContainsFunc(interfaces, func(i net.Interface) bool { return i.Name == name }) {
			unused = append(unused, Unused{name, "this machine has no interface of that name"})
		}
	}
	switch {
	case len(all) > 0:
		return all, unused, nil
	case len(o.Interfaces) > 0:
		return nil, unused, fmt.Errorf("%w: none of the interfaces named (%s) is up with an address", ErrNoNetwork, strings.Join(o.Interfaces, ", "))
	default:
		return nil, unused, fmt.Errorf("%w: this machine is not connected to one", ErrNoNetwork)
	}
}

// Addresses are those at which other machines on the networks that would be used reach what listens at every address of this one,
// IPv4 first. Link-local ones of IPv6 are left out: each machine has to guess the zone for them.
func Addresses(o Options) []netip.Addr {
	var all []netip.Addr
	there, _, _ := o.links() // where there is none, there is no address
	for _, l := range there {
		for _, a := range l.addresses(new(zone).listens) {
			if rank(a) < linkLocal && !slices.Contains(all, a) {
				all = append(all, a)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b netip.Addr) int { return cmp.Compare(rank(a), rank(b)) })
	return all
}

// Neighbour tells whether an address is another machine's on one of the networks that would be used.
func Neighbour(a netip.Addr, o Options) bool {
	there, _, _ := o.links()
	a = a.Unmap()
	own := slices.ContainsFunc(there, func(l link) bool { return l.owns(a.WithZone("")) })
	return !own && slices.ContainsFunc(there, func(l link) bool { return l.reaches(a) })
}

// link is an interface as it is now, or why it is not used.
func (o Options) link(i net.Interface) (l link, why string) {
	if why := o.unwanted(i.Name, i.Flags); why != "" {
		return link{}, why
	}
	switch {
	case i.Flags&net.FlagUp == 0:
		return link{}, "it is switched off"
	case i.Flags&net.FlagRunning == 0: // a cable put back in makes the interface appear anew, and so announce anew
		return link{}, "it is not connected"
	}
	addresses, err := i.Addrs()
	if err != nil {
		return link{}, "it went away just now"
	}
	if l = newLink(i.Index, i.Name, addresses); len(l.prefixes) == 0 {
		return link{}, "it has no address yet"
	}
	return l, ""
}

func newLink(index int, name string, addresses []net.Addr) link {
	l := link{index: index, name: name}
	for _, address := range addresses {
		ipnet, ok := address.(*net.IPNet)
		if !ok {
			continue
		}
		a, ok := netip.AddrFromSlice(ipnet.IP)
		if a = a.Unmap(); !ok || a.IsUnspecified() || a.IsMulticast() {
			continue
		}
		ones, _ := ipnet.Mask.Size()
		l.prefixes = append(l.prefixes, netip.PrefixFrom(a, ones))
	}
	slices.SortFunc(l.prefixes, func(p, q netip.Prefix) int {
		return cmp.Or(p.Addr().Compare(q.Addr()), cmp.Compare(p.Bits(), q.Bits()))
	})
	return l
}
