package streamhttp

import (
	"net/http"
	"time"

	"hearth/relay/protocol"
)

// limits says what the relay takes. There are no quotas and no rates yet.
func (x *exchange) limits() error {
	_ = x.send(http.StatusOK, protocol.Encode(protocol.Limits{
		Write:          true,
		Body:           protocol.MaxBody,
		Entry:          protocol.MaxEntry,
		PageEntries:    protocol.DefaultPageEntries,
		PageEntriesMax: protocol.MaxPageEntries,
		PageBytes:      protocol.MaxPageData,
		WaitMax:        uint64(protocol.MaxWait / time.Second),
		Watches:        protocol.MaxWatches,
	}))
	return nil
}
