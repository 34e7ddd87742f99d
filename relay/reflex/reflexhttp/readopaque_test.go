package reflexhttp_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/fxamacker/cbor/v2"
	"github.com/google/go-cmp/cmp"
)

// The entries of an opaque stream show as envelopes, whoever wrote them, in pages
// like those of events; their bytes can be left out.
func TestOpaqueEntries(t *testing.T) {
	h := start(t)
	for _, entry := range []string{"one", "", "three\x00\xff"} {
		if status, code := h.append(t, "opaque", []byte(entry)); status != http.StatusOK {
			t.Fatal(status, code)
		}
	}
	list, header := h.page(t, "opaque", "")
	cursor := strings.Split(header.Get("Hearth-Cursor"), ".")
	if len(list) != 3 || len(cursor) != 3 || cursor[0] != "3" {
		t.Fatalf("%+v, %v", list, cursor)
	}
	for i, data := range [][]byte{[]byte("one"), {}, []byte("three\x00\xff")} {
		e := list[i]
		id := fmt.Sprintf("%s.%d", cursor[1], i+1)
		if e.Seq != uint64(i+1) || e.ID != id || e.CorrelationID != id || e.Causation != nil || e.StreamID != "opaque" || e.TS.IsZero() {
			t.Errorf("%+v", e)
		}
		if diff := cmp.Diff(actor{Kind: "source", Name: "local"}, e.Actor); diff != "" {
			t.Error(diff)
		}
		event := decode[opaqueEvent](t, e.Event)
		if i == 2 && event.Link != cursor[2] {
			t.Errorf("the link is %s, not %s", event.Link, cursor[2])
		}
		if event.Type != "entry" || event.Epoch != 1 || event.Size != len(data) || !bytes.Equal(event.Data, data) {
			t.Errorf("%s", e.Event)
		}
	}
	list, _ = h.page(t, "opaque", "?data=none&last=1&type=entry")
	if len(list) != 1 || strings.Contains(string(list[0].Event), "data") || decode[opaqueEvent](t, list[0].Event).Size != 7 {
		t.Errorf("%+v", list)
	}
	if list, _ := h.page(t, "opaque", "?type=a"); len(list) != 0 {
		t.Errorf("%+v", list)
	}
	if pages := h.walk(t, eventsOf("opaque")+"?limit=1", "next"); len(pages) != 3 {
		t.Errorf("%d pages", len(pages))
	}
}

type opaqueEvent struct {
	Type  string `json:"type"`
	Epoch int    `json:"epoch"`
	Size  int    `json:"size"`
	Link  string `json:"link"`
	Data  []byte `json:"data"`
}

// A reader who speaks v1 alone can read a stream of events and prove it: each
// entry is an envelope as it is served here, and the chain covers it.
func TestReadThroughV1(t *testing.T) {
	h := start(t)
	h.publishMany(t, "both", 5)
	h.publish(t, "both", `{"event":{"type":"a"},"id":"e6"}`)
	a := h.do(t, http.MethodGet, eventsOf("both"), nil, nil)
	var envelopes []json.RawMessage
	if err := json.Unmarshal(a.body, &envelopes); err != nil {
		t.Fatal(err)
	}
	resp, err := h.client.Get("http://" + h.address + "/v1/streams/both/entries")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	var page struct {
		Stream  []byte `cbor:"0,keyasint"`
		Epoch   uint32 `cbor:"1,keyasint"`
		Head    uint64 `cbor:"2,keyasint"`
		Entries []struct {
			Seq   uint64 `cbor:"0,keyasint"`
			Epoch uint32 `cbor:"1,keyasint"`
			Hash  []byte `cbor:"2,keyasint"`
			Data  []byte `cbor:"3,keyasint"`
		} `cbor:"3,keyasint"`
	}
	if err := cbor.Unmarshal(body, &page); err != nil {
		t.Fatal(err)
	}
	if len(page.Entries) != len(envelopes) || page.Head != 6 || page.Epoch != 0 {
		t.Fatalf("%d entries, head %d, epoch %d", len(page.Entries), page.Head, page.Epoch)
	}
	link := sha256.Sum256(append([]byte("efema/chain/v1/genesis"), page.Stream...))
	for i, e := range page.Entries {
		if !bytes.Equal(e.Data, envelopes[i]) || e.Epoch != 0 {
			t.Errorf("entry %d in epoch %d is %s, not %s", e.Seq, e.Epoch, e.Data, envelopes[i])
		}
		head := binary.BigEndian.AppendUint64(bytes.Clone(link[:]), e.Seq)
		head = binary.BigEndian.AppendUint32(head, e.Epoch)
		head = binary.BigEndian.AppendUint64(head, uint64(len(e.Data)))
		if link = sha256.Sum256(append(head, e.Data...)); !bytes.Equal(link[:], e.Hash) {
			t.Fatalf("another link at %d than the chain's", e.Seq)
		}
	}
	want := fmt.Sprintf("6.%x.%s", page.Stream, hex.EncodeToString(link[:]))
	if got := a.header.Get("Hearth-Cursor"); got != want {
		t.Errorf("the cursor is %s, not %s", got, want)
	}
}
