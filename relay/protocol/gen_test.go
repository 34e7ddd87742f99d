package protocol_test

import (
	"pgregory.net/rapid"

	"hearth/relay/protocol"
)

// sizes are lengths around which an encoding or a hash changes its way.
var sizes = []int{0, 1, 2, 23, 24, 255, 256, 1023, 1024, 1025, 5000, 65535, 65536}

// data draws the bytes of an entry: mostly few, sometimes around a limit.
var data = rapid.Custom(func(t *rapid.T) []byte {
	b := rapid.SliceOfN(rapid.Byte(), 0, 40).Draw(t, "start")
	if rapid.IntRange(0, 4).Draw(t, "long") == 0 {
		grown := make([]byte, rapid.SampledFrom(sizes).Draw(t, "size"))
		copy(grown, b)
		return grown
	}
	return b
})

// number draws integers of every length of head.
var number = rapid.Custom(func(t *rapid.T) uint64 {
	return rapid.Uint64().Draw(t, "bits") >> rapid.SampledFrom([]int{0, 31, 32, 48, 56, 59}).Draw(t, "shift")
})

var identity = rapid.Custom(func(t *rapid.T) protocol.Identity {
	return protocol.Identity(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, "identity"))
})

var link = rapid.Custom(func(t *rapid.T) protocol.Link {
	return protocol.Link(rapid.SliceOfN(rapid.Byte(), 32, 32).Draw(t, "link"))
})

var entry = rapid.Custom(func(t *rapid.T) protocol.Entry {
	return protocol.Entry{
		Seq:       number.Draw(t, "seq"),
		Epoch:     uint32(number.Draw(t, "epoch")),
		Link:      link.Draw(t, "link"),
		Data:      data.Draw(t, "data"),
		EndsBatch: rapid.Bool().Draw(t, "ends batch"),
	}
})

var cursor = rapid.Custom(func(t *rapid.T) protocol.Cursor {
	return protocol.Cursor{
		Stream: identity.Draw(t, "stream"),
		Seq:    number.Draw(t, "seq"),
		Link:   link.Draw(t, "link"),
	}
})

// spelled draws a text that the grammar of names allows.
var spelled = rapid.StringMatching(`[a-z0-9][a-z0-9_.-]{0,63}`)
