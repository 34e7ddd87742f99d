package archive_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// judged is how many archives are shown to the reader in another language.
const judged = 60

// verdict is what that reader says of an archive.
type verdict struct {
	Streams [][3]any
	Bad     string
}

// A reader that was written after docs/archive-format.md, in another language and
// without a line of Hearth's, takes the same archives for whole, finds the same
// streams in them, and refuses the same ones.
func TestFormatAsDocumented(t *testing.T) {
	python := os.Getenv("HEARTH_PYTHON")
	if python == "" {
		t.Skip("HEARTH_PYTHON does not name a Python; make test does")
	}
	folder := t.TempDir()
	var files []string
	var want []verdict
	add := func(data []byte, v verdict) {
		path := filepath.Join(folder, fmt.Sprint(len(files)))
		if err := os.WriteFile(path, data, 0o600); err != nil {
			t.Fatal(err)
		}
		files, want = append(files, path), append(want, v)
	}
	archives := rapid.Custom(draw)
	for seed := range judged {
		m := archives.Example(seed)
		whole := m.write(t)
		v := verdict{Streams: [][3]any{}}
		for _, s := range m.Streams {
			v.Streams = append(v.Streams, [3]any{s.Name, float64(s.Head), s.Link.String()})
		}
		add(whole, v)
		at := (seed * 7919) % len(whole)
		hurt := bytes.Clone(whole)
		hurt[at] ^= 1
		for _, bad := range [][]byte{hurt, whole[:at], append(bytes.Clone(whole), 0)} {
			if _, err := read(bytes.NewReader(bad)); err == nil {
				t.Fatal("damage was not noticed here")
			}
			add(bad, verdict{Bad: "damaged"})
		}
	}
	out, err := exec.CommandContext(t.Context(), python, append([]string{"testdata/read.py"}, files...)...).Output()
	if err != nil {
		t.Fatal(err)
	}
	lines := json.NewDecoder(bytes.NewReader(out))
	for n := range want {
		var got verdict
		if err := lines.Decode(&got); err != nil {
			t.Fatal(err)
		}
		if got.Bad != "" {
			got.Bad = "damaged" // each reader has its words
		}
		if diff := cmp.Diff(want[n], got); diff != "" {
			t.Errorf("archive %d (-want +got):\n%s", n, diff)
		}
	}
}
