package rules

import (
	"bytes"
	"encoding/json"
	"testing"
	"time"
)

// Whatever is read as a rule is written as the same rule, and looks at an event
// without an error of its own; whatever is not is told so with all that is wrong.
func FuzzParse(f *testing.F) {
	for _, v := range readVectors(f).Rules {
		f.Add([]byte(v.Rule))
	}
	for _, text := range mixed {
		f.Add([]byte(text))
	}
	_, text := houseEvent(2)
	f.Fuzz(func(t *testing.T, rule []byte) {
		r, err := Parse(rule)
		if err != nil {
			for _, e := range mistakes(t, err) {
				if e.Msg == "" || e.Type == "" {
					t.Errorf("a mistake without words: %+v", e)
				}
			}
			return
		}
		written, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse(written)
		if err != nil {
			t.Fatalf("%v: %s", err, written)
		}
		if twice, _ := json.Marshal(again); !bytes.Equal(written, twice) || r.Definition() != again.Definition() {
			t.Errorf("written as %s, and then as %s", written, twice)
		}
		e := &Envelope{Seq: 1, TS: 1, Type: "log", Event: readEvent(t, text)}
		if _, err := r.Evaluate(new(r.Begin(0)), new(Recall), e, 8); err != nil {
			t.Error(err)
		}
	})
}

// Whatever is read as a schedule is written as the same one, and its ticks come one
// after the other.
func FuzzParseSchedule(f *testing.F) {
	for _, text := range []string{
		`{"name":"a","every":"PT1H"}`, `{"name":"b","cron":"30 2 * * *","timezone":"America/New_York","catch_up":"all","max_catch_up":7}`,
		`{"name":"c","cron":"0 0 29 2 *","streams":["x"]}`, `{"name":"d","every":0.1}`,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := ParseSchedule(text)
		if err != nil {
			mistakes(t, err)
			return
		}
		written, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParseSchedule(written)
		if err != nil {
			t.Fatalf("%v: %s", err, written)
		}
		if twice, _ := json.Marshal(again); !bytes.Equal(written, twice) {
			t.Errorf("written as %s, and then as %s", written, twice)
		}
		at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
		for range 3 {
			next := s.Next(at)
			if next.IsZero() {
				break
			}
			if !next.After(at) {
				t.Fatalf("after %s comes %s", at, next)
			}
			at = next
		}
	})
}

// Whatever is read as five fields has a time that comes, and matches them.
func FuzzParseCron(f *testing.F) {
	for _, text := range []string{"* * * * *", "30 2 * * *", "*/15 9-17 * * mon-fri", "0 0 L * *", "0 0 LW 2 5#5,1L", "59 23 31 12 7", "0 0 29 2 *"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c, err := ParseCron(text)
		if err != nil {
			return
		}
		at := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
		next := c.Next(at, time.UTC)
		if !next.After(at) || next.Second() != 0 || !c.matches(dateOf(next)) || !c.hours.has(next.Hour()) || !c.minutes.has(next.Minute()) {
			t.Errorf("%q comes at %s", text, next)
		}
	})
}

// What is read as a value is written as one that is read as the same; what is read
// as an event has the same members.
func FuzzDecode(f *testing.F) {
	for _, text := range []string{
		`null`, `[1,1.0,-0,1e3,12345678901234567890]`, `{"a":{"b":["x","\ud83d\ude00"]},"":true}`, `{"a":1,"a":2}`, `1e999`, `"\u0000"`, ` 7 `,
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		kept := bytes.Clone(text)
		v, err := Decode(text)
		if !bytes.Equal(text, kept) {
			t.Fatal("what was read was written to")
		}
		e, eventErr := ReadEvent(text)
		if err != nil {
			return
		}
		again, err := Decode([]byte(Text(v)))
		if err != nil || Text(again) != Text(v) || !equal(v, again) {
			t.Errorf("%s is read as %s, and then as %s, %v", text, Text(v), Text(again), err)
		}
		o, ok := v.(Object)
		if ok != (eventErr == nil) {
			t.Fatalf("%s: as an event %v", text, eventErr)
		}
		for name, member := range o {
			m := e.member(name)
			if m == nil {
				t.Fatalf("%s has no %q", text, name)
			}
			if m.decode(); m.err != nil || !equal(m.value, member) {
				t.Errorf("%s has %q: %s, %v", text, name, Text(m.value), m.err)
			}
		}
	})
}
