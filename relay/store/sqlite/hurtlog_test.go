package sqlite_test

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"testing"

	"hearth/relay/store"
	"hearth/relay/store/sqlite"
)

const (
	logHead   = 32 // bytes of a log before its frames
	frameHead = 24 // bytes of a frame before its page
	frameSize = frameHead + pageSize
)

// logged makes a database whose last batches are in its log, as a killed process
// leaves it.
func logged(t *testing.T) original {
	t.Helper()
	path := place(t)
	s := open(t, path, sqlite.Options{})
	for i := range 30 {
		write(t, s, fmt.Sprint("stream-", i%3), fmt.Sprint(i), string(make([]byte, 500*(i%5)*(i%5))))
	}
	return originalOf(t, copyOf(t, path))
}

// Whichever bit of a log turns over: either the database is refused and left as it
// is, or it was a bit of the last commit, which cannot be told from one that was
// not whole when the machine stopped, and nothing else is gone.
func TestHurtLog(t *testing.T) {
	t.Parallel()
	o := logged(t)
	log := readFile(t, o.path+"-wal")
	last := lastCommit(log)
	random := rand.New(rand.NewPCG(3, 0)) // the same each time
	for name, at := range map[string]func() int{
		"the log's header": func() int { return random.IntN(logHead) },
		"a frame's header": func() int { return logHead + random.IntN(last)*frameSize + random.IntN(frameHead) },
		"a page":           func() int { return logHead + random.IntN(last)*frameSize + frameHead + random.IntN(pageSize) },
		"the last commit":  func() int { return logHead + last*frameSize + random.IntN(len(log)-logHead-last*frameSize) },
	} {
		for range 2 * flipCount(t) {
			at, bit := at(), byte(1)<<random.IntN(8)
			path := copyOf(t, o.path)
			change(t, path+"-wal", func(log []byte) []byte { log[at] ^= bit; return log })
			got := o.judge(t, path, true)
			if want := name != "the last commit"; (got == refused) != want {
				t.Errorf("%s: %s", name, got)
			}
			if got != refused {
				o.gone(t, path, 1)
			}
			if t.Failed() {
				t.Fatalf("%s: bit %08b at %d of frame %d of %d, the last commit is from %d on", name, bit,
					(at-logHead)%frameSize, (at-logHead)/frameSize, (len(log)-logHead)/frameSize, last)
			}
		}
	}
}

// A log that ends too early is an earlier one: what is left of it is there.
func TestTruncatedLog(t *testing.T) {
	t.Parallel()
	o := logged(t)
	size := len(readFile(t, o.path+"-wal"))
	random := rand.New(rand.NewPCG(4, 0)) // the same each time
	for range 2 * flipCount(t) {
		left := random.IntN(size)
		path := copyOf(t, o.path)
		if err := os.Truncate(path+"-wal", int64(left)); err != nil {
			t.Fatal(err)
		}
		if got := o.judge(t, path, true); got != harmless || t.Failed() {
			t.Fatalf("%d of %d bytes: %s", left, size, got)
		}
	}
}

// lastCommit returns the frame at which the last commit of a log begins.
func lastCommit(log []byte) (first int) {
	begins := 0
	for frame := 0; logHead+frame*frameSize < len(log); frame++ {
		if binary.BigEndian.Uint32(log[logHead+frame*frameSize+4:]) != 0 {
			first, begins = begins, frame+1
		}
	}
	return first
}

// gone checks that so many batches of two entries are gone, or none.
func (o original) gone(t *testing.T, path string, batches int) {
	t.Helper()
	s := open(t, path, sqlite.Options{})
	defer shut(t, s)
	missing := 0
	list, err := s.Streams(t.Context(), store.Ref{}, 100)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range o.streams {
		missing += len(k.entries)
	}
	for _, stream := range list {
		missing -= int(stream.Head) - 1 // what was written since to see that it can be
	}
	if missing != 0 && missing != 2*batches {
		t.Errorf("%d entries are gone", missing)
	}
}
