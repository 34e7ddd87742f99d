package archive

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash"
	"io"

	"hearth/relay/store"
)

// Writer writes an archive: files, types and commands, then streams, each followed
// by its runs.
type Writer struct {
	out     *bufio.Writer
	sum     hash.Hash
	records uint64
	buffer  []byte
}

// NewWriter begins an archive.
func NewWriter(out io.Writer, m Manifest) (*Writer, error) {
	w := &Writer{sum: sha256.New()}
	w.out = bufio.NewWriterSize(io.MultiWriter(out, w.sum), 256<<10)
	if _, err := w.out.WriteString(magic); err != nil {
		return nil, err
	}
	if err := w.json(kindManifest, m); err != nil {
		return nil, err
	}
	return w, nil
}

// File writes a file.
func (w *Writer) File(f File) error {
	if len(f.Name) > maxWriter {
		return fmt.Errorf("the file name %.40q is too long", f.Name)
	}
	w.buffer = append(append(append(w.buffer[:0], byte(len(f.Name))), f.Name...), f.Data...)
	return w.record(kindFile, w.buffer)
}

// Type writes what events of a type have to be like.
func (w *Writer) Type(t store.Type) error {
	return w.json(kindType, typeRecord{t.Space, t.Name, string(t.Schema), t.ChangedAt})
}

// Command writes a command that is remembered. They come in their order.
func (w *Writer) Command(c store.Remembered) error {
	w.buffer = appendCommand(w.buffer[:0], c)
	return w.record(kindCommand, w.buffer)
}

// Stream begins a stream as it is to be once all of its runs are written.
func (w *Writer) Stream(s store.Stream) error { return w.json(kindStream, recordOf(s)) }

// Run writes a run of the stream that was begun last.
func (w *Writer) Run(r store.Run) error {
	w.buffer = appendRun(w.buffer[:0], r)
	return w.record(kindRun, w.buffer)
}

// Carried writes what automations had left: of a stream behind its runs, in the order
// in which the store has it; of spaces behind all streams.
func (w *Writer) Carried(c store.Carried) error { return w.json(kindCarried, c) }

// Close ends the archive; without it none is there.
func (w *Writer) Close() error {
	end := binary.BigEndian.AppendUint64(nil, w.records)
	if err := w.head(kindEnd, len(end)+sha256.Size); err != nil {
		return err
	}
	if _, err := w.out.Write(end); err != nil {
		return err
	}
	if err := w.out.Flush(); err != nil { // so that all before is summed up
		return err
	}
	if _, err := w.out.Write(w.sum.Sum(nil)); err != nil {
		return err
	}
	return w.out.Flush()
}

func (w *Writer) json(kind byte, v any) error {
	body, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return w.record(kind, body)
}

func (w *Writer) record(kind byte, body []byte) error {
	if len(body) > maxRecord {
		return fmt.Errorf("a record of %d bytes does not fit into an archive", len(body))
	}
	if err := w.head(kind, len(body)); err != nil {
		return err
	}
	w.records++
	_, err := w.out.Write(body)
	return err
}

func (w *Writer) head(kind byte, size int) error {
	_, err := w.out.Write(binary.BigEndian.AppendUint32([]byte{kind}, uint32(size)))
	return err
}
