package protocol_test

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"testing"

	"hearth/relay/protocol"
)

// vectors are what the published relay and client of the protocol (efema 0.9.0)
// encode, hash, take and refuse. An absent field is an absent option, or false.
type vectors struct {
	Genesis []struct{ Stream, Link octets }
	Long    octets // the data of those links whose data reads "long"
	Link    []struct {
		Previous octets
		Seq      uint64
		Epoch    uint32
		Data     string
		Link     octets
	}
	Cursor []struct {
		Seq          uint64
		Stream, Hash octets
		Text         string
	}
	CursorRefused []string `json:"cursor_refused"`
	Name          []string
	NameRefused   []string `json:"name_refused"`
	Watch         []struct {
		Text, Stream string
		Cursor       *string
	}
	WatchRefused []string      `json:"watch_refused"`
	BatchKey     []batchVector `json:"batch_key"`
	Batch        []batchVector `json:"cbor_batch"`
	Written      []struct {
		Stream      octets
		Epoch       uint32
		First, Last uint64
		Repeated    bool
		CBOR        octets
	} `json:"cbor_written"`
	Page []struct {
		Stream  octets
		Epoch   uint32
		Head    uint64
		Entries []struct {
			Seq        uint64
			Epoch      uint32
			Hash, Data octets
			EndsBatch  bool `json:"ends_batch"`
		}
		CBOR octets
	} `json:"cbor_page"`
	Heads []struct {
		Heads []struct {
			Stream string
			ID     octets
			Head   uint64
		}
		CBOR octets
	} `json:"cbor_heads"`
	Problem []struct {
		Code, Message      string
		Head, Limit, Retry *uint64
		Epoch              *uint32
		CBOR               octets
	} `json:"cbor_problem"`
	Limits []struct {
		Write             bool
		Body, Entry       uint64
		Quota, Used, Rate *uint64
		PageEntries       uint64 `json:"page_entries"`
		PageEntriesMax    uint64 `json:"page_entries_max"`
		PageBytes         uint64 `json:"page_bytes"`
		WaitMax           uint64 `json:"wait_max"`
		Watches           uint64
		CBOR              octets
	} `json:"cbor_limits"`
	Decode []struct {
		Why             string
		CBOR, Reencoded octets
		Decodes         bool
	} `json:"cbor_batch_decode"`
	Stream struct {
		Stream  octets
		Batches []batchVector
		Links   []octets
		Page    octets
	}
}

type batchVector struct {
	Epoch   uint32
	Entries []octets
	Stream  octets
	First   *uint64
	CBOR    octets
	Key     octets
}

// batch returns the batch that the vector describes.
func (v batchVector) batch() protocol.Batch {
	var data [][]byte
	for _, entry := range v.Entries {
		data = append(data, entry)
	}
	b := protocol.Batch{Epoch: v.Epoch, Entries: protocol.NewEntries(data...), First: v.First}
	if v.Stream != nil {
		id := protocol.Identity(v.Stream)
		b.Stream = &id
	}
	return b
}

// octets are spelled in hexadecimal.
type octets []byte

func (o *octets) UnmarshalText(text []byte) (err error) {
	*o, err = hex.AppendDecode([]byte{}, text)
	return err
}

func readVectors(tb testing.TB) *vectors {
	tb.Helper()
	text, err := os.ReadFile("testdata/relay-v1.json")
	if err != nil {
		tb.Fatal(err)
	}
	v := new(vectors)
	if err := json.Unmarshal(text, v); err != nil {
		tb.Fatal(err)
	}
	return v
}
