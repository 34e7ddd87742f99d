package guard

import (
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// ask sends a request from peer through a guard and says with which code it was
// refused, and how it arrived if it was not.
func ask(t *testing.T, g *Guard, peer string, change func(*http.Request)) (code string, arrived *http.Request, answer *http.Response) {
	t.Helper()
	r := httptest.NewRequest(http.MethodGet, "/v1/wait", http.NoBody)
	r.RemoteAddr = peer
	r.Host = "localhost:2451"
	change(r)
	w := httptest.NewRecorder()
	g.Handler(
		http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { arrived = r }),
		func(_ http.ResponseWriter, _ *http.Request, why error) {
			refused, ok := errors.AsType[*RefusedError](why)
			if !ok || refused.Message == "" {
				t.Errorf("refused with %#v", why)
				return
			}
			code = refused.Code
		},
	).ServeHTTP(w, r)
	return code, arrived, w.Result()
}

func newGuard(t *testing.T, rules Rules) *Guard {
	t.Helper()
	g, err := New(rules)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// A request passes under the machine's own names and addresses, in any spelling,
// and under no other.
func TestHosts(t *testing.T) {
	hostname, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	g := newGuard(t, Rules{
		Hosts:     []string{"Notes.Example.", "203.0.113.7"},
		HostNames: func() []string { return []string{"hearth-12ab.local.", "203.0.113.8"} },
	})
	for _, tt := range []struct {
		host string
		want string
	}{
		{"localhost", ""},
		{"LocalHost.:2451", ""},
		{"notes.localhost:2451", ""},
		{"127.0.0.1:2451", ""},
		{"127.8.9.1", ""},
		{"203.0.113.8:2451", ""},
		{"[::1]:2451", ""},
		{"[::1]", ""},
		{"[::ffff:127.0.0.1]", ""},
		{hostname, ""},
		{hostname + ".local:2451", ""},
		{"notes.example:443", ""},
		{"NOTES.example.", ""},
		{"203.0.113.7:80", ""},
		{"hearth-12ab.local:2451", ""},
		{"198.51.100.4:2451", ""}, // the address that the request came in at

		{"", HostRefused},
		{".", HostRefused},
		{":2451", HostRefused},
		{"evil.example:2451", HostRefused},
		{"localhost.evil.example", HostRefused},
		{"notlocalhost", HostRefused},
		{"127.0.0.1.evil.example", HostRefused},
		{"198.51.100.5:2451", HostRefused},
		{"[2001:db8::1]:2451", HostRefused},
		{"0.0.0.0:2451", HostRefused},
		{"[::1", HostRefused},
		{"2130706433", HostRefused}, // 127.0.0.1 as a number: no browser sends it
	} {
		t.Run(tt.host, func(t *testing.T) {
			code, _, answer := ask(t, g, "198.51.100.9:5000", func(r *http.Request) {
				r.Host = tt.host
				*r = *r.WithContext(withLocalAddr(r, "198.51.100.4:2451"))
			})
			if code != tt.want {
				t.Errorf("refused with %q, want %q", code, tt.want)
			}
			if answer.Header.Get("X-Content-Type-Options") != "nosniff" ||
				answer.Header.Get("Cross-Origin-Resource-Policy") != "same-origin" {
				t.Errorf("headers %v", answer.Header)
			}
		})
	}
}

// Every address of the machine's interfaces is a name of the relay.
func TestInterfaceAddresses(t *testing.T) {
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	g := newGuard(t, Rules{})
	for _, a := range addrs {
		addr := netip.MustParsePrefix(a.String()).Addr().Unmap()
		code, _, _ := ask(t, g, "198.51.100.9:5000", func(r *http.Request) {
			r.Host = netip.AddrPortFrom(addr, 2451).String()
		})
		if code != "" {
			t.Errorf("%s is refused with %q", addr, code)
		}
	}
}

// Pages of other sites do not reach the relay, unless the owner named them.
func TestOrigins(t *testing.T) {
	g := newGuard(t, Rules{Origins: []string{"https://Notes.example", "http://app.example:8080"}})
	for name, tt := range map[string]struct {
		header http.Header
		want   string
		cors   string
	}{
		"no browser":                {http.Header{}, "", ""},
		"own page":                  {http.Header{"Origin": {"http://localhost:2451"}, "Sec-Fetch-Site": {"same-origin"}}, "", ""},
		"typed address":             {http.Header{"Sec-Fetch-Site": {"none"}}, "", ""},
		"allowed":                   {http.Header{"Origin": {"https://notes.example"}, "Sec-Fetch-Site": {"cross-site"}}, "", "https://notes.example"},
		"allowed with default port": {http.Header{"Origin": {"https://notes.example:443"}}, "", "https://notes.example:443"},
		"allowed with port":         {http.Header{"Origin": {"http://app.example:8080"}}, "", "http://app.example:8080"},
		"other scheme":              {http.Header{"Origin": {"http://notes.example"}}, OriginRefused, ""},
		"other port":                {http.Header{"Origin": {"http://localhost:3000"}}, OriginRefused, ""},
		"own name over https":       {http.Header{"Origin": {"https://localhost:2451"}}, OriginRefused, ""},
		"other site":                {http.Header{"Origin": {"https://evil.example"}}, OriginRefused, ""},
		"null":                      {http.Header{"Origin": {"null"}}, OriginRefused, ""},
		"empty":                     {http.Header{"Origin": {""}}, OriginRefused, ""},
		"file":                      {http.Header{"Origin": {"file://"}}, OriginRefused, ""},
		"with a path":               {http.Header{"Origin": {"https://notes.example/x"}}, OriginRefused, ""},
		"two":                       {http.Header{"Origin": {"https://notes.example", "https://evil.example"}}, OriginRefused, ""},
		"cross site":                {http.Header{"Sec-Fetch-Site": {"cross-site"}}, OriginRefused, ""},
		"same site":                 {http.Header{"Sec-Fetch-Site": {"same-site"}}, OriginRefused, ""},
		"own origin, cross site":    {http.Header{"Origin": {"http://localhost:2451"}, "Sec-Fetch-Site": {"cross-site"}}, OriginRefused, ""},
		"fetch site twice":          {http.Header{"Sec-Fetch-Site": {"none", "cross-site"}}, OriginRefused, ""},
	} {
		t.Run(name, func(t *testing.T) {
			code, _, answer := ask(t, g, "127.0.0.1:5000", func(r *http.Request) { r.Header = tt.header })
			if code != tt.want {
				t.Errorf("refused with %q, want %q", code, tt.want)
			}
			if got := answer.Header.Get("Access-Control-Allow-Origin"); got != tt.cors {
				t.Errorf("Access-Control-Allow-Origin %q, want %q", got, tt.cors)
			}
		})
	}
}

// A browser's question before a request is answered for allowed origins only;
// any other OPTIONS goes on.
func TestPreflight(t *testing.T) {
	g := newGuard(t, Rules{Origins: []string{"https://notes.example"}})
	preflight := func(origin string) func(*http.Request) {
		return func(r *http.Request) {
			r.Method = http.MethodOptions
			r.Header = http.Header{"Origin": {origin}, "Access-Control-Request-Method": {"POST"}}
		}
	}
	code, arrived, answer := ask(t, g, "127.0.0.1:5000", preflight("https://notes.example"))
	if code != "" || arrived != nil || answer.StatusCode != http.StatusNoContent ||
		answer.Header.Get("Access-Control-Allow-Methods") != "GET, HEAD, POST" {
		t.Errorf("an allowed origin: code %q, status %d, headers %v", code, answer.StatusCode, answer.Header)
	}
	if code, _, _ := ask(t, g, "127.0.0.1:5000", preflight("https://evil.example")); code != OriginRefused {
		t.Errorf("another origin: code %q", code)
	}
	if _, arrived, _ := ask(t, g, "127.0.0.1:5000", func(r *http.Request) { r.Method = http.MethodOptions }); arrived == nil {
		t.Error("an OPTIONS without an origin does not pass")
	}
}

// What proxies say is believed from trusted ones, refused from all others, and
// never makes a client look like one on this machine.
func TestForwarding(t *testing.T) {
	g := newGuard(t, Rules{TrustedProxies: []netip.Prefix{
		netip.MustParsePrefix("127.0.0.1/32"),
		netip.MustParsePrefix("192.0.2.0/24"),
	}})
	for name, tt := range map[string]struct {
		peer   string
		header http.Header
		want   string // the code
		client string // RemoteAddr
	}{
		"no proxy":            {"198.51.100.9:5000", http.Header{}, "", "198.51.100.9:5000"},
		"stranger":            {"198.51.100.9:5000", http.Header{"X-Forwarded-For": {"127.0.0.1"}}, Forbidden, ""},
		"stranger, Forwarded": {"198.51.100.9:5000", http.Header{"Forwarded": {"for=127.0.0.1"}}, Forbidden, ""},
		"stranger, real IP":   {"198.51.100.9:5000", http.Header{"X-Real-Ip": {"127.0.0.1"}}, Forbidden, ""},
		"stranger, Via":       {"198.51.100.9:5000", http.Header{"Via": {"1.1 proxy"}}, Forbidden, ""},
		"stranger, proto":     {"198.51.100.9:5000", http.Header{"X-Forwarded-Proto": {"https"}}, Forbidden, ""},
		"trusted":             {"127.0.0.1:5000", http.Header{"X-Forwarded-For": {"198.51.100.7"}}, "", "198.51.100.7:0"},
		"forged first hop":    {"127.0.0.1:5000", http.Header{"X-Forwarded-For": {"127.0.0.1, 198.51.100.7"}}, "", "198.51.100.7:0"},
		"two headers":         {"127.0.0.1:5000", http.Header{"X-Forwarded-For": {"10.9.9.9", "198.51.100.7"}}, "", "198.51.100.7:0"},
		"two proxies":         {"127.0.0.1:5000", http.Header{"X-Forwarded-For": {"198.51.100.7, 192.0.2.1"}}, "", "198.51.100.7:0"},
		"with port":           {"127.0.0.1:5000", http.Header{"X-Forwarded-For": {"[2001:db8::7]:99"}}, "", "[2001:db8::7]:0"},
		"IPv6":                {"127.0.0.1:5000", http.Header{"X-Forwarded-For": {"2001:db8::7"}}, "", "[2001:db8::7]:0"},
		"only proxies":        {"127.0.0.1:5000", http.Header{"X-Forwarded-For": {"192.0.2.8"}}, "", "192.0.2.8:0"},
		"proxy's own machine": {"192.0.2.1:5000", http.Header{"X-Forwarded-For": {"::1"}}, "", "192.0.2.1:5000"},
		"nobody":              {"127.0.0.1:5000", http.Header{"X-Forwarded-Proto": {"https"}}, Forbidden, ""},
		"garbage":             {"127.0.0.1:5000", http.Header{"X-Forwarded-For": {"unknown"}}, Forbidden, ""},
		"garbage last":        {"127.0.0.1:5000", http.Header{"X-Forwarded-For": {"198.51.100.7, "}}, Forbidden, ""},
	} {
		t.Run(name, func(t *testing.T) {
			code, arrived, _ := ask(t, g, tt.peer, func(r *http.Request) { r.Header = tt.header })
			client := ""
			if arrived != nil {
				client = arrived.RemoteAddr
			}
			if diff := cmp.Diff([]string{tt.want, tt.client}, []string{code, client}); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Behind a trusted proxy that speaks TLS the relay's own origin is an https one.
func TestOriginBehindProxy(t *testing.T) {
	g := newGuard(t, Rules{
		Hosts:          []string{"relay.example"},
		TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")},
	})
	code, _, _ := ask(t, g, "127.0.0.1:5000", func(r *http.Request) {
		r.Host = "relay.example"
		r.Header = http.Header{
			"X-Forwarded-For":   {"198.51.100.7"},
			"X-Forwarded-Proto": {"https"},
			"Origin":            {"https://relay.example"},
		}
	})
	if code != "" {
		t.Errorf("refused with %q", code)
	}
}

// Rules that mean nothing are an error at once, not a door that never opens.
func TestRulesWithoutSense(t *testing.T) {
	for _, rules := range []Rules{
		{Hosts: []string{""}},
		{Hosts: []string{"http://notes.example"}},
		{Hosts: []string{"notes.example:80"}},
		{Origins: []string{"null"}},
		{Origins: []string{"*"}},
		{Origins: []string{"notes.example"}},
		{Origins: []string{"https://notes.example/"}},
	} {
		if _, err := New(rules); err == nil {
			t.Errorf("%+v is taken", rules)
		}
	}
}
