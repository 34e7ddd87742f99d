package main

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"hearth/relay/protocol"
)

// machine is what figures depend on, and how far one processor and the disk go by
// themselves.
type machine struct {
	day       time.Time
	processor string
	cores     int
	system    string
	disk      string
	syncs     float64 // a second, each after 4 KiB were appended to a file
	links     float64 // of a chain of entries of 256 B, computed a second
}

// floorTime is how long the disk and the processor are each tried by themselves.
const floorTime = time.Second

// inspect looks at the machine and at the disk of a folder.
func inspect(folder string) (machine, error) {
	m := machine{
		day: time.Now(), cores: runtime.NumCPU(), processor: runtime.GOARCH, system: runtime.GOOS,
		disk: diskOf(folder), links: linkRate(),
	}
	if info, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		for line := range strings.Lines(string(info)) {
			if name, value, _ := strings.Cut(line, ":"); strings.TrimSpace(name) == "model name" {
				m.processor = strings.TrimSpace(value)
				break
			}
		}
	}
	if release, err := os.ReadFile("/proc/sys/kernel/osrelease"); err == nil {
		m.system += " " + string(bytes.TrimSpace(release))
	}
	var err error
	m.syncs, err = syncRate(folder)
	return m, err
}

// diskOf returns the file system that a folder is on, and its device.
func diskOf(folder string) string {
	mounts, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		return "unknown"
	}
	longest, disk := "", "unknown"
	for line := range strings.Lines(string(mounts)) {
		fields := strings.Fields(line) // device, place, type: fstab(5)
		if len(fields) < 3 || len(fields[1]) < len(longest) {
			continue
		}
		if rel, err := filepath.Rel(fields[1], folder); err == nil && filepath.IsLocal(rel) {
			longest, disk = fields[1], fields[2]+" on "+fields[0]
		}
	}
	return disk
}

// syncRate returns how often a second the disk of a folder makes an append last:
// the bound of every relay that syncs by itself for each request.
func syncRate(folder string) (rate float64, err error) {
	f, err := os.CreateTemp(folder, "sync-")
	if err != nil {
		return 0, err
	}
	defer f.Close() // it goes with the folder
	block := make([]byte, 4<<10)
	rand.Read(block)
	n := 0
	begun := time.Now()
	for ; time.Since(begun) < floorTime; n++ {
		if _, err := f.Write(block); err != nil {
			return 0, err
		}
		if err := f.Sync(); err != nil {
			return 0, err
		}
	}
	return float64(n) / time.Since(begun).Seconds(), nil
}

// linkRate returns how many links of small entries one processor computes a
// second: the bound of a reader that verifies.
func linkRate() float64 {
	chain := protocol.NewChain(0, protocol.Link{})
	data := make([]byte, smallEntry)
	begun := time.Now()
	for time.Since(begun) < floorTime {
		for range 1000 {
			chain.Next(1, data)
		}
	}
	return float64(chain.Seq()) / time.Since(begun).Seconds()
}

// String says it in a line.
func (m machine) String() string {
	return fmt.Sprintf("%s. %s, %d cores; %s; %s: %s appends of 4 KiB synced a second; %s links of 256 B hashed a second by one core; %s",
		m.day.Format(time.DateOnly), m.processor, m.cores, m.system, m.disk, number(m.syncs, 0), number(m.links, 0), runtime.Version())
}
