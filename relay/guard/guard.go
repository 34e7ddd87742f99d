// Package guard is what every connection and every request passes first: may
// this reach the relay at all, and can it be held in memory. It knows addresses,
// headers, bytes and deadlines, and nothing of keys, spaces or streams.
package guard

import (
	"fmt"
	"net/http"
	"net/netip"
	"time"
)

// Rules say which requests may pass besides those that are plainly meant for
// this machine.
type Rules struct {
	// Hosts are further names and addresses, without a port, under which the
	// relay may be asked.
	Hosts []string

	// HostNames returns the names and addresses under which the relay is
	// announced at the moment; nil if there are none. It is called for each
	// request whose Host is not known otherwise.
	HostNames func() []string

	// Origins are the web origins whose pages may ask the relay, as browsers
	// spell them: scheme://host or scheme://host:port.
	Origins []string

	// TrustedProxies are the addresses of proxies whose X-Forwarded-For is
	// believed. From anyone else forwarding headers are refused.
	TrustedProxies []netip.Prefix
}

// Guard lets requests pass or refuses them. It may be used by any goroutine.
type Guard struct {
	hosts     map[string]struct{}
	hostNames func() []string
	origins   map[origin]struct{}
	trusted   []netip.Prefix
	machine   machine
}

// New returns a guard with the given rules, or says which of them makes no
// sense.
func New(rules Rules) (*Guard, error) {
	g := &Guard{
		hosts:     make(map[string]struct{}),
		hostNames: rules.HostNames,
		origins:   make(map[origin]struct{}),
		trusted:   rules.TrustedProxies,
	}
	for _, text := range rules.Hosts {
		name, ok := hostName(text)
		if !ok {
			return nil, fmt.Errorf("%q is not the name or address of a host", text)
		}
		g.hosts[name] = struct{}{}
	}
	for _, text := range rules.Origins {
		o, ok := parseOrigin(text)
		if !ok {
			return nil, fmt.Errorf("%q is not a web origin: write it like https://notes.example", text)
		}
		g.origins[o] = struct{}{}
	}
	return g, nil
}

// Refuser answers a request that may not pass.
type Refuser func(w http.ResponseWriter, r *http.Request, why error)

const (
	// answerTime is how long a request may take until its answer is out, unless
	// whoever answers says otherwise: the longest wait of the protocol, a minute,
	// and as much again for a slow reader of a short answer.
	answerTime = 2 * time.Minute

	// preflightAge is how many seconds a browser may remember what an allowed
	// origin may send: short enough that a changed setting is felt soon.
	preflightAge = "600"
)

// Handler passes on to next what the rules let in, and to refuse, with a
// *RefusedError, what they do not. A request that came through a trusted proxy
// is passed on with its client's address as RemoteAddr. Each request gets
// deadlines, so that no client holds a connection by standing still.
func (g *Guard) Handler(next http.Handler, refuse Refuser) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		setDeadlines(w, r)
		header := w.Header()
		header.Set("X-Content-Type-Options", "nosniff")
		header.Set("Cross-Origin-Resource-Policy", "same-origin")
		if why := g.checkHost(r); why != nil {
			refuse(w, r, why)
			return
		}
		passed, secure, why := g.unwrap(r)
		if why != nil {
			refuse(w, r, why)
			return
		}
		allowed, why := g.checkOrigin(r, secure)
		if why != nil {
			refuse(w, r, why)
			return
		}
		if allowed != "" {
			header.Set("Access-Control-Allow-Origin", allowed)
			header.Add("Vary", "Origin")
			if r.Method == http.MethodOptions && r.Header.Get("Access-Control-Request-Method") != "" {
				header.Set("Access-Control-Allow-Methods", "GET, HEAD, POST")
				header.Set("Access-Control-Allow-Headers", "Authorization, Content-Type, Hearth-Space")
				header.Set("Access-Control-Max-Age", preflightAge)
				w.WriteHeader(http.StatusNoContent)
				return
			}
		}
		next.ServeHTTP(w, passed)
	})
}

// setDeadlines bounds the request until somebody who knows better sets others.
func setDeadlines(w http.ResponseWriter, r *http.Request) {
	now := time.Now()
	control := http.NewResponseController(w)
	// Where a writer has no deadlines there is no connection to be held.
	_ = control.SetWriteDeadline(now.Add(answerTime))
	if r.ContentLength != 0 {
		_ = control.SetReadDeadline(now.Add(drainTime))
	}
}
