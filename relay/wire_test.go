package relay_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/fxamacker/cbor/v2"
)

// The messages as another implementation would declare them: nothing here comes
// from the relay's own packages.
type (
	batchMessage struct {
		Epoch   uint32   `cbor:"0,keyasint"`
		Entries [][]byte `cbor:"1,keyasint"`
		Stream  []byte   `cbor:"2,keyasint,omitempty"`
	}
	writtenMessage struct {
		Stream []byte `cbor:"0,keyasint"`
		Epoch  uint32 `cbor:"1,keyasint"`
		First  uint64 `cbor:"2,keyasint"`
		Last   uint64 `cbor:"3,keyasint"`
	}
	entryMessage struct {
		Seq       uint64 `cbor:"0,keyasint"`
		Epoch     uint32 `cbor:"1,keyasint"`
		Hash      []byte `cbor:"2,keyasint"`
		Data      []byte `cbor:"3,keyasint"`
		EndsBatch bool   `cbor:"4,keyasint,omitempty"`
	}
	pageMessage struct {
		Stream  []byte         `cbor:"0,keyasint"`
		Epoch   uint32         `cbor:"1,keyasint"`
		Head    uint64         `cbor:"2,keyasint"`
		Entries []entryMessage `cbor:"3,keyasint"`
	}
	headsMessage struct {
		Heads []struct {
			Stream string `cbor:"0,keyasint"`
			ID     []byte `cbor:"1,keyasint"`
			Head   uint64 `cbor:"2,keyasint"`
		} `cbor:"0,keyasint"`
	}
)

// ask sends a request and decodes what comes back, if that is a success.
func ask(c *http.Client, method, url string, body []byte, answer any) (status int, err error) {
	request, err := http.NewRequest(method, url, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	request.Header.Set("Content-Type", "application/cbor")
	response, err := c.Do(request)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		return response.StatusCode, err
	}
	return response.StatusCode, cbor.Unmarshal(text, answer)
}

// allNotes reads the whole stream "notes".
func allNotes(t *testing.T, c *http.Client, base string) []entryMessage {
	t.Helper()
	return (&follower{stream: "notes"}).rest(t, c, base)
}

// follower is a client that stands somewhere in a stream.
type follower struct {
	stream   string
	identity []byte // nil until the first page
	seq      uint64
	link     []byte
}

// rest reads what follows in pages, up to the head, and checks the chain, from
// genesis if it begins there, as the contract gives it. A stream that does not
// exist has no entries.
func (f *follower) rest(t *testing.T, c *http.Client, base string) (list []entryMessage) {
	t.Helper()
	for {
		var page pageMessage
		url := base + "/v1/streams/" + f.stream + "/entries?limit=777"
		if f.identity != nil {
			url += fmt.Sprintf("&after=%d.%x.%x", f.seq, f.identity, f.link)
		}
		status, err := ask(c, http.MethodGet, url, nil, &page)
		if status == http.StatusNotFound && f.identity == nil {
			return nil
		}
		if err != nil || status != http.StatusOK {
			t.Fatalf("reading %s: status %d, %v", url, status, err)
		}
		if f.identity == nil {
			genesis := sha256.Sum256(append([]byte("efema/chain/v1/genesis"), page.Stream...))
			f.identity, f.link = page.Stream, genesis[:]
		}
		for _, e := range page.Entries {
			f.seq++
			if e.Seq != f.seq {
				t.Fatalf("%s has position %d where %d belongs", f.stream, e.Seq, f.seq)
			}
			head := binary.BigEndian.AppendUint64(bytes.Clone(f.link), e.Seq)
			head = binary.BigEndian.AppendUint32(head, e.Epoch)
			head = binary.BigEndian.AppendUint64(head, uint64(len(e.Data)))
			next := sha256.Sum256(append(head, e.Data...))
			if f.link = next[:]; !bytes.Equal(f.link, e.Hash) {
				t.Fatalf("%s has another link at %d than its chain", f.stream, e.Seq)
			}
			list = append(list, e)
		}
		if f.seq == page.Head {
			return list
		}
		if len(page.Entries) == 0 {
			t.Fatalf("%s ends at %d of %d", f.stream, f.seq, page.Head)
		}
	}
}
