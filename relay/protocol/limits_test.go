package protocol_test

import (
	"math"
	"testing"

	"hearth/relay/protocol"
)

// The largest entry fits a body that names its stream and its place, in any
// epoch; one more byte does not.
func TestMaxEntryFitsABody(t *testing.T) {
	size := func(entry int) int {
		b := protocol.Batch{
			Epoch: math.MaxUint32, Entries: protocol.NewEntries(make([]byte, entry)),
			Stream: new(protocol.Identity), First: new(uint64(math.MaxUint64)),
		}
		return len(b.Append(nil))
	}
	if got := size(protocol.MaxEntry); got > protocol.MaxBody {
		t.Errorf("an entry of MaxEntry makes a body of %d bytes, over %d", got, protocol.MaxBody)
	}
	if got := size(protocol.MaxEntry + 1); got <= protocol.MaxBody {
		t.Errorf("an entry of MaxEntry+1 makes a body of %d bytes, within %d", got, protocol.MaxBody)
	}
}
