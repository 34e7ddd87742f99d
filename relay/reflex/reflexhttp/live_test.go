package reflexhttp_test

import (
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"hearth/relay"
)

// A client is welcomed, gets what there was, is told that it has it, and then gets
// what comes, in order, each once.
func TestFollow(t *testing.T) {
	h := start(t)
	h.publishMany(t, "build", 5)
	c := h.follow(t, liveOf("build"), `"resume_after_seq":2`)
	if c.Subprotocol() != "reflexr.v1" {
		t.Errorf("subprotocol %q", c.Subprotocol())
	}
	if c.welcome.HeadSeq != 5 || c.welcome.StreamID != "build" || c.welcome.Cursor == "" {
		t.Errorf("welcomed with %+v", c.welcome)
	}
	for _, e := range c.events(t, 2, 3) {
		if e.Cursor != "" {
			t.Errorf("a replayed event with a cursor: %+v", e)
		}
	}
	if got := c.complete(t); got.UpToSeq != 5 || got.Cursor != c.welcome.Cursor {
		t.Errorf("complete with %+v after %+v", got, c.welcome)
	}
	for i := range 3 {
		h.publish(t, "build", count(i))
	}
	pages, header := h.page(t, "build", "?after_seq=5")
	for i, e := range c.events(t, 5, 3) {
		if string(e.Event) != count(i) || e.ID != pages[i].ID {
			t.Errorf("event %+v, in the page %+v", e, pages[i])
		}
		if i == 2 && e.Cursor != header.Get("Hearth-Cursor") {
			t.Errorf("the cursor %s, that of the page %s", e.Cursor, header.Get("Hearth-Cursor"))
		}
	}
}

// The end of the replay is told also to those who want none of its events, and
// then only those come that are wanted.
func TestFilter(t *testing.T) {
	h := start(t)
	h.publishMany(t, "build", 50)
	for name, tt := range map[string]struct {
		types string
		want  []string
	}{
		"all":     {`null`, []string{`{"type":"done"}`, count(1), `{"type":"<ü>"}`}},
		"none":    {`[]`, nil},
		"some":    {`["done","never"]`, []string{`{"type":"done"}`}},
		"escaped": {`["\u003cü>","done"]`, []string{`{"type":"done"}`, `{"type":"<ü>"}`}},
	} {
		t.Run(name, func(t *testing.T) {
			stream := "filter-" + name
			h.publishMany(t, stream, 50)
			c := h.follow(t, liveOf(stream), `"resume_after_seq":50,"types":`+tt.types)
			if got := c.complete(t); got.UpToSeq != 50 {
				t.Errorf("complete with %+v", got)
			}
			h.publish(t, stream, `{"events":[{"event":{"type":"done"}},{"event":`+count(1)+`},{"event":{"type":"<ü>"}}]}`)
			for _, want := range tt.want {
				if e := hear[eventFrame](t, c); string(e.Event) != want {
					t.Errorf("the event %s, want %s", e.Event, want)
				}
			}
			// The filter never applies to results.
			c.say(t, `{"command_id":"last","command":{"type":"publish","event":{"type":"unheard"}}}`)
			for frame := c.next(t); ; frame = c.next(t) {
				if typeOf(t, frame) == "command_result" {
					break
				}
				if tt.types != "null" {
					t.Errorf("an event that nobody wanted: %s", frame)
				}
			}
		})
	}
}

// Entries that were written through v1 are followed as events, with or without
// their bytes, and nobody publishes among them.
func TestFollowEntries(t *testing.T) {
	h := start(t)
	h.append(t, "notes", []byte("first"))
	with, without := h.follow(t, liveOf("notes"), ""), h.follow(t, liveOf("notes")+"?data=none", "")
	for i, data := range []string{`,"data":"Zmlyc3Q="}`, `,"data":"c2Vjb25k"}`} {
		want := h.rawPage(t, "notes", fmt.Sprintf("?after_seq=%d", i))
		if e := with.events(t, uint64(i), 1)[0]; !strings.Contains(want, string(e.Event)) || !strings.HasSuffix(string(e.Event), data) {
			t.Errorf("%s, in the page %s", e.Event, want)
		}
		if e := without.events(t, uint64(i), 1)[0]; string(e.Event) != strings.Replace(hearWith(want), data, "}", 1) {
			t.Errorf("%s, in the page %s", e.Event, want)
		}
		if i == 0 {
			with.complete(t)
			without.complete(t)
			h.append(t, "notes", []byte("second"))
		}
	}
	with.say(t, `{"command_id":"1","command":{"type":"publish","event":{"type":"a"}}}`)
	if r := hear[result](t, with); r.Rejection == nil || r.Rejection.Type != "invalid_state" {
		t.Errorf("published among entries: %+v", r)
	}
}

// rawPage returns a page as it is.
func (h *home) rawPage(t testing.TB, stream, query string) string {
	t.Helper()
	return string(h.do(t, http.MethodGet, eventsOf(stream)+query, nil, nil).body)
}

// hearWith returns the event of the only envelope of a page.
func hearWith(page string) string {
	_, event, _ := strings.Cut(page, `"event":`)
	return strings.TrimSuffix(event, "}]")
}

// What is no hello ends the connection with 4400 and the reason, and so does what
// the path says wrong.
func TestBadHello(t *testing.T) {
	h := start(t)
	const good = `{"type":"hello","protocol":"reflexr.v1"}`
	for name, tt := range map[string]struct {
		target string
		first  string
		binary bool
		reason string
	}{
		"no JSON":           {first: "hello", reason: "JSON"},
		"nothing":           {first: "", reason: "empty"},
		"no object":         {first: `["hello"]`, reason: "object"},
		"two":               {first: good + good, reason: "behind"},
		"no UTF-8":          {first: "{\"type\":\"hello\",\"protocol\":\"reflexr.v1\",\"key\":\"\xff\"}", reason: "UTF-8"},
		"binary":            {first: good, binary: true, reason: "text"},
		"a command":         {first: `{"command_id":"1","command":{"type":"publish","event":{"type":"a"}}}`, reason: "member"},
		"no protocol":       {first: `{"type":"hello"}`, reason: "protocol"},
		"another protocol":  {first: `{"protocol":"reflexr.v2"}`, reason: "reflexr.v1"},
		"a negative resume": {first: `{"protocol":"reflexr.v1","resume_after_seq":-1}`, reason: "resume_after_seq"},
		"a broken resume":   {first: `{"protocol":"reflexr.v1","resume_after_seq":1.5}`, reason: "resume_after_seq"},
		"a huge resume":     {first: `{"protocol":"reflexr.v1","resume_after_seq":18446744073709551616}`, reason: "resume_after_seq"},
		"types as text":     {first: `{"protocol":"reflexr.v1","types":"a"}`, reason: "types"},
		"a type too long":   {first: `{"protocol":"reflexr.v1","types":["` + strings.Repeat("a", 129) + `"]}`, reason: "types"},
		"head and resume":   {first: `{"protocol":"reflexr.v1","from_head":true,"resume_after_seq":1}`, reason: "head"},
		"a bad cursor":      {first: `{"protocol":"reflexr.v1","resume_cursor":"1.a.b"}`, reason: "cursor"},
		"an unknown member": {first: `{"protocol":"reflexr.v1","since":1}`, reason: "since"},
		"a member twice":    {first: `{"protocol":"reflexr.v1","protocol":"reflexr.v1"}`, reason: "twice"},
		"too long":          {first: `{"protocol":"reflexr.v1","key":"` + strings.Repeat("a", 1<<20) + `"}`, reason: "longer"},
		"a bad stream":      {target: liveOf("Build"), first: good, reason: "stream name"},
		"a bad query":       {target: liveOf("build") + "?data=all", first: good, reason: "query.data"},
		"an unknown query":  {target: liveOf("build") + "?types=a", first: good, reason: "query.types"},
	} {
		t.Run(name, func(t *testing.T) {
			if tt.target == "" {
				tt.target = liveOf("build")
			}
			c := h.dialLive(t, tt.target, nil)
			kind := websocket.MessageText
			if tt.binary {
				kind = websocket.MessageBinary
			}
			// Where the path is wrong already nobody may be reading any more.
			_ = c.Write(t.Context(), kind, []byte(tt.first))
			if how := c.closed(t); how.Code != 4400 || !strings.Contains(how.Reason, tt.reason) {
				t.Errorf("closed with %d %q, want 4400 and %q", how.Code, how.Reason, tt.reason)
			}
		})
	}
}

// Whoever may not come in is told so over the socket, since pages in browsers see
// nothing else; a key that cannot be set in a header is shown in the hello.
func TestKeys(t *testing.T) {
	h := open(t, t.TempDir(), relay.Options{TrustedProxies: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}})
	afar := http.Header{"X-Forwarded-For": {"198.51.100.7"}}
	bearer := func(key string) http.Header { return http.Header{"Authorization": {"Bearer " + key}} }
	for name, tt := range map[string]struct {
		header http.Header
		hello  string
		code   websocket.StatusCode // 0 if it may come in
	}{
		"nobody in particular":        {nil, ``, 0},
		"the owner, in the header":    {bearer(h.OwnerToken()), ``, 0},
		"the owner, in the hello":     {nil, `"key":"` + h.OwnerToken() + `"`, 0},
		"another key, in the header":  {bearer("efema_1"), ``, 4401},
		"another key, and the right":  {bearer("efema_1"), `"key":"` + h.OwnerToken() + `"`, 4401},
		"another key, in the hello":   {nil, `"key":"efema_1"`, 4401},
		"from afar":                   {afar, ``, 4403},
		"from afar, with a key":       {afar, `"key":"efema_1"`, 4401},
		"from afar, with the owner's": {afar, `"key":"` + h.OwnerToken() + `"`, 4401},
		"no space":                    {http.Header{"Hearth-Space": {"No"}}, ``, 4400},
		"a space":                     {http.Header{"Hearth-Space": {"family"}}, ``, 0},
	} {
		t.Run(name, func(t *testing.T) {
			c := h.dialLive(t, liveOf("build"), tt.header)
			hello := `{"protocol":"reflexr.v1"}`
			if tt.hello != "" {
				hello = `{"protocol":"reflexr.v1",` + tt.hello + `}`
			}
			_ = c.Write(t.Context(), websocket.MessageText, []byte(hello)) // nobody may be reading any more
			if tt.code == 0 {
				hear[welcome](t, c)
				return
			}
			if how := c.closed(t); how.Code != tt.code || how.Reason == "" {
				t.Errorf("closed with %d %q, want %d", how.Code, how.Reason, tt.code)
			}
		})
	}
}

// A page from elsewhere gets no socket, and what does not open one is refused in
// the form of all of REST.
func TestNoSocket(t *testing.T) {
	h := start(t)
	const key = "dGhlIHNhbXBsZSBub25jZQ=="
	shake := func(pairs ...string) http.Header {
		header := http.Header{
			"Connection": {"Upgrade"}, "Upgrade": {"websocket"}, "Sec-Websocket-Version": {"13"}, "Sec-Websocket-Key": {key},
		}
		for i := 0; i < len(pairs); i += 2 {
			header.Del(pairs[i])
			if pairs[i+1] != "" {
				header.Set(pairs[i], pairs[i+1])
			}
		}
		return header
	}
	for name, tt := range map[string]struct {
		method string
		header http.Header
		status int
		kind   string
	}{
		"a page from elsewhere": {http.MethodGet, shake("Origin", "https://elsewhere.example"), 403, "forbidden"},
		"another name":          {http.MethodGet, shake("Host", "elsewhere.example"), 403, "forbidden"},
		"plain":                 {http.MethodGet, nil, 422, "validation_failed"},
		"another upgrade":       {http.MethodGet, shake("Upgrade", "h2c"), 422, "validation_failed"},
		"another version":       {http.MethodGet, shake("Sec-Websocket-Version", "8"), 422, "validation_failed"},
		"no key":                {http.MethodGet, shake("Sec-Websocket-Key", ""), 422, "validation_failed"},
		"a bad key":             {http.MethodGet, shake("Sec-Websocket-Key", "abc"), 422, "validation_failed"},
		"no connection":         {http.MethodGet, shake("Connection", "keep-alive"), 422, "validation_failed"},
		"another method":        {http.MethodPost, shake(), 405, "method_not_allowed"},
	} {
		t.Run(name, func(t *testing.T) {
			a := h.do(t, tt.method, liveOf("build"), tt.header, nil)
			if r := a.rejection(t); a.status != tt.status || r.Type != tt.kind {
				t.Errorf("status %d with %+v, want %d and %s", a.status, r, tt.status, tt.kind)
			}
		})
	}
	// A page of the relay's own is let in, whatever else it offers to speak.
	c := h.dial(t)
	c.say(t, "GET "+liveOf("build")+" HTTP/1.1\r\nHost: "+h.address+"\r\nConnection: keep-alive, Upgrade\r\nUpgrade: WebSocket\r\n"+
		"Origin: http://"+h.address+"\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: "+key+"\r\nSec-WebSocket-Protocol: other\r\n"+
		"Sec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n\r\n")
	resp, err := http.ReadResponse(c.in, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusSwitchingProtocols || resp.Header.Get("Sec-Websocket-Accept") != "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=" ||
		resp.Header.Get("Sec-Websocket-Protocol") != "" || resp.Header.Get("Sec-Websocket-Extensions") != "" {
		t.Errorf("status %d with %v", resp.StatusCode, resp.Header)
	}
	_, _ = io.WriteString(c, "\x88\x80\x00\x00\x00\x00") // a close
}
