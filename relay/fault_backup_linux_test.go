package relay_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"hearth/relay"
	"hearth/relay/backup"
)

// A share on which a backup cannot be written, synced or listed, or that gives back
// something else than was written, keeps the backups that it has and gets nothing of
// the new one; the relay says so, serves on, and backs up again once the share is well.
func TestFailingShare(t *testing.T) {
	h := open(t, t.TempDir())
	h.fill(t, "end")
	share := mount(t)
	plan := backup.Plan{Folder: share.place, Keep: 2}
	if err := h.PlanBackups(plan, false); err != nil {
		t.Fatal(err)
	}
	c := h.Console()
	first, err := c.BackUp(t.Context(), "", nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		fault fault
		want  error
	}{
		"the backup cannot be written": {fault{writing, ".part", syscall.EIO}, syscall.EIO},
		"the share is full":            {fault{writing, ".part", syscall.ENOSPC}, syscall.ENOSPC},
		"the backup cannot be synced":  {fault{syncing, ".part", syscall.EIO}, syscall.EIO},
		"it cannot be read back":       {fault{reading, ".part", syscall.EIO}, syscall.EIO},
		"it rots":                      {fault{rotting, ".part", syscall.EIO}, nil},
	} {
		share.fail(tt.fault)
		_, err := c.BackUp(t.Context(), "", nil)
		met := share.met.Load()
		share.fail()
		if err == nil || met == 0 || tt.want != nil && !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, met %d times", name, err, met)
		}
		if tt.want == nil && !isA[*backup.UnreadableError](err) {
			t.Errorf("%s: %v", name, err)
		}
		b, err := c.Backups(t.Context())
		if err != nil || len(b.Kept) != 1 || b.Kept[0].Name != first.Name || b.Failed == "" {
			t.Errorf("%s: %+v, %v", name, b, err)
		}
		if o, err := c.Overview(t.Context()); err != nil || o.BackupFailed != b.Failed {
			t.Errorf("%s: %+v, %v", name, o, err)
		}
		if list, err := os.ReadDir(share.place); err != nil || len(list) != 2 {
			t.Errorf("%s: %v is left, %v", name, list, err)
		}
		if status := h.append(t, "notes", 1, []byte("one")); status != http.StatusOK {
			t.Errorf("%s: a write is answered %d", name, status)
		}
	}
	if _, err := c.BackUp(t.Context(), "", nil); err != nil {
		t.Error(err)
	}
	if b, err := c.Backups(t.Context()); err != nil || len(b.Kept) != 2 || b.Failed != "" {
		t.Errorf("%+v, %v", b, err)
	}
}

// A share that hangs holds up nobody but the backup: the relay serves, tells of
// backups, and stops.
func TestHangingShare(t *testing.T) {
	h := open(t, t.TempDir())
	h.fill(t, "end")
	share := mount(t)
	if err := h.PlanBackups(backup.Plan{Folder: share.place, Keep: 2}, false); err != nil {
		t.Fatal(err)
	}
	share.fail(fault{hanging, ".part", syscall.EIO})
	ended := make(chan error, 1)
	go func() {
		_, err := h.Console().BackUp(context.Background(), "", nil)
		ended <- err
	}()
	for share.met.Load() == 0 {
		time.Sleep(time.Millisecond)
	}
	if b, err := h.Console().Backups(t.Context()); err != nil || !b.Running {
		t.Errorf("%+v, %v", b, err)
	}
	if status := h.append(t, "notes", 1, []byte("one")); status != http.StatusOK {
		t.Errorf("a write is answered %d", status)
	}
	h.stop(t)
	select {
	case err := <-ended:
		t.Errorf("it ended by itself: %v", err)
	default:
	}
	share.fail()
	if err := <-ended; err == nil {
		t.Error("a backup of a relay that has stopped is said to be whole")
	}
	if list, err := os.ReadDir(share.place); err != nil || len(list) != 1 {
		t.Errorf("%v is left, %v", list, err)
	}
}

// A backup that is made while clients write holds a beginning of each stream, whole.
func TestBackupBesideWriters(t *testing.T) {
	h := open(t, t.TempDir())
	h.fill(t, "end")
	var stop atomic.Bool
	var writers sync.WaitGroup
	for _, stream := range []string{"s0", "s7", "new"} {
		writers.Go(func() {
			for !stop.Load() {
				h.append(t, stream, 1, []byte("one"), []byte("two"))
			}
		})
	}
	var files []string
	for range 3 {
		files = append(files, h.backUp(t))
	}
	stop.Store(true)
	writers.Wait()
	heads := make(map[string]uint64)
	for _, file := range files {
		dir := filepath.Join(t.TempDir(), "new")
		done := restore(t, relay.Restore{File: file}, dir)
		if len(done.Streams) < 8 {
			t.Errorf("%d streams", len(done.Streams))
		}
		copied := open(t, dir)
		for _, s := range done.Streams {
			if s.Head < heads[s.Name] {
				t.Errorf("%s ends at %d, and did at %d in an earlier one", s.Name, s.Head, heads[s.Name])
			}
			heads[s.Name] = s.Head
			// Whoever stands where it ends goes on with what was written since.
			if code := h.code(t, s.Name, copied.cursor(t, s.Name)); code != "" {
				t.Errorf("%s has another history: %s", s.Name, code)
			}
		}
	}
}
