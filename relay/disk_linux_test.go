package relay_test

import (
	"context"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

// call is what a program asks of a disk.
type call string

const (
	reading call = "read"
	writing call = "write"
	syncing call = "sync"

	// rotting is reading with a bit turned over, without an error.
	rotting call = "rot"

	// hanging is a write that comes to no end until the disk does something else.
	hanging call = "hang"
)

// fault is what a disk refuses to do, with which of the system's errors.
type fault struct {
	what   call
	suffix string // of the files' names
	errno  syscall.Errno
}

// disk is a file system of this process, on which a relay in another one keeps
// its data. It passes everything on to a folder, but for what it is told to fail.
type disk struct {
	place string // where it is mounted

	mu     sync.Mutex
	faults []fault
	met    atomic.Int64 // how often it has refused something
}

// mount makes a disk, until the test ends.
func mount(t *testing.T) *disk {
	t.Helper()
	if _, err := os.Stat("/dev/fuse"); err != nil {
		t.Skipf("this kernel lets no program be a disk: %v", err)
	}
	d := &disk{place: t.TempDir()}
	folder := t.TempDir()
	root := &fs.LoopbackRoot{Path: folder}
	//nolint:staticcheck // What stands in for it, NodeWrapChilder, is not told the name.
	root.NewNode = func(_ *fs.LoopbackRoot, _ *fs.Inode, name string, _ *syscall.Stat_t) fs.InodeEmbedder {
		return &diskNode{LoopbackNode: fs.LoopbackNode{RootData: root}, disk: d, name: name}
	}
	root.RootNode = &diskNode{LoopbackNode: fs.LoopbackNode{RootData: root}, disk: d}
	server, err := fs.Mount(d.place, root.RootNode, &fs.Options{MountOptions: fuse.MountOptions{DirectMountStrict: true}})
	if err != nil {
		t.Fatalf("a file system of this process could not be mounted at %s: %v", d.place, err)
	}
	t.Cleanup(func() {
		if err := server.Unmount(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// fail has the disk refuse from now on what is listed, and do all else again.
func (d *disk) fail(faults ...fault) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.faults = faults
	d.met.Store(0)
}

// refuses returns the error of a call to a file, or 0.
func (d *disk) refuses(what call, name string) syscall.Errno {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, f := range d.faults {
		if f.what == what && strings.HasSuffix(name, f.suffix) {
			d.met.Add(1)
			return f.errno
		}
	}
	return 0
}

// diskNode is a file or folder of a disk.
type diskNode struct {
	fs.LoopbackNode
	disk *disk
	name string
}

func (n *diskNode) Open(ctx context.Context, flags uint32) (fs.FileHandle, uint32, syscall.Errno) {
	f, _, errno := n.LoopbackNode.Open(ctx, flags)
	if errno != 0 {
		return nil, 0, errno
	}
	return n.opened(f, n.name)
}

func (n *diskNode) Create(ctx context.Context, name string, flags, mode uint32, out *fuse.EntryOut) (*fs.Inode, fs.FileHandle, uint32, syscall.Errno) {
	inode, f, _, errno := n.LoopbackNode.Create(ctx, name, flags, mode, out)
	if errno != 0 {
		return nil, nil, 0, errno
	}
	opened, how, errno := n.opened(f, name)
	return inode, opened, how, errno
}

// opened puts the disk between a file and who opened it. Nothing is kept by the
// system in between, so that every call comes here, but for the log's index, which
// is shared memory and cannot do without.
func (n *diskNode) opened(f fs.FileHandle, name string) (fs.FileHandle, uint32, syscall.Errno) {
	file, ok := f.(*fs.LoopbackFile)
	if !ok {
		return nil, 0, syscall.EIO
	}
	how := uint32(fuse.FOPEN_DIRECT_IO)
	if strings.HasSuffix(name, "-shm") {
		how = 0
	}
	return &diskFile{file, n.disk, name}, how, 0
}

// diskFile is an open file of a disk.
type diskFile struct {
	*fs.LoopbackFile
	disk *disk
	name string
}

// PassthroughFd keeps the system from passing by.
func (*diskFile) PassthroughFd() (int, bool) { return 0, false }

func (f *diskFile) Read(ctx context.Context, buf []byte, off int64) (fuse.ReadResult, syscall.Errno) {
	if errno := f.disk.refuses(reading, f.name); errno != 0 {
		return nil, errno
	}
	if f.disk.refuses(rotting, f.name) == 0 {
		return f.LoopbackFile.Read(ctx, buf, off)
	}
	read, errno := f.LoopbackFile.Read(ctx, buf, off)
	if errno != 0 {
		return nil, errno
	}
	data, status := read.Bytes(buf)
	if len(data) > 0 {
		data[len(data)/2] ^= 1
	}
	return fuse.ReadResultData(data), syscall.Errno(status)
}

func (f *diskFile) Write(ctx context.Context, data []byte, off int64) (uint32, syscall.Errno) {
	for f.disk.refuses(hanging, f.name) != 0 {
		time.Sleep(10 * time.Millisecond)
	}
	if errno := f.disk.refuses(writing, f.name); errno != 0 {
		return 0, errno
	}
	return f.LoopbackFile.Write(ctx, data, off)
}

// Fsync does not reach the real disk: whoever is killed finds what he wrote.
func (f *diskFile) Fsync(context.Context, uint32) syscall.Errno {
	return f.disk.refuses(syncing, f.name)
}
