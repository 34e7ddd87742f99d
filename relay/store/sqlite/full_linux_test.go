package sqlite_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"hearth/relay/protocol"
	"hearth/relay/store"
	"hearth/relay/store/sqlite"
)

// On a full disk writes are refused with that as the reason, small ones as long
// as they fit; what was answered stays, reads go on, and so do writes once there
// is room again, without a restart.
func TestDiskFull(t *testing.T) {
	t.Parallel()
	disk := mounted(t, "size=48m")
	path, ballast := filepath.Join(disk, "hearth.db"), filepath.Join(disk, "ballast")
	s := open(t, path, sqlite.Options{})
	t.Cleanup(func() { shut(t, s) }) // before the disk goes away
	written := 0
	for range 10 {
		write(t, s, "notes", "a")
		written++
	}
	fill(t, ballast, 2<<20) // leaves so much

	// A group of which some fit and some do not.
	large := protocol.Batch{Epoch: 1, Entries: protocol.NewEntries(make([]byte, 8<<20))}
	var writing sync.WaitGroup
	var full atomic.Int64
	for range 4 {
		writing.Go(func() {
			_, err := s.Append(t.Context(), store.Append{Ref: named("large"), Batch: large})
			if _, ok := errors.AsType[*store.FullError](err); ok {
				full.Add(1)
			} else {
				t.Errorf("a batch that does not fit: %v", err)
			}
		})
		for range 5 {
			writing.Go(func() {
				if _, err := try(t, s, "notes", "a"); err != nil {
					t.Errorf("a small batch that fits: %v", err)
				}
			})
			written++
		}
	}
	writing.Wait()
	if n := full.Load(); n != 4 {
		t.Errorf("%d large batches found no room", n)
	}
	check := func() {
		t.Helper()
		if n := len(read(t, s, "notes")); n != written {
			t.Errorf("%d of %d entries are there", n, written)
		}
		list, err := s.Streams(t.Context(), store.Ref{}, 10)
		if err != nil || len(list) != 1 {
			t.Errorf("the streams are %+v, %v", list, err)
		}
	}
	check()

	// A batch that fails in the midst of being written gives its room back.
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	fill(t, ballast, 12<<20)
	several := protocol.Batch{Epoch: 1, Entries: protocol.NewEntries(make([][]byte, 500_000)...)}
	for range 2 {
		_, err := s.Append(t.Context(), store.Append{Ref: named("several"), Batch: several})
		is[*store.FullError](t, err)
		_, err = s.Append(t.Context(), store.Append{Ref: named("notes"), Batch: several})
		is[*store.FullError](t, err)
	}
	check()
	cleared(t, path, "SELECT count(*) FROM stream WHERE tail > head OR head = 0")

	// Until nothing goes in any more.
	fill(t, ballast, 0)
	for {
		_, err := try(t, s, "notes", strings.Repeat("a", 1000))
		if err != nil {
			is[*store.FullError](t, err)
			break
		}
		written++
	}
	for range 10 {
		_, err := try(t, s, "notes", strings.Repeat("a", 1000))
		is[*store.FullError](t, err)
	}
	check()

	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	write(t, s, "notes", "b")
	written++
	check()
	shut(t, s)
	s = open(t, path, sqlite.Options{})
	check()
}

// A publication that a full disk has refused is not there, nor are its ids and the
// result of its command: it can be published once there is room.
func TestPublishOnFullDisk(t *testing.T) {
	t.Parallel()
	disk := mounted(t, "size=48m")
	path, ballast := filepath.Join(disk, "hearth.db"), filepath.Join(disk, "ballast")
	s := open(t, path, sqlite.Options{})
	t.Cleanup(func() { shut(t, s) }) // before the disk goes away
	publish(t, s, publication("orders", "a"))
	fill(t, ballast, 4<<20)
	many := publication("orders", numbered("", 20_000)...)
	_, err := s.Publish(t.Context(), many)
	is[*store.FullError](t, err)
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	publish(t, s, publication("orders", "b"))

	fill(t, ballast, 0)
	commands := 0
	command := func() store.Publish {
		p := publication("orders", fmt.Sprint("command ", commands))
		p.Command = &store.Command{Space: "default", Stream: "orders", ID: fmt.Sprint(commands)}
		return p
	}
	for err = nil; err == nil; commands++ {
		_, err = s.Publish(t.Context(), command())
	}
	is[*store.FullError](t, err)
	commands--
	if _, found, err := s.Recall(t.Context(), *command().Command); found || err != nil {
		t.Errorf("the command that was refused is remembered, %v", err)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	for _, p := range []store.Publish{command(), many} {
		if done := publish(t, s, p); done.Earlier != nil || done.Last-done.First+1 != uint64(len(p.Events)) {
			t.Errorf("with room it came to %d to %d", done.First, done.Last)
		}
	}
	if v := verified(t, s, store.Verify{}); !v.Sound() || v.Entries != uint64(2+commands+1+20_000) {
		t.Errorf("%+v", v)
	}
}

// A store stops well on a full disk: what does not fit into the file stays in the
// log, and is folded in at the next stop that finds room.
func TestStopOnFullDisk(t *testing.T) {
	t.Parallel()
	disk := mounted(t, "size=16m")
	path, ballast := filepath.Join(disk, "hearth.db"), filepath.Join(disk, "ballast")
	s := open(t, path, sqlite.Options{})
	t.Cleanup(func() { shut(t, s) }) // before the disk goes away
	write(t, s, "notes", "a", string(make([]byte, 2<<20)))
	fill(t, ballast, 0)
	shut(t, s)
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	s = open(t, path, sqlite.Options{})
	if n := len(read(t, s, "notes")); n != 2 {
		t.Errorf("%d entries are there", n)
	}
	shut(t, s)
	if _, err := os.Stat(path + "-wal"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("there is a log beside the file: %v", err)
	}
}

// A disk that takes no writes is said to be so, whether or not there is a database
// on it; what is there can be looked at.
func TestReadOnlyDisk(t *testing.T) {
	t.Parallel()
	disk := mounted(t, "")
	path := filepath.Join(disk, "hearth.db")
	s := open(t, path, sqlite.Options{})
	write(t, s, "notes", "a", "b")
	shut(t, s)
	if err := syscall.Mount("", disk, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{path, filepath.Join(disk, "new.db"), disk} {
		_, err := sqlite.Open(t.Context(), path, sqlite.Options{})
		is[*sqlite.AccessError](t, err)
	}
	r, err := sqlite.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	if state, err := r.Heads(t.Context(), "default", []string{"notes"}); err != nil || state[0].Head != 2 {
		t.Errorf("%+v, %v", state, err)
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
}

// mounted mounts a disk in memory until the test ends.
func mounted(t *testing.T, options string) string {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root may mount the small disk that this needs")
	}
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, options); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, 0); err != nil {
			t.Error(err)
		}
	})
	return disk
}

// fill makes a file so large that the disk has only so many bytes left.
func fill(t *testing.T, path string, left int) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var disk syscall.Statfs_t
	if err := syscall.Statfs(filepath.Dir(path), &disk); err != nil {
		t.Fatal(err)
	}
	free := int(disk.Bavail) * int(disk.Bsize)
	if _, err := f.Write(make([]byte, max(0, free-left))); err != nil {
		t.Fatal(err)
	}
}
