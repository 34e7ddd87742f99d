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

// made are the beginnings of names of interfaces that lead to no network people share: containers, virtual machines, VPNs,
// and Apple's peer-to-peer radio. Case matters: Windows calls a real interface "vEthernet" once Hyper-V shares it.
var made = []string{
	"docker", "veth", "br-", "virbr", "podman", "cni", // containers and virtual machines
	"tun", "utun", "tailscale", "wg", // VPNs
	"awdl", "llw", // Apple
}

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

// addresses are those worth announcing: IPv4 first; link-local IPv6 only where there is no other IPv6, as readers have to
// guess the zone for it.
func (l link) addresses() []netip.Addr {
	var v4, v6, local []netip.Addr
	for _, p := range l.prefixes {
		switch a := p.Addr(); {
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

// has tells whether the link has an address of the family.
func (l link) has(is func(netip.Addr) bool) bool {
	return slices.ContainsFunc(l.prefixes, func(p netip.Prefix) bool { return is(p.Addr()) })
}

// reaches tells whether an address is on this link's own networks.
func (l link) reaches(a netip.Addr) bool {
	if zone := a.Zone(); zone != "" && zone != l.name {
		return false
	}
	return slices.ContainsFunc(l.prefixes, func(p netip.Prefix) bool { return p.Contains(a.WithZone("")) })
}

// isReal tells whether an interface of that name and kind leads to a network that people share.
func isReal(name string, flags net.Flags) bool {
	const needs, never = net.FlagMulticast, net.FlagLoopback | net.FlagPointToPoint
	return flags&needs == needs && flags&never == 0 &&
		!slices.ContainsFunc(made, func(start string) bool { return strings.HasPrefix(name, start) })
}

// links looks at the machine's interfaces: those that carry traffic now, have an address, and are real or named in only.
// Where there is none, the error says so in a sentence.
func links(only []string) ([]link, error) {
	interfaces, err := net.Interfaces()
	if err != nil {
		return nil, fmt.Errorf("the machine's network interfaces cannot be read: %w", err)
	}
	var all []link
	for _, i := range interfaces {
		wanted := slices.Contains(only, i.Name) || len(only) == 0 && isReal(i.Name, i.Flags)
		// Running is up with a carrier: a cable put back in makes the interface appear anew, and so announce anew.
		if !wanted || i.Flags&net.FlagUp == 0 || i.Flags&net.FlagRunning == 0 {
			continue
		}
		addresses, err := i.Addrs()
		if err != nil {
			continue // the interface went away between the two calls
		}
		if l := newLink(i.Index, i.Name, addresses); len(l.prefixes) > 0 {
			all = append(all, l)
		}
	}
	switch {
	case len(all) > 0:
		return all, nil
	case len(only) > 0:
		return nil, fmt.Errorf("%w: none of the interfaces named (%s) is up with an address", ErrNoNetwork, strings.Join(only, ", "))
	default:
		return nil, fmt.Errorf("%w: this machine is not connected to one", ErrNoNetwork)
	}
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
