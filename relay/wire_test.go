package relay_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
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

// entriesOf reads a whole stream in pages and checks its chain from genesis, as
// the contract gives it. A stream that does not exist has none.
func entriesOf(t *testing.T, c *http.Client, base, stream string) (list []entryMessage) {
	t.Helper()
	var link []byte
	cursor := ""
	for {
		var page pageMessage
		url := base + "/v1/streams/" + stream + "/entries?limit=777"
		if cursor != "" {
			url += "&after=" + cursor
		}
		status, err := ask(c, http.MethodGet, url, nil, &page)
		if status == http.StatusNotFound && cursor == "" {
			return nil
		}
		if err != nil || status != http.StatusOK {
			t.Fatalf("reading %s: status %d, %v", url, status, err)
		}
		if link == nil {
			genesis := sha256.Sum256(append([]byte("efema/chain/v1/genesis"), page.Stream...))
			link = genesis[:]
		}
		for _, e := range page.Entries {
			if want := uint64(len(list)) + 1; e.Seq != want {
				t.Fatalf("%s has position %d where %d belongs", stream, e.Seq, want)
			}
			head := binary.BigEndian.AppendUint64(bytes.Clone(link), e.Seq)
			head = binary.BigEndian.AppendUint32(head, e.Epoch)
			head = binary.BigEndian.AppendUint64(head, uint64(len(e.Data)))
			next := sha256.Sum256(append(head, e.Data...))
			if link = next[:]; !bytes.Equal(link, e.Hash) {
				t.Fatalf("%s has another link at %d than its chain", stream, e.Seq)
			}
			list = append(list, e)
		}
		cursor = fmt.Sprintf("%d.%s.%s", len(list), hex.EncodeToString(page.Stream), hex.EncodeToString(link))
		if uint64(len(list)) == page.Head {
			return list
		}
		if len(page.Entries) == 0 {
			t.Fatalf("%s ends at %d of %d", stream, len(list), page.Head)
		}
	}
}
