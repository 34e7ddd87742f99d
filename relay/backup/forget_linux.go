package backup

import (
	"os"

	"golang.org/x/sys/unix"
)

// forget lets go of what the system keeps of a file in memory.
func forget(f *os.File) {
	// It is a wish: where it is not granted the file is read from memory.
	_ = unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)
}
