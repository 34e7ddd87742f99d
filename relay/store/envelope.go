package store

import (
	"bytes"
	"fmt"
	"strconv"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// Envelope is an event as it is stored and served (reflexr.v1, "Server frames"):
// a JSON object of one form only, without blanks, whose members come in this
// order. What the publisher said is in it byte for byte.
type Envelope struct {
	Seq           uint64
	ID            string
	TS            time.Time // in UTC, to the microsecond
	StreamID      []byte    // a JSON string
	Actor         []byte    // a JSON object
	Causation     []byte    // a JSON object, or null
	CorrelationID []byte    // a JSON string
	Event         []byte    // a JSON object, whose first member is its type
	Type          []byte    // that: a JSON string

	rawID []byte // the id as it is spelled, a JSON string
}

// The parts between what varies in an envelope.
const (
	envelopeSeq         = `{"seq":`
	envelopeID          = `,"id":`
	envelopeTS          = `,"ts":"`
	envelopeOrigin      = `",`
	envelopeStream      = `"stream_id":`
	envelopeActor       = `,"actor":`
	envelopeCausation   = `,"causation":`
	envelopeCorrelation = `,"correlation_id":`
	envelopeEvent       = `,"event":`
	envelopeType        = `{"type":`
)

// The two spellings of a time: the fraction is omitted where it is zero.
const (
	wholeSeconds = "2006-01-02T15:04:05Z"
	microseconds = "2006-01-02T15:04:05.000000Z"
)

// AppendTime appends a time as envelopes spell it: RFC 3339 in UTC, to the
// microsecond.
func AppendTime(dst []byte, ts time.Time) []byte {
	ts = ts.UTC().Truncate(time.Microsecond)
	if ts.Nanosecond() == 0 {
		return ts.AppendFormat(dst, wholeSeconds)
	}
	return ts.AppendFormat(dst, microseconds)
}

// AppendID appends the id of an event as a JSON string.
func AppendID(dst []byte, id string) []byte {
	dst, _ = jsontext.AppendQuote(dst, id) // the error only says that what is no UTF-8 was replaced
	return dst
}

// AppendEnvelope appends the envelope of an event. The id and the id of the chain
// are JSON strings, ts is as AppendTime spells it, origin has the members
// stream_id, actor and causation without braces, and event is as in [Event].
func AppendEnvelope(dst []byte, seq uint64, id, ts, origin, chain, event []byte) []byte {
	dst = strconv.AppendUint(append(dst, envelopeSeq...), seq, 10)
	dst = append(append(dst, envelopeID...), id...)
	dst = append(append(dst, envelopeTS...), ts...)
	dst = append(append(dst, envelopeOrigin...), origin...)
	dst = append(append(dst, envelopeCorrelation...), chain...)
	dst = append(append(dst, envelopeEvent...), event...)
	return append(dst, '}')
}

// ReadEnvelope reads an envelope, whose memory the result shares. It checks the
// envelope's form and where the parts end, but what is in them only as far as
// that takes. The error says what is no envelope.
func ReadEnvelope(data []byte) (e Envelope, err error) {
	s := envelopeScanner{rest: data}
	s.skip(envelopeSeq)
	e.Seq = s.number()
	s.skip(envelopeID)
	e.rawID = s.value('"')
	s.skip(envelopeTS)
	e.TS = s.time()
	s.skip(envelopeOrigin)
	s.skip(envelopeStream)
	e.StreamID = s.value('"')
	s.skip(envelopeActor)
	e.Actor = s.value('{')
	s.skip(envelopeCausation)
	if e.Causation = []byte("null"); !s.has("null") {
		e.Causation = s.value('{')
	}
	s.skip(envelopeCorrelation)
	e.CorrelationID = s.value('"')
	s.skip(envelopeEvent)
	if event := s.rest; !s.failed && len(event) > 0 {
		e.Event = event[:len(event)-1]
	}
	s.skip(envelopeType)
	e.Type = s.value('"')
	if s.failed || !bytes.HasSuffix(s.rest, []byte("}}")) {
		return Envelope{}, fmt.Errorf("no envelope of an event: %.80q", data)
	}
	if e.ID, err = Text(e.rawID); err != nil {
		return Envelope{}, fmt.Errorf("an envelope with the id %.80q: %w", e.rawID, err)
	}
	return e, nil
}

// CheckEnvelope reads an envelope that comes from elsewhere, and checks all that
// is in it: that it is strict JSON without blanks (RFC 7493), an event's and of
// proper ids.
func CheckEnvelope(data []byte) (Envelope, error) {
	e, err := ReadEnvelope(data)
	if err != nil {
		return e, err
	}
	chain, err := Text(e.CorrelationID)
	switch {
	case err != nil || !ValidID(chain) || !ValidID(e.ID):
		return e, fmt.Errorf("an envelope with the id %.80q and the chain %.80s", e.ID, e.CorrelationID)
	case !jsontext.Value(data).IsValid() || !jsontext.Value(e.Event).IsValid() || blank(data):
		return e, fmt.Errorf("the envelope with the id %.80q is no JSON, or not as Hearth writes it", e.ID)
	}
	return e, nil
}

// blank says whether there are blanks in valid JSON, outside of its strings.
func blank(data []byte) bool {
	for at := 0; at < len(data); at++ {
		switch data[at] {
		case '"':
			at += stringSize(data[at:]) - 1
		case ' ', '\t', '\r', '\n':
			return true
		}
	}
	return false
}

// Text returns what a JSON string says.
func Text(value []byte) (string, error) {
	if n := len(value); n >= 2 && value[0] == '"' && value[n-1] == '"' && bytes.IndexByte(value, '\\') < 0 {
		return string(value[1 : n-1]), nil // spares looking at it twice
	}
	text, err := jsontext.AppendUnquote(nil, value)
	return string(text), err
}

// envelopeScanner takes an envelope apart. After it has failed it takes nothing.
type envelopeScanner struct {
	rest   []byte
	failed bool
}

// has takes a text if it is next.
func (s *envelopeScanner) has(text string) bool {
	if s.failed || len(s.rest) < len(text) || string(s.rest[:len(text)]) != text {
		return false
	}
	s.rest = s.rest[len(text):]
	return true
}

// skip takes a text that has to be next.
func (s *envelopeScanner) skip(text string) {
	if !s.has(text) {
		s.failed = true
	}
}

// take takes so many bytes, or fails if there are none.
func (s *envelopeScanner) take(size int) []byte {
	if s.failed || size <= 0 || size > len(s.rest) {
		s.failed = true
		return nil
	}
	taken := s.rest[:size:size]
	s.rest = s.rest[size:]
	return taken
}

// number takes a position.
func (s *envelopeScanner) number() uint64 {
	size := 0
	for size < len(s.rest) && '0' <= s.rest[size] && s.rest[size] <= '9' {
		size++
	}
	digits := s.take(size)
	n, err := strconv.ParseUint(string(digits), 10, 64)
	if err != nil || digits[0] == '0' {
		s.failed = true
	}
	return n
}

// time takes a time in one of its two spellings.
func (s *envelopeScanner) time() time.Time {
	text := s.take(bytes.IndexByte(s.rest, '"'))
	if len(text) != len(wholeSeconds) && len(text) != len(microseconds) {
		s.failed = true
		return time.Time{}
	}
	micro := 0
	if len(text) == len(microseconds) {
		micro = digits(text[20:26])
	}
	ts := time.Date(digits(text[0:4]), time.Month(digits(text[5:7])), digits(text[8:10]),
		digits(text[11:13]), digits(text[14:16]), digits(text[17:19]), micro*1000, time.UTC)
	// What is no time comes out as another text.
	if !bytes.Equal(text, AppendTime(make([]byte, 0, len(microseconds)), ts)) {
		s.failed = true
	}
	return ts
}

// digits returns the number that a few decimal digits spell, and anything for what
// are none.
func digits(text []byte) (n int) {
	for _, d := range text {
		n = 10*n + int(d-'0')
	}
	return n
}

// value takes a JSON string or object that begins so.
func (s *envelopeScanner) value(begins byte) []byte {
	if s.failed || len(s.rest) == 0 || s.rest[0] != begins {
		s.failed = true
		return nil
	}
	if begins == '"' {
		return s.take(stringSize(s.rest))
	}
	depth := 0
	for at := 0; at < len(s.rest); at++ {
		switch s.rest[at] {
		case '"':
			size := stringSize(s.rest[at:])
			if size == 0 {
				return s.take(0)
			}
			at += size - 1
		case '{':
			depth++
		case '}':
			if depth--; depth == 0 {
				return s.take(at + 1)
			}
		}
	}
	return s.take(0)
}

// stringSize returns the length of the JSON string that b starts with, and 0 if
// that does not end.
func stringSize(b []byte) int {
	for at := 1; ; {
		next := bytes.IndexByte(b[at:], '"')
		if next < 0 {
			return 0
		}
		end := at + next
		escapes := 0
		for end-escapes > at && b[end-escapes-1] == '\\' {
			escapes++
		}
		if escapes%2 == 0 {
			return end + 1
		}
		at = end + 1
	}
}
