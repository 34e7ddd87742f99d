package relay_test

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// stopTime is how long a process is stopped: longer than its clients wait.
const stopTime = 2 * time.Second

// TestStoppedProcess stops a relay that is written to, as a machine that sleeps or
// has no memory left does. Its clients give up; once it goes on all that was
// acknowledged is there, no batch in part, and a wait from before is answered.
func TestStoppedProcess(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	base := "http://" + p.address
	patient := &http.Client{Transport: &http.Transport{}}
	defer patient.CloseIdleConnections()
	woken := make(chan error, 1)
	go func() {
		var heads headsMessage
		status, err := ask(patient, http.MethodGet, base+"/v1/wait?watch=after&timeout=60", nil, &heads)
		if err == nil && (status != http.StatusOK || len(heads.Heads) != 1) {
			err = fmt.Errorf("status %d, %+v", status, heads)
		}
		woken <- err
	}()
	o := newOracle()
	hasty := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: killWriters}, Timeout: stopTime / 2}
	defer hasty.CloseIdleConnections()
	var writing sync.WaitGroup
	gaveUp := make(chan error, killWriters)
	for range killWriters {
		writing.Go(func() {
			for {
				if err := o.write(hasty, base); err != nil {
					gaveUp <- err
					break
				}
			}
			// What follows is the client's next try, at a relay that may stand still yet.
			for o.write(hasty, base) != nil {
				time.Sleep(10 * time.Millisecond) // the test's own time limit ends this
			}
		})
	}
	signal := func(s syscall.Signal) {
		if err := p.cmd.Process.Signal(s); err != nil {
			t.Fatal(err)
		}
	}
	for o.acknowledged() <= killWriters {
		time.Sleep(time.Millisecond) // the test's own time limit ends this
	}
	signal(syscall.SIGSTOP)
	for range killWriters {
		<-gaveUp
	}
	time.Sleep(stopTime / 2)
	signal(syscall.SIGCONT)
	writing.Wait()
	o.check(t, patient, base)
	if code, err := tryTo(patient, base, "after", []byte("x")); code != "" || err != nil {
		t.Errorf("a write to the stream that is waited for: %s, %v", code, err)
	}
	if err := <-woken; err != nil {
		t.Errorf("the wait: %v", err)
	}
	p.kill()
	p = start(t, p.dir)
	o.startOver()
	o.check(t, patient, "http://"+p.address)
	t.Logf("%d batches sent, %d acknowledged", len(o.sent), o.acknowledged())
}

// TestFileSizeLimit runs a relay whose files may not grow any more. What finds no
// room is refused, whole; reads go on, and writes too once they may.
func TestFileSizeLimit(t *testing.T) {
	t.Parallel()
	p := start(t, t.TempDir())
	n := &notebook{t: t, base: "http://" + p.address}
	limit := func(bytes uint64) {
		t.Helper()
		if err := unix.Prlimit(p.cmd.Process.Pid, unix.RLIMIT_FSIZE, &unix.Rlimit{Cur: bytes, Max: unix.RLIM_INFINITY}, nil); err != nil {
			t.Fatal(err)
		}
	}
	n.write("")
	limit(200 << 10)
	for code := ""; code == ""; { // until the log has grown to its limit
		code = n.try()
	}
	for range 5 {
		n.write("internal")
		n.check()
	}
	limit(unix.RLIM_INFINITY)
	n.write("")
	n.check()
	limit(4 << 10) // less than there is already
	n.write("internal")
	p.kill()
	p = start(t, p.dir)
	n.base = "http://" + p.address
	n.check()
	n.write("")
	n.check()
}

// TestDiskTurnsReadOnly runs a relay on a disk in which the system finds a fault,
// so that it takes no writes any more. What is written is refused, whole; reads and
// the relay's health go on; on the disk as it is then, everything is there.
func TestDiskTurnsReadOnly(t *testing.T) {
	t.Parallel()
	device, place := loopDisk(t)
	mount := func() {
		t.Helper()
		if err := syscall.Mount(device, place, "ext4", 0, "errors=remount-ro"); err != nil {
			t.Fatal(err)
		}
	}
	// A disk that is busy would stay as it is, and be mounted as that again.
	unmount := func() {
		t.Helper()
		eventually(t, "the disk is let go", func() bool {
			err := syscall.Unmount(place, 0)
			return err == nil || errors.Is(err, syscall.EINVAL) // it is not mounted
		})
	}
	mount()
	t.Cleanup(unmount)
	p := start(t, filepath.Join(place, "data"))
	t.Cleanup(p.kill) // before the disk goes away
	n := &notebook{t: t, base: "http://" + p.address}
	for range 5 {
		n.write("")
	}
	if err := os.WriteFile("/sys/fs/ext4/"+filepath.Base(device)+"/trigger_fs_error", []byte("found by a test"), 0); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(place, "more"), nil, 0o600); err == nil {
		t.Fatal("the disk takes writes still")
	}
	for range 5 {
		n.write("internal")
		n.check()
		if status, err := status(http.DefaultClient, n.base+"/health"); status != http.StatusOK {
			t.Errorf("health: status %d, %v", status, err)
		}
	}
	p.kill()
	http.DefaultClient.CloseIdleConnections()
	unmount()
	mount()
	p = start(t, p.dir)
	t.Cleanup(p.kill)
	n.base = "http://" + p.address
	n.check()
	n.write("")
	n.check()
}

// loopDisk makes an empty disk in a file, and a place where it can be mounted.
func loopDisk(t *testing.T) (device, place string) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("only root may make the disk in which a fault is found")
	}
	image := filepath.Join(t.TempDir(), "disk")
	if err := os.WriteFile(image, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(image, 32<<20); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "mkfs.ext4", "-q", image).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	out, err := exec.CommandContext(t.Context(), "losetup", "--find", "--show", image).Output()
	if err != nil {
		t.Skipf("this kernel makes no disk of a file: %v", err)
	}
	device = string(out[:len(out)-1])
	t.Cleanup(func() {
		if out, err := exec.Command("losetup", "--detach", device).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
	return device, t.TempDir()
}

// notebook is a client that writes to "notes" and knows what has to be there.
type notebook struct {
	t    *testing.T
	base string
	want [][]byte
}

// try writes an entry of 4 KiB, and returns the code if it is refused.
func (n *notebook) try() (code string) {
	n.t.Helper()
	entry := fmt.Appendf(nil, "%d of %4000d", len(n.want), 0)
	code, err := tryTo(http.DefaultClient, n.base, "notes", entry)
	if err != nil {
		n.t.Fatal(err)
	}
	if code == "" {
		n.want = append(n.want, entry)
	}
	return code
}

// write writes an entry, which has to be refused with a code, or to be taken.
func (n *notebook) write(code string) {
	n.t.Helper()
	if got := n.try(); got != code {
		n.t.Errorf("a write is answered with %q, want %q", got, code)
	}
}

// check reads everything.
func (n *notebook) check() {
	n.t.Helper()
	var got [][]byte
	for _, e := range allNotes(n.t, http.DefaultClient, n.base) {
		got = append(got, e.Data)
	}
	if !slices.EqualFunc(got, n.want, slices.Equal) {
		n.t.Errorf("%d entries are there, want %d", len(got), len(n.want))
	}
}
