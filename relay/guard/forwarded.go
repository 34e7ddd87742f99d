package guard

import (
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// unwrap looks at what proxies say about a request. It returns the request with
// the client's own address, and whether the client's connection is encrypted.
//
// A proxy on this machine makes everybody look like a visitor from this machine.
// One that says that it is there, but is not trusted, is therefore refused,
// whatever it says. Via counts too: some proxies send nothing else.
func (g *Guard) unwrap(r *http.Request) (passed *http.Request, secure bool, why *RefusedError) {
	secure = r.TLS != nil
	name := forwardingHeader(r.Header)
	if name == "" {
		return r, secure, nil
	}
	peer := addrOf(r.RemoteAddr)
	if !g.trusts(peer) {
		return nil, false, refused(Forbidden, "the request comes through a proxy (%.40s): if it should, name its address in trusted_proxies in the relay's settings.json", name)
	}
	client, ok := g.client(r.Header.Values("X-Forwarded-For"))
	if !ok {
		return nil, false, refused(Forbidden, "the proxy has to say in X-Forwarded-For whom it asks for")
	}
	if r.Header.Get("X-Forwarded-Proto") == "https" {
		secure = true
	}
	if client.IsLoopback() {
		// The proxy's own machine, which is this one only if the proxy is here.
		return r, secure, nil
	}
	passed = r.Clone(r.Context())
	passed.RemoteAddr = netip.AddrPortFrom(client, 0).String()
	return passed, secure, nil
}

// forwardingHeader returns the name of a header that only proxies send.
func forwardingHeader(h http.Header) string {
	for name := range h {
		switch {
		case name == "Forwarded", name == "X-Real-Ip", name == "Via", strings.HasPrefix(name, "X-Forwarded-"):
			return name
		}
	}
	return ""
}

// client returns the last hop that is no trusted proxy: what stands before it
// anyone could have written. If there is none, it is the first hop.
func (g *Guard) client(forwardedFor []string) (client netip.Addr, ok bool) {
	hops := strings.Split(strings.Join(forwardedFor, ","), ",")
	for _, hop := range slices.Backward(hops) {
		hop = strings.TrimSpace(hop)
		addr, err := netip.ParseAddr(strings.Trim(hop, "[]"))
		if err != nil {
			if addr = addrOf(hop); !addr.IsValid() {
				return netip.Addr{}, false
			}
		}
		client = addr.Unmap().WithZone("")
		if !g.trusts(client) {
			break
		}
	}
	return client, true
}

func (g *Guard) trusts(addr netip.Addr) bool {
	for _, prefix := range g.trusted {
		if prefix.Contains(addr) {
			return true
		}
	}
	return false
}
