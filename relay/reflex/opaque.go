package reflex

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"strconv"

	"hearth/relay/protocol"
	"hearth/relay/store"
)

// keyless is who wrote what was written without a key.
const keyless = "local"

// shown is an entry as an envelope. What is large in it is copied no sooner than
// into the message that it is for.
type shown struct {
	seq  uint64
	link protocol.Link
	head []byte // up to data
	data []byte // an opaque entry's, which comes in base64; nil if there is none
	tail string // ends with the envelope's brace
}

// showEvent shows an event, which is stored as its envelope.
func showEvent(e protocol.Entry) shown {
	end := len(e.Data) - 1
	return shown{seq: e.Seq, link: e.Link, head: e.Data[:end], tail: "}"}
}

// opaque shows the opaque entries of a stream: what is known of them, and their
// bytes, unless those are to be left out.
type opaque struct {
	identity    protocol.Identity
	streamID    []byte // a JSON string
	withoutData bool
}

// newOpaque returns how the entries of a stream show.
func newOpaque(stream string, identity protocol.Identity, withoutData bool) *opaque {
	return &opaque{identity: identity, streamID: store.AppendID(nil, stream), withoutData: withoutData}
}

// show shows an entry; see [EntryEvent].
func (o *opaque) show(r store.Record) shown {
	id := fmt.Appendf(make([]byte, 0, 64), `"%s.%d"`, o.identity, r.Seq)
	ts := store.AppendTime(make([]byte, 0, 32), r.WrittenAt)
	writer := r.Writer
	if writer == "" {
		writer = keyless
	}
	origin := append(append(make([]byte, 0, 256), `"stream_id":`...), o.streamID...)
	origin = store.AppendID(append(origin, `,"actor":{"kind":"source","name":`...), writer)
	origin = append(origin, `},"causation":null`...)

	event := strconv.AppendUint(append(make([]byte, 0, 256), `{"type":"entry","epoch":`...), uint64(r.Epoch), 10)
	event = strconv.AppendInt(append(event, `,"size":`...), int64(len(r.Data)), 10)
	event = hex.AppendEncode(append(event, `,"link":"`...), r.Link[:])

	s := shown{seq: r.Seq, link: r.Link, tail: `"}}`}
	if !o.withoutData {
		event = append(event, `","data":"`...)
		s.data = r.Data
	}
	s.head = store.AppendEnvelope(make([]byte, 0, 768), r.Seq, id, ts, origin, id, event)
	s.head = s.head[:len(s.head)-1] // the tail ends it
	return s
}

// size returns how many bytes append appends.
func (s shown) size() int {
	return len(s.head) + base64.StdEncoding.EncodedLen(len(s.data)) + len(s.tail)
}

// append appends the envelope.
func (s shown) append(dst []byte) []byte {
	dst = append(dst, s.head...)
	if len(s.data) > 0 {
		dst = base64.StdEncoding.AppendEncode(dst, s.data)
	}
	return append(dst, s.tail...)
}
