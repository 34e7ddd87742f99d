package streamhttp_test

import (
	"net/http"
	"testing"
)

// What HTTP clients other than Go's may send gets a proper answer as well. A
// request that net/http itself does not take is not the handler's concern.
func TestRawRequests(t *testing.T) {
	r := start(t)
	r.writeEntries(t, "notes", "a")
	const host = "Host: localhost\r\n"
	for _, tt := range []struct {
		name    string
		method  string
		request string
		status  int
		code    string
	}{
		{"double slash", "GET", "GET //v1/wait?watch=a HTTP/1.1\r\n" + host + "\r\n", 404, "not_found"},
		{"empty name", "GET", "GET /v1/streams//entries HTTP/1.1\r\n" + host + "\r\n", 400, "bad_request"},
		{"dots", "GET", "GET /v1/../health HTTP/1.1\r\n" + host + "\r\n", 404, "not_found"},
		{"dots as a name", "GET", "GET /v1/streams/../entries HTTP/1.1\r\n" + host + "\r\n", 400, "bad_request"},
		{"raw bytes", "GET", "GET /v1/streams/\xff/entries HTTP/1.1\r\n" + host + "\r\n", 400, "bad_request"},
		{"escaped bytes", "GET", "GET /v1/streams/%ff/entries HTTP/1.1\r\n" + host + "\r\n", 400, "bad_request"},
		{"escaped slash", "GET", "GET /v1/streams/a%2Fb/entries HTTP/1.1\r\n" + host + "\r\n", 400, "bad_request"},
		{"escaped slash as one", "GET", "GET /v1%2Fwait?watch=notes HTTP/1.1\r\n" + host + "\r\n", 404, "not_found"},
		{"escaped letters", "GET", "GET /v1/streams/%6Eotes/entries HTTP/1.1\r\n" + host + "\r\n", 200, ""},
		{"absolute target", "GET", "GET http://localhost/v1/streams/notes/entries HTTP/1.1\r\n" + host + "\r\n", 200, ""},
		{"absolute target elsewhere", "GET", "GET http://evil.example/health HTTP/1.1\r\n" + host + "\r\n", 403, "host_refused"},
		{"options of all", "OPTIONS", "OPTIONS * HTTP/1.1\r\n" + host + "\r\n", 404, "not_found"},
		{"connect", "CONNECT", "CONNECT localhost:80 HTTP/1.1\r\n" + host + "\r\n", 404, "not_found"},
		{"empty host", "GET", "GET /health HTTP/1.1\r\nHost:\r\n\r\n", 403, "host_refused"},
		{"old, no host", "GET", "GET /health HTTP/1.0\r\n\r\n", 403, "host_refused"},
		{"old", "GET", "GET /v1/streams/notes/entries HTTP/1.0\r\n" + host + "\r\n", 200, ""},
		{"head", "HEAD", "HEAD /v1/streams/notes/entries HTTP/1.1\r\n" + host + "\r\n", 200, ""},
		{"head of health", "HEAD", "HEAD /health HTTP/1.1\r\n" + host + "\r\n", 200, ""},
		{"head of a wait", "HEAD", "HEAD /v1/wait?watch=notes HTTP/1.1\r\n" + host + "\r\n", 200, ""},
		{"head of the limits", "HEAD", "HEAD /v1/limits?x=y HTTP/1.1\r\n" + host + "\r\n", 200, ""},
		{"get with a body", "GET", "GET /health HTTP/1.1\r\n" + host + "Content-Length: 5\r\n\r\nhello", 200, ""},
		{"preflight", "OPTIONS", "OPTIONS /v1/wait HTTP/1.1\r\n" + host + "Origin: https://evil.example\r\nAccess-Control-Request-Method: GET\r\n\r\n", 403, "origin_refused"},
		{"two spaces named", "GET", "GET /health HTTP/1.1\r\n" + host + "Hearth-Space: a\r\nHearth-Space: b\r\n\r\n", 400, "bad_request"},
		{"what we do not know", "GET", "GET /v1/streams/notes/entries HTTP/1.1\r\n" + host + "Accept: text/html\r\nRange: bytes=0-1\r\nIf-None-Match: *\r\nAccept-Encoding: gzip\r\n\r\n", 200, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := r.dial(t)
			c.say(t, tt.request)
			a := c.hear(t, tt.method)
			if a.status != tt.status {
				t.Errorf("status %d, want %d", a.status, tt.status)
			}
			if tt.code != "" && tt.method != http.MethodHead && a.problem(t).Code != tt.code {
				t.Errorf("%+v, want %s", a.problem(t), tt.code)
			}
		})
	}
}

// Requests on one connection are answered one by one in their order, also after
// a refusal.
func TestPipelined(t *testing.T) {
	r := start(t)
	c := r.dial(t)
	c.say(t, "GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n"+
		"GET /v2 HTTP/1.1\r\nHost: localhost\r\n\r\n"+
		"POST /v1/streams/notes/entries HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/cbor\r\nContent-Length: 6\r\n\r\n\xa2\x00\x01\x01\x81\x40"+
		"GET /v1/streams/notes/entries HTTP/1.1\r\nHost: localhost\r\n\r\n")
	for i, want := range []int{200, 404, 200, 200} {
		if a := c.hear(t, http.MethodGet); a.status != want {
			t.Errorf("answer %d: status %d, want %d", i, a.status, want)
		}
	}
}

// A page of an allowed origin may ask and read the answer.
func TestAllowedOrigin(t *testing.T) {
	r := start(t)
	a := r.do(t, http.MethodGet, "/health", http.Header{"Origin": {"https://notes.example"}, "Sec-Fetch-Site": {"cross-site"}}, nil)
	if a.status != http.StatusOK || a.header.Get("Access-Control-Allow-Origin") != "https://notes.example" || a.header.Get("Vary") != "Origin" {
		t.Errorf("status %d, headers %v", a.status, a.header)
	}
}

// The limits are those of the contract, and there are no others.
func TestLimits(t *testing.T) {
	r := start(t)
	got := decode[limits](t, r.do(t, http.MethodGet, "/v1/limits?x=1", nil, nil).body)
	want := limits{
		Write: true, Body: 16 << 20, Entry: got.Entry, PageEntries: 1000, PageEntriesMax: 10_000,
		PageBytes: 8 << 20, WaitMax: 60, Watches: 64,
	}
	if got != want {
		t.Errorf("limits %+v", got)
	}
	// A batch of one entry of that size, with an identity, fits.
	w := r.writeEntries(t, "notes", "a")
	body := encode(t, batch{Epoch: 1<<32 - 1, Entries: [][]byte{data(int(got.Entry))}, Stream: w.Stream})
	if len(body) > 16<<20 {
		t.Errorf("its batch has %d bytes", len(body))
	}
}
