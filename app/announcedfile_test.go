package main

import (
	"os"
	"path/filepath"
	"testing"
)

// The name that the network knows is remembered; a file that says nothing is
// like none, and only a damaged one is worth a word.
func TestAnnouncedFile(t *testing.T) {
	folder := t.TempDir()
	if a, err := readAnnounced(folder); a != (announcedFile{}) || err != nil {
		t.Errorf("without a file: %+v, %v", a, err)
	}
	want := announcedFile{Instance: "Küche (2)"}
	if err := want.write(folder); err != nil {
		t.Fatal(err)
	}
	if a, err := readAnnounced(folder); a != want || err != nil {
		t.Errorf("read again: %+v, %v", a, err)
	}
	if err := os.WriteFile(filepath.Join(folder, announcedName), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if a, err := readAnnounced(folder); a != (announcedFile{}) || err == nil {
		t.Errorf("damaged: %+v, %v", a, err)
	}
	n := newNetwork("0123456789abcdef", folder, discard())
	defer n.close()
	if got := n.known("Küche"); got != "Küche" {
		t.Errorf("not announced, it is known as %q", got)
	}
}
