package backup_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hearth/relay/backup"
)

// A folder that fills up in the midst of a backup keeps those that it has, and
// nothing of the new one; once there is room backups go on.
func TestFullFolder(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root may mount the small disk that this fills")
	}
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=4m"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, 0); err != nil {
			t.Error(err)
		}
	})
	s := fill(t)
	k := keeper(t, s, backup.Plan{Folder: disk, Keep: 5})
	first := backUp(t, k, disk)
	ballast := filepath.Join(disk, "ballast")
	pages := (first.Bytes + 4095) / 4096 * 4096
	for _, room := range []int64{0, 4096, 700_000, pages} { // the last: for it, but not for being listed
		if err := os.WriteFile(ballast, make([]byte, 4<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
			t.Fatal(err)
		}
		info, err := os.Stat(ballast)
		if err == nil {
			err = os.Truncate(ballast, info.Size()-room)
		}
		if err != nil {
			t.Fatal(err)
		}
		_, err = k.BackUp(t.Context(), "", nil)
		if !errors.Is(err, syscall.ENOSPC) || !errors.Is(k.State().Failed, syscall.ENOSPC) {
			t.Errorf("with room for %d bytes: %v", room, err)
		}
		if diff := cmp.Diff([]string{"ballast", first.Name, "hearth-backups.json"}, names(t, disk)); diff != "" {
			t.Errorf("with room for %d bytes:\n%s", room, diff)
		}
		if diff := cmp.Diff([]backup.Kept{first}, k.State().Kept); diff != "" {
			t.Error(diff)
		}
		contents(t, filepath.Join(disk, first.Name), nil)
	}
	if err := os.Remove(ballast); err != nil {
		t.Fatal(err)
	}
	second := backUp(t, k, "")
	if diff := cmp.Diff([]backup.Kept{second, first}, k.State().Kept); diff != "" || k.State().Failed != nil {
		t.Error(diff)
	}
}

// Where there is no room to begin with, that is said before anything is written.
func TestNoRoom(t *testing.T) {
	s, folder := fill(t), t.TempDir()
	m := backup.Maker{Source: s, Relay: relayID, Free: func(string) uint64 { return 1 << 20 }}
	_, err := backup.NewKeeper(m, backup.Plan{Keep: 1}, discard(), nil).BackUp(t.Context(), folder, nil)
	is[*backup.RoomError](t, err)
	if n := len(names(t, folder)); n != 1 {
		t.Errorf("%d files are there beside the marker", n-1)
	}
}
