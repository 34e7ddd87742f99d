package guard

import (
	"net"
	"net/http"
	"net/netip"
	"strings"
)

// checkHost refuses a request that was meant for another host (RFC 9110,
// section 7.2). Without this a web page could reach the relay under its own
// name, by letting that name point to this machine once the page is loaded
// (DNS rebinding).
func (g *Guard) checkHost(r *http.Request) *RefusedError {
	host := r.Host
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	name, ok := hostName(host)
	if !ok {
		return refused(HostRefused, "the request does not say which host it is meant for")
	}
	if g.knowsHost(r, name) {
		return nil
	}
	return refused(HostRefused, "%.80q is not a name or address of this relay: ask it by one of its own, or add the name to hosts in its settings.json", name)
}

func (g *Guard) knowsHost(r *http.Request, name string) bool {
	if _, ok := g.hosts[name]; ok || name == "localhost" || strings.HasSuffix(name, ".localhost") {
		return true
	}
	if addr, err := netip.ParseAddr(name); err == nil {
		if addr.IsLoopback() || addr == localAddr(r) || g.machine.hasAddr(addr) {
			return true
		}
	} else if g.machine.hasName(name) {
		return true
	}
	if g.hostNames != nil {
		for _, own := range g.hostNames() {
			if own, ok := hostName(own); ok && own == name {
				return true
			}
		}
	}
	return false
}

// hostName returns the one spelling of a host without a port: lowercase, without
// the dot that ends a full name; an address without brackets and zone, and an
// IPv4 address always as such.
func hostName(text string) (name string, ok bool) {
	name = strings.TrimSuffix(strings.ToLower(text), ".")
	bare := name
	if inner, found := strings.CutPrefix(name, "["); found {
		if bare, found = strings.CutSuffix(inner, "]"); !found {
			return "", false
		}
	}
	if addr, err := netip.ParseAddr(bare); err == nil {
		return addr.Unmap().WithZone("").String(), true
	}
	return name, name != "" && !strings.ContainsAny(name, "[]:/@ ")
}

// localAddr returns the address of this machine that the request came in at.
func localAddr(r *http.Request) netip.Addr {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return netip.Addr{}
	}
	return addrOf(local.String())
}

// addrOf returns the address in host:port, in its one spelling; the zero Addr
// if there is none.
func addrOf(hostPort string) netip.Addr {
	ap, err := netip.ParseAddrPort(hostPort)
	if err != nil {
		return netip.Addr{}
	}
	return ap.Addr().Unmap().WithZone("")
}
