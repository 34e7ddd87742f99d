//go:build unix

package relay

import "golang.org/x/sys/unix"

// diskFree returns how many bytes this user may still write where a folder lies;
// 0 if that is not known.
func diskFree(dir string) uint64 {
	var s unix.Statfs_t
	if unix.Statfs(dir, &s) != nil {
		return 0
	}
	return uint64(s.Bavail) * uint64(s.Bsize)
}
