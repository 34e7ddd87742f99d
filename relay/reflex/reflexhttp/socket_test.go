package reflexhttp_test

import (
	"encoding/binary"
	"fmt"
	"net"
	"strings"
	"testing"
)

// hello is what a client says first.
const hello = `{"type":"hello","protocol":"reflexr.v1"}`

// Commands over a socket are those of everywhere: run once, refused with a reason,
// answered in order; what is no command gets an error, and the connection stays.
func TestSocketCommands(t *testing.T) {
	h := start(t)
	c := h.follow(t, liveOf("build"), `"types":[]`)
	c.complete(t)
	publish := func(id, event string) string {
		return `{"type":"command","command_id":"` + id + `","command":{"type":"publish","event":` + event + `}}`
	}
	for name, tt := range map[string]struct {
		frame   string
		id      string // of the result; empty if an error is wanted
		refused string // its reason, if it is a refusal
	}{
		"a command":             {publish("a1", `{"type":"a"}`), "a1", ""},
		"an owned type":         {publish("a2", `{"type":"tick"}`), "a2", "forbidden"},
		"a malformed event":     {publish("a3", `{"kind":"a"}`), "a3", "validation_failed"},
		"an unknown command":    {`{"command_id":"a4","command":{"type":"retry"}}`, "a4", "validation_failed"},
		"an unknown member":     {`{"command_id":"a5","command":{"type":"publish","event":{"type":"a"}},"x":1}`, "a5", "validation_failed"},
		"no sound JSON, behind": {`{"command_id":"a6","command":{"type":"publish","event":{"type":"a","type":"b"}}}`, "a6", "validation_failed"},
		"a second hello":        {hello, "", ""},
		"a ping":                {`{"type":"ping"}`, "", ""},
		"no JSON":               {`hello?`, "", ""},
		"a list":                {`[]`, "", ""},
		"nothing":               {``, "", ""},
		"no UTF-8":              {"{\"type\":\"\xff\"}", "", ""},
		"an id that is none":    {`{"command_id":7,"command":{"type":"publish","event":{"type":"a"}}}`, "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			c.say(t, tt.frame)
			if tt.id == "" {
				if e := hear[errorFrame](t, c); e.Type != "error" || e.Message == "" || e.CommandID != "" {
					t.Errorf("answered with %+v", e)
				}
				return
			}
			r := hear[result](t, c)
			if r.CommandID == nil || *r.CommandID != tt.id || r.OK != (tt.refused == "") {
				t.Fatalf("answered with %+v", r)
			}
			if !r.OK && r.Rejection.Type != tt.refused {
				t.Errorf("refused with %+v, want %s", r.Rejection, tt.refused)
			}
		})
	}
	if err := c.Write(t.Context(), 2, []byte{0xff, 0}); err != nil {
		t.Fatal(err)
	}
	if e := hear[errorFrame](t, c); e.Type != "error" || !strings.Contains(e.Message, "binary") {
		t.Errorf("answered with %+v", e)
	}
	// Results come in the order of the commands, and once for each, also from REST.
	for i := range 100 {
		c.say(t, publish(fmt.Sprint("n", i), count(i)))
	}
	for i := range 100 {
		r := hear[result](t, c)
		again, _ := h.command(t, "build", publish(fmt.Sprint("n", i), `{"type":"other"}`))
		if *r.CommandID != fmt.Sprint("n", i) || !r.OK || *r.Outcome != *again.Outcome {
			t.Errorf("answered with %+v, then with %+v", r.Outcome, again.Outcome)
		}
	}
}

// A client that says much at once, in many pieces, or right behind its request is
// heard; its pings are answered.
func TestPieces(t *testing.T) {
	h := start(t)
	c := h.dialRaw(t, liveOf("build"), masked(fin|textMessage, hello)...)
	c.hear(t, "welcome")
	c.hear(t, "replay_complete")
	c.send(t, fin|pingCode, "are you there?")
	if first, payload, err := c.frame(); err != nil || first != fin|pongCode || string(payload) != "are you there?" {
		t.Fatalf("a ping gets %x %q, %v", first, payload, err)
	}
	command := `{"command_id":"1","command":{"type":"publish","event":{"type":"a","text":"` + strings.Repeat("x", 200_000) + `"}}}`
	c.send(t, textMessage, command[:7])
	c.send(t, fin|pingCode, "")
	c.send(t, noMessage, command[7:100_000])
	c.send(t, noMessage, "")
	c.send(t, fin|noMessage, command[100_000:])
	if first, _, err := c.frame(); err != nil || first != fin|pongCode {
		t.Fatalf("a ping between gets %x, %v", first, err)
	}
	got := map[string]bool{}
	for range 2 { // in either order
		_, payload, err := c.frame()
		if err != nil {
			t.Fatal(err)
		}
		got[typeOf(t, payload)] = true
	}
	if !got["event"] || !got["command_result"] {
		t.Errorf("got %v", got)
	}
	c.send(t, fin|closeCode, "\x03\xe8bye")
	if code, _ := c.closed(t); code != 1000 {
		t.Errorf("a close gets %d", code)
	}
	c.ends(t)
}

// What is no WebSocket any more, or too large, is closed with a code that says so;
// so is a connection that only the client's half of is closed.
func TestBrokenFrames(t *testing.T) {
	h := start(t)
	for name, tt := range map[string]struct {
		sent []byte
		half bool // the client closes its half behind that
		code int
	}{
		"unmasked":              {[]byte{fin | textMessage, 2, '{', '}'}, false, 1002},
		"a reserved bit":        {masked(fin|0x40|textMessage, "{}"), false, 1002},
		"a reserved kind":       {masked(fin|0x3, "{}"), false, 1002},
		"a long ping":           {masked(fin|pingCode, strings.Repeat("x", 126)), false, 1002},
		"a ping in pieces":      {masked(pingCode, "x"), false, 1002},
		"an end of nothing":     {masked(fin|noMessage, "x"), false, 1002},
		"one inside another":    {append(masked(textMessage, "{"), masked(fin|textMessage, "}")...), false, 1002},
		"a negative length":     {append([]byte{fin | textMessage, 0x80 | 127}, "\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x00"...), false, 1002},
		"a bad close":           {masked(fin|closeCode, "\x03"), false, 1002},
		"a close with bad code": {masked(fin|closeCode, "\x03\xed"), false, 1002},
		"too large":             {append(binary.BigEndian.AppendUint64([]byte{fin | textMessage, 0x80 | 127}, 16<<20+1), make([]byte, 4+16<<20+1)...), false, 1009},
		"half closed":           {nil, true, 1002},
		"half a frame":          {masked(fin|textMessage, "{}")[:3], true, 1002},
		"half a message":        {masked(textMessage, "{}"), true, 1002},
	} {
		t.Run(name, func(t *testing.T) {
			for stage, begin := range map[string]string{"first": "", "live": hello} {
				c := h.dialRaw(t, liveOf("build"))
				if begin != "" {
					c.send(t, fin|textMessage, begin)
					c.hear(t, "welcome")
				}
				if _, err := c.Write(tt.sent); err != nil && tt.code != 1009 {
					t.Fatal(err)
				}
				if tt.half {
					if err := c.Conn.(*net.TCPConn).CloseWrite(); err != nil {
						t.Fatal(err)
					}
				}
				want := tt.code
				if begin == "" && want == 1009 {
					want = 4400 // a hello is never that large
				}
				if code, _ := c.closed(t); code != want {
					t.Errorf("%s: closed with %d, want %d", stage, code, want)
				}
				_ = c.Close()
			}
		})
	}
}

// When the relay stops, everybody is told to come back later: who follows, who
// has not said hello, who stands still.
func TestSocketsStop(t *testing.T) {
	h := start(t)
	h.publishMany(t, "build", 10)
	follows := h.follow(t, liveOf("build"), "")
	silent := h.dialLive(t, liveOf("build"), nil)
	still := h.dialRaw(t, liveOf("big"))
	still.send(t, fin|textMessage, hello)
	still.hear(t, "welcome")
	h.stop()
	for name, c := range map[string]*live{"live": follows, "silent": silent} {
		if how := c.closed(t); how.Code != 1001 {
			t.Errorf("%s: closed with %d %q", name, how.Code, how.Reason)
		}
	}
	if code, _ := still.closed(t); code != 1001 {
		t.Errorf("closed with %d", code)
	}
}
