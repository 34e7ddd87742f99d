package archive

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"hearth/relay/protocol"
	"hearth/relay/store"

	"github.com/go-json-experiment/json/jsontext"
)

// typeRecord is a type in JSON.
type typeRecord struct {
	Space     string    `json:"space"`
	Name      string    `json:"name"`
	Schema    string    `json:"schema"`
	ChangedAt time.Time `json:"changed_at"`
}

// typ returns the type of a record that is all that a type can be.
func (r typeRecord) typ() (store.Type, error) {
	t := store.Type{Space: r.Space, Name: r.Name, Schema: []byte(r.Schema), ChangedAt: r.ChangedAt}
	if _, err := protocol.ParseName(r.Space); err != nil {
		return t, fmt.Errorf("%.80q is no name of a space", r.Space)
	}
	switch {
	case r.Name == "", len(r.Name) > store.MaxTypeName, !utf8.ValidString(r.Name), strings.ContainsFunc(r.Name, unicode.IsControl):
		return t, fmt.Errorf("%.80q is no name of a type", r.Name)
	case len(r.Schema) > store.MaxSchema || !jsontext.Value(r.Schema).IsValid():
		return t, fmt.Errorf("the type %q has no proper schema", r.Name)
	case !known(r.ChangedAt):
		return t, fmt.Errorf("the type %q is of a time that no clock shows", r.Name)
	}
	return t, nil
}

// commandHead is the length of what precedes a command's result: its key, and
// milliseconds since 1970.
const commandHead = 16 + 8

func appendCommand(dst []byte, c store.Remembered) []byte {
	dst = binary.BigEndian.AppendUint64(append(dst, c.Key[:]...), uint64(c.At.UnixMilli()))
	return append(dst, c.Result...)
}

// parseCommand reads a command.
func parseCommand(b []byte) (c store.Remembered, ok bool) {
	if len(b) <= commandHead || len(b) > commandHead+store.MaxResult {
		return c, false
	}
	copy(c.Key[:], b)
	c.At = time.UnixMilli(int64(binary.BigEndian.Uint64(b[16:]))).UTC()
	c.Result = bytes.Clone(b[commandHead:])
	result := jsontext.Value(c.Result)
	return c, known(c.At) && result.Kind() == '{' && result.IsValid()
}

func (r *Reader) typed(body []byte) (Record, error) {
	var record typeRecord
	if err := json.Unmarshal(body, &record); err != nil || r.walk != nil || r.earlier {
		return Record{}, r.damaged(err, "a type cannot be read, or is where none belongs")
	}
	t, err := record.typ()
	if err != nil {
		return Record{}, r.damaged(err, "a type is not as it should be")
	}
	seen := r.types[t.Space]
	if seen == nil {
		seen = make(map[string]bool)
		r.types[t.Space] = seen
	}
	if seen[t.Name] || len(seen) == store.MaxTypes {
		return Record{}, r.damaged(nil, "it holds the type %q twice, or too many", t.Name)
	}
	seen[t.Name] = true
	return Record{Type: &t}, nil
}

func (r *Reader) command(body []byte) (Record, error) {
	c, ok := parseCommand(body)
	if !ok || r.walk != nil || r.earlier {
		return Record{}, r.damaged(nil, "a command is not as it should be, or is where none belongs")
	}
	r.commands++
	c.Seq = r.commands
	return Record{Command: &c}, nil
}
