package relay

import "golang.org/x/sys/windows"

// diskFree returns how many bytes this user may still write where a folder lies;
// 0 if that is not known.
func diskFree(dir string) uint64 {
	path, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0
	}
	var free uint64
	if windows.GetDiskFreeSpaceEx(path, &free, nil, nil) != nil {
		return 0
	}
	return free
}
