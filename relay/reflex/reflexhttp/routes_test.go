package reflexhttp_test

import (
	"bytes"
	"maps"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"

	"hearth/relay"
)

// options are those of most relays in these tests.
var options = relay.Options{}

// Whatever is asked below the prefix is answered in JSON and with its status: what
// is not there, what cannot be done there, and paths that are odd.
func TestPaths(t *testing.T) {
	h := start(t)
	for _, test := range []struct {
		method, target string
		status         int
		allow          string
	}{
		{"GET", "/reflex", 404, ""},
		{"GET", "/reflex/", 404, ""},
		{"GET", "/reflex/v1", 404, ""},
		{"GET", "/reflex/v1/", 404, ""},
		{"GET", "/reflex/v2/types", 404, ""},
		{"GET", "/reflex/v1/rules", 404, ""},
		{"GET", "/reflex/v1/streams", 404, ""},
		{"GET", "/reflex/v1/streams/a", 404, ""},
		{"GET", "/reflex/v1/streams/a/events/", 404, ""},
		{"GET", "/reflex/v1//streams/a/events", 404, ""},
		{"GET", "/reflex/v1/streams/a/b/events", 404, ""},
		{"GET", "/reflex/v1/streams/a/../a/events", 404, ""},
		{"GET", "/reflex/v1/streams/%ff/events", 404, ""},
		{"GET", "/reflex/v1/Streams/a/events", 404, ""},
		{"POST", "/reflex/v1/streams/a/live", 405, "GET, HEAD"},
		{"GET", "/reflex/v1/streams/a/commands", 405, "POST"},
		{"HEAD", "/reflex/v1/streams/a/commands", 405, "POST"},
		{"PUT", "/reflex/v1/streams/a/events", 405, "GET, HEAD, POST"},
		{"DELETE", "/reflex/v1/streams/a/events", 405, "GET, HEAD, POST"},
		{"OPTIONS", "/reflex/v1/streams/a/events", 405, "GET, HEAD, POST"},
		{"PATCH", "/reflex/v1/types/a", 405, "DELETE, GET, HEAD, PUT"},
		{"POST", "/reflex/v1/types", 405, "GET, HEAD"},
		{"GET", "/reflex/v1/%73treams/a/%65vents", 200, ""},
		{"GET", "/reflex/v1/types", 200, ""},
	} {
		t.Run(test.method+" "+test.target, func(t *testing.T) {
			a := h.do(t, test.method, test.target, nil, nil)
			if a.status != test.status || a.header.Get("Allow") != test.allow {
				t.Fatalf("status %d, Allow %q: %.200s", a.status, a.header.Get("Allow"), a.body)
			}
			if test.status != 200 && test.method != http.MethodHead {
				a.rejection(t)
			}
		})
	}
}

// Who is turned away before anything is looked at is told so in the form of this
// protocol: foreign names, pages of other sites, unknown keys, other machines.
func TestTurnedAway(t *testing.T) {
	h := open(t, t.TempDir(), relay.Options{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32")}})
	for _, test := range []struct {
		name   string
		header http.Header
		status int
		reason string
	}{
		{"a foreign name", http.Header{"Host": {"evil.example"}}, 403, "forbidden"},
		{"a page of another site", http.Header{"Origin": {"https://evil.example"}}, 403, "forbidden"},
		{"a page without an origin", http.Header{"Origin": {"null"}}, 403, "forbidden"},
		{"a request of another site", http.Header{"Sec-Fetch-Site": {"cross-site"}}, 403, "forbidden"},
		{"an unknown key", http.Header{"Authorization": {"Bearer nonsense"}}, 401, "unauthorized"},
		{"another machine", http.Header{"X-Forwarded-For": {"192.0.2.7"}}, 403, "forbidden"},
		{"a bad space", http.Header{"Hearth-Space": {"Not A Space"}}, 422, "validation_failed"},
	} {
		for _, request := range []struct{ method, target string }{
			{http.MethodGet, eventsOf("a")},
			{http.MethodPost, eventsOf("a")},
			{http.MethodPost, commandsOf("a")},
			{http.MethodGet, "/reflex/v1/nowhere"},
			{http.MethodGet, "/reflex/v1/types"},
		} {
			header := with()
			maps.Copy(header, test.header)
			a := h.do(t, request.method, request.target, header, strings.NewReader(`{"type":"a"}`))
			if a.status != test.status || !bytes.HasPrefix(a.body, []byte(`{"detail":`)) || a.rejection(t).Type != test.reason {
				t.Errorf("%s, %s %s: %d %s", test.name, request.method, request.target, a.status, a.body)
			}
			if challenge := a.header.Get("WWW-Authenticate"); (challenge != "") != (a.status == 401) {
				t.Errorf("%s: WWW-Authenticate %q", test.name, challenge)
			}
		}
	}
	if list, _ := h.page(t, "a", ""); len(list) != 0 {
		t.Errorf("%+v", list)
	}
}

// Pages of an allowed origin may publish and read, and see the headers by which
// they go on.
func TestAllowedOrigin(t *testing.T) {
	h := open(t, t.TempDir(), relay.Options{Origins: []string{"https://notes.example"}})
	origin := with("Origin", "https://notes.example", "Sec-Fetch-Site", "cross-site")
	for range 2 {
		if a := h.do(t, http.MethodPost, eventsOf("a"), origin, strings.NewReader(`{"type":"a"}`)); a.status != http.StatusOK {
			t.Fatalf("%s", a.body)
		}
	}
	a := h.do(t, http.MethodGet, eventsOf("a")+"?limit=1", origin, nil)
	if a.header.Get("Access-Control-Allow-Origin") != "https://notes.example" || a.header.Get("Link") == "" {
		t.Errorf("%v", a.header)
	}
	exposed := strings.Split(a.header.Get("Access-Control-Expose-Headers"), ", ")
	for _, name := range []string{"Link", "Hearth-Cursor", "Hearth-Reset", "Retry-After"} {
		if !slices.Contains(exposed, name) {
			t.Errorf("%s is not exposed: %q", name, exposed)
		}
	}
	if a := h.do(t, http.MethodGet, eventsOf("a"), nil, nil); a.header.Get("Access-Control-Expose-Headers") != "" {
		t.Errorf("%v", a.header)
	}
}

// What is refused is told in the window, in the words for people and with the
// stream that it is about.
func TestRefusalsAreOnRecord(t *testing.T) {
	h := start(t)
	h.publish(t, "house", `{"type":"a"}`)
	h.post(t, "house", `{"type":"tick"}`)
	h.command(t, "house", publishFrame("c1", `{"type":"tick"}`))
	h.command(t, "house", `{`)
	h.do(t, http.MethodGet, eventsOf("house"), http.Header{"Origin": {"https://evil.example"}}, nil)
	list, err := h.Console().Refusals(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, r := range list {
		got = append(got, strings.Join([]string{r.Code, string(r.Action), r.Stream, r.Space, r.Client}, " "))
		if r.Code == "forbidden" && r.Times != 2 {
			t.Errorf("%+v", r)
		}
	}
	want := []string{
		"origin_refused read house  127.0.0.1",
		"validation_failed write house default 127.0.0.1",
		"forbidden write house default 127.0.0.1",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	activity, err := h.Console().Activity(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if m := activity.Minutes[len(activity.Minutes)-1]; m.Writes != 1 || m.Entries != 1 || m.Refused != 4 {
		t.Errorf("%+v", m)
	}
}
