package backup_test

import (
	"errors"
	"os"
	"syscall"
	"testing"

	"hearth/relay/backup"
)

// A folder that may not be written to is said to be one, with what to do.
func TestReadOnlyFolder(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root may mount the small disk that this makes read-only")
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
	remount := func(flags uintptr) {
		if err := syscall.Mount("tmpfs", disk, "tmpfs", syscall.MS_REMOUNT|flags, ""); err != nil {
			t.Fatal(err)
		}
	}
	s := fill(t)
	k := keeper(t, s, backup.Plan{Folder: disk, Keep: 5})
	remount(syscall.MS_RDONLY)
	is[*backup.AccessError](t, k.Change(backup.Plan{Folder: disk, Keep: 5}, true))
	remount(0)
	backUp(t, k, disk)
	remount(syscall.MS_RDONLY)
	_, err := k.BackUp(t.Context(), "", nil)
	if is[*backup.AccessError](t, err); !errors.Is(err, syscall.EROFS) {
		t.Error(err)
	}
	remount(0)
	backUp(t, k, "")
}
