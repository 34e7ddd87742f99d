package protocol

import (
	"fmt"

	"github.com/fxamacker/cbor/v2"
)

// MediaType is the type of every body of v1 (RFC 8949, section 9.5).
const MediaType = "application/cbor"

// Written is the answer to a batch ("written").
type Written struct {
	Stream   Identity `cbor:"0,keyasint"`
	Epoch    uint32   `cbor:"1,keyasint"`
	First    uint64   `cbor:"2,keyasint"`
	Last     uint64   `cbor:"3,keyasint"`
	Repeated bool     `cbor:"4,keyasint,omitempty"` // the batch was there already
}

// Heads is the answer to a wait ("heads").
type Heads struct {
	Heads []Head `cbor:"0,keyasint"`
}

// Head is a watched stream that differs from what its waiter knows ("head").
type Head struct {
	Stream Name      `cbor:"0,keyasint"`
	ID     *Identity `cbor:"1,keyasint,omitempty"` // nil if no stream has the name
	Head   uint64    `cbor:"2,keyasint"`
}

// Limits says what the relay takes from the one who asks.
type Limits struct {
	Write          bool    `cbor:"0,keyasint"`
	Body           uint64  `cbor:"1,keyasint"` // bytes
	Entry          uint64  `cbor:"2,keyasint"` // bytes
	Quota          *uint64 `cbor:"3,keyasint,omitempty"`
	Used           *uint64 `cbor:"4,keyasint,omitempty"`
	Rate           *uint64 `cbor:"5,keyasint,omitempty"` // requests a minute
	PageEntries    uint64  `cbor:"6,keyasint"`
	PageEntriesMax uint64  `cbor:"7,keyasint"`
	PageBytes      uint64  `cbor:"8,keyasint"`
	WaitMax        uint64  `cbor:"9,keyasint"` // seconds
	Watches        uint64  `cbor:"10,keyasint"`
}

// Problem is the body of a refusal ("problem"). Programs act on its code; the
// message is for people.
type Problem struct {
	Code    Code    `cbor:"0,keyasint"`
	Message string  `cbor:"1,keyasint"`
	Head    *uint64 `cbor:"2,keyasint,omitempty"` // with cursor_ahead and out_of_place
	Epoch   *uint32 `cbor:"3,keyasint,omitempty"` // with epoch_behind
	Limit   *uint64 `cbor:"4,keyasint,omitempty"` // with too_large and quota_exceeded, in bytes
	Retry   *uint64 `cbor:"5,keyasint,omitempty"` // with rate_limited and busy, in seconds
}

// encoding writes definite lengths, shortest heads and the fields in the order
// of the structs, which is that of their keys. What is empty is an empty array,
// for the contract knows no null.
var encoding = func() cbor.EncMode {
	mode, err := cbor.EncOptions{NilContainers: cbor.NilContainerAsEmpty}.EncMode()
	if err != nil {
		panic(fmt.Sprintf("protocol: the options of the encoding: %v", err)) // they are constant
	}
	return mode
}()

// Encode returns the encoding of a message other than a batch or a page.
func Encode[M Written | Heads | Limits | Problem](message M) []byte {
	b, err := encoding.Marshal(message)
	if err != nil {
		panic(fmt.Sprintf("protocol: encoding %T: %v", message, err)) // these types always encode
	}
	return b
}

// The keys of a page.
const (
	pageStream  = 0
	pageEpoch   = 1
	pageHead    = 2
	pageEntries = 3
)

// AppendPage appends the start of a page to dst ("page"): all of it but the
// entries, of which count have to follow, each as Entry.Append gives it.
func AppendPage(dst []byte, stream Identity, epoch uint32, head uint64, count int) []byte {
	dst = appendHead(dst, majorMap, 4)
	dst = append(appendHead(append(dst, pageStream), majorBytes, uint64(len(stream))), stream[:]...)
	dst = appendHead(append(dst, pageEpoch), majorUint, uint64(epoch))
	dst = appendHead(append(dst, pageHead), majorUint, head)
	return appendHead(append(dst, pageEntries), majorArray, uint64(count))
}
