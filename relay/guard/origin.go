package guard

import (
	"net/http"
	"net/url"
	"strings"
)

// origin is a web origin (RFC 6454): who a page in a browser belongs to.
type origin struct {
	scheme, host, port string
}

// parseOrigin reads an origin as browsers spell it. "null" is none.
func parseOrigin(text string) (origin, bool) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || u.Path != "" || u.RawQuery != "" || u.ForceQuery || strings.Contains(text, "#") {
		return origin{}, false
	}
	return originOf(u.Scheme, u.Host)
}

// originOf returns the origin of what lies under a scheme and a host with or
// without a port.
func originOf(scheme, hostPort string) (origin, bool) {
	u := url.URL{Host: hostPort}
	host, ok := hostName(u.Hostname())
	if !ok {
		return origin{}, false
	}
	o := origin{scheme: strings.ToLower(scheme), host: host, port: u.Port()}
	if o.port == "" {
		switch o.scheme {
		case "http":
			o.port = "80"
		case "https":
			o.port = "443"
		}
	}
	return o, true
}

// checkOrigin refuses requests that pages of other sites make in a browser on
// this machine. It returns the origin as it was sent if it is one of those that
// are allowed besides the relay's own.
func (g *Guard) checkOrigin(r *http.Request, secure bool) (allowed string, why *RefusedError) {
	if sent := r.Header.Values("Origin"); len(sent) > 0 {
		o, ok := parseOrigin(sent[0])
		if !ok || len(sent) > 1 {
			return "", refused(OriginRefused, "a page without an origin may not ask this relay")
		}
		if _, ok := g.origins[o]; ok {
			return sent[0], nil
		}
		scheme := "http"
		if secure {
			scheme = "https"
		}
		if own, ok := originOf(scheme, r.Host); !ok || o != own {
			return "", refused(OriginRefused, "pages of %.120q may not ask this relay: if they should, add that origin to allowed_origins in its settings.json", sent[0])
		}
	}
	for _, site := range r.Header.Values("Sec-Fetch-Site") {
		if site != "same-origin" && site != "none" {
			return "", refused(OriginRefused, "a page of another site may not ask this relay")
		}
	}
	return "", nil
}
