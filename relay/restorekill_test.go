//go:build unix

package relay_test

import (
	"errors"
	"fmt"
	"io/fs"
	mathrand "math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"hearth/relay"
	"hearth/relay/backup"
	"hearth/relay/console"
)

// killAfter runs a victim and kills it after a while, unless it has ended by then; it says
// whether it had.
func killAfter(t *testing.T, d time.Duration, what, from, to string) (ended bool) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), victimVariable+"="+what+"\n"+from+"\n"+to)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	killer := time.AfterFunc(d, func() { _ = cmd.Process.Kill() })
	defer killer.Stop()
	return cmd.Wait() == nil
}

// lives is how often a victim dies.
const lives = 10

// fill writes streams that take a backup and a restore some time.
func (h *home) fill(t *testing.T, last string) {
	t.Helper()
	for i := range 8 {
		stream := fmt.Sprintf("s%d", i)
		h.append(t, stream, 1, make([]byte, 100_000), make([]byte, 200_000))
		h.append(t, stream, 1, []byte(last))
	}
}

// What is killed at any moment of a backup leaves the ones before it, each of them
// whole, and the next one is made as if nothing had been.
func TestKilledDuringBackup(t *testing.T) {
	dir, folder := t.TempDir(), t.TempDir()
	h := open(t, dir)
	h.fill(t, "end")
	if _, err := h.Console().BackUp(t.Context(), folder, nil); err != nil {
		t.Fatal(err)
	}
	h.stop(t)
	for range lives {
		killAfter(t, time.Duration(mathrand.Int64N(int64(60*time.Millisecond))), "back up", dir, folder)
		data, err := relay.Look(t.Context(), dir)
		if err != nil {
			t.Fatal(err)
		}
		if err := data.AssumeBackups(backup.Plan{Folder: folder, Keep: 2}); err != nil {
			t.Fatal(err)
		}
		all, err := data.Backups(t.Context())
		if err != nil || len(all.Kept) == 0 || len(all.Kept) > 3 {
			t.Fatalf("%d backups are there, %v", len(all.Kept), err)
		}
		for _, b := range all.Kept {
			prove(t, filepath.Join(folder, b.Name), 8)
		}
		if err := data.Close(); err != nil {
			t.Fatal(err)
		}
	}
	data, err := relay.Look(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	defer data.Close()
	if err := data.AssumeBackups(backup.Plan{Folder: folder, Keep: 2}); err != nil {
		t.Fatal(err)
	}
	if _, err := data.BackUp(t.Context(), "", nil); err != nil {
		t.Fatal(err)
	}
	if list, err := os.ReadDir(folder); err != nil || len(list) != 3 {
		t.Errorf("%v is left, not two backups and the marker, %v", list, err)
	}
}

func prove(t *testing.T, file string, streams int) {
	t.Helper()
	r, err := backup.Open(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if c, err := r.Prove(t.Context(), nil); err != nil || len(c.Streams) != streams {
		t.Fatalf("%d streams, %v", len(c.Streams), err)
	}
}

// What is killed at any moment of a restore leaves the data as it was before, or as it
// is after, whole, and the old data is never lost.
func TestKilledDuringRestore(t *testing.T) {
	source, dir := t.TempDir(), t.TempDir()
	h := open(t, source)
	h.fill(t, "new")
	file := h.backUp(t)
	h.stop(t)
	h = open(t, dir)
	h.fill(t, "old")
	h.append(t, "mine", 1, []byte("mine alone"))
	old := h.backUp(t)
	h.stop(t)

	// Into another folder first, to learn how long it takes here.
	begin := time.Now()
	if !killAfter(t, time.Hour, "restore", file, filepath.Join(t.TempDir(), "new")) {
		t.Fatal("a restore that nobody kills does not come to its end")
	}
	reach := time.Since(begin) * 5 / 4
	var asides, through int
	for range lives {
		if killAfter(t, time.Duration(mathrand.Int64N(int64(reach))), "restore", file, dir) {
			through++
		}
		r, err := relay.Open(t.Context(), dir, relay.Options{}) // finishes it if it was cut off at the end
		if err != nil {
			t.Fatal(err)
		}
		v, err := r.Console().Verify(t.Context(), console.StreamRef{}, nil)
		if err != nil || !v.Sound() {
			t.Fatalf("%+v, %v", v, err)
		}
		_, err = r.Console().Stream(t.Context(), console.StreamRef{Space: "default", Name: "mine"})
		restored := errors.Is(err, console.ErrNotFound)
		if err := r.Shutdown(t.Context()); err != nil {
			t.Fatal(err)
		}
		left, err := filepath.Glob(filepath.Join(dir, "*restore-*"))
		if err != nil {
			t.Fatal(err)
		}
		now := 0
		for _, path := range left {
			if !strings.HasPrefix(filepath.Base(path), "before-restore-") {
				t.Fatalf("%s is left", path)
			}
			if _, err := os.Stat(filepath.Join(path, "hearth.db")); errors.Is(err, fs.ErrNotExist) {
				t.Fatalf("%s does not have the old data", path)
			}
			now++
		}
		switch {
		case restored && v.Streams == 8 && now == asides+1:
			asides = now
			// Back again, for the next life.
			if _, err := (relay.Restore{File: old, Force: true}).Run(t.Context(), dir); err != nil {
				t.Fatal(err)
			}
			asides++
		case !restored && v.Streams == 9 && now == asides:
		default:
			t.Fatalf("restored: %v, with %d streams, %d times old data of %d", restored, v.Streams, now, asides)
		}
	}
	t.Logf("%d of %d came through", through, lives)
}

// A restore that was cut off among its last steps, whichever, is finished by whoever
// opens the data next; until then nobody takes what is there for the data.
func TestCutOffRestore(t *testing.T) {
	const ready, aside = "restore-ready-20260102T030405Z", "before-restore-20260102T030405Z"
	move := func(names ...string) func(dir string) error {
		return func(dir string) error {
			err := os.Mkdir(filepath.Join(dir, aside), 0o700)
			for _, name := range names {
				err = errors.Join(err, os.Rename(filepath.Join(dir, name), filepath.Join(dir, aside, name)))
			}
			return err
		}
	}
	for name, cut := range map[string]func(dir string) error{
		"before all":        func(string) error { return nil },
		"the file is aside": move("hearth.db"),
		"the log is, too":   move("hearth.db", "hearth.db-wal"),
		"and its index":     move("hearth.db", "hearth.db-wal", "hearth.db-shm"),
		"the new one is there": func(dir string) error {
			return errors.Join(move("hearth.db", "hearth.db-wal", "hearth.db-shm")(dir),
				os.Rename(filepath.Join(dir, ready, "hearth.db"), filepath.Join(dir, "hearth.db")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, source := t.TempDir(), t.TempDir()
			p := start(t, dir)
			h := home{url: "http://" + p.address, client: &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}
			h.append(t, "old", 1, []byte("one"))
			p.kill() // so that all of it is in the log
			n := open(t, source)
			n.append(t, "new", 1, []byte("one"))
			n.stop(t)
			if err := errors.Join(os.Mkdir(filepath.Join(dir, ready), 0o700),
				os.Rename(filepath.Join(source, "hearth.db"), filepath.Join(dir, ready, "hearth.db")), cut(dir)); err != nil {
				t.Fatal(err)
			}
			if _, err := relay.Look(t.Context(), dir); !isA[*relay.UnfinishedError](err) {
				t.Errorf("a look: %v", err)
			}
			open(t, dir).stop(t)
			for folder, stream := range map[string]string{dir: "new", filepath.Join(dir, aside): "old"} {
				data, err := relay.Look(t.Context(), folder)
				if err != nil {
					t.Fatal(err)
				}
				defer data.Close()
				list, err := data.Streams(t.Context(), console.StreamRef{}, 9)
				if err != nil || len(list) != 1 || list[0].Name != stream {
					t.Errorf("%s holds %+v, %v", folder, list, err)
				}
			}
		})
	}
}
