package sqlite_test

import (
	"encoding/binary"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"

	driver "zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

const (
	// flipsVariable is the environment's variable that says how many bits of each
	// kind of page turn over, one at a time.
	flipsVariable = "HEARTH_FLIPS"

	// flips is how many do if nobody says.
	flips = 2

	pageSize   = 4096
	headerSize = 100 // of the file, at the start of its first page

	// pageHead is about where a page's cells or its entries begin: a bit there says
	// more than one among the data.
	pageHead = 32
)

// flipCount returns how many bits of each kind of page are to turn over.
func flipCount(t *testing.T) int {
	text, given := os.LookupEnv(flipsVariable)
	if !given {
		return flips
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("%s takes a number, not %q", flipsVariable, text)
	}
	return n
}

// span is a piece of a file.
type span struct {
	from, size int64
}

// kinds lists the pieces of a database, by what they are.
func kinds(t *testing.T, path string) map[string][]span {
	t.Helper()
	conn, err := driver.OpenConn(path, driver.OpenReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	of := map[string][]span{"the file's header": {{0, headerSize}}}
	used := map[int64]bool{1: true}
	err = sqlitex.ExecuteTransient(conn, "SELECT name, pagetype, pageno FROM dbstat", &sqlitex.ExecOptions{
		ResultFunc: func(stmt *driver.Stmt) error {
			kind, page := stmt.ColumnText(0)+", "+stmt.ColumnText(1), stmt.ColumnInt64(2)
			s := span{(page - 1) * pageSize, pageSize}
			if page == 1 {
				s.from, s.size = headerSize, pageSize-headerSize
			}
			of[kind] = append(of[kind], s)
			used[page] = true
			return nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	// What dbstat leaves out is free, or says of each page whose it is.
	data := readFile(t, path)
	for page := int64(2); page <= int64(len(data)/pageSize); page++ {
		const each = pageSize/5 + 1 // as many pages does one tell of, itself included
		switch s := (span{(page - 1) * pageSize, pageSize}); {
		case used[page]:
		case (page-2)%each == 0:
			of["whose pages are"] = append(of["whose pages are"], s)
		case uint32(page) == binary.BigEndian.Uint32(data[32:]):
			of["a list of free pages"] = append(of["a list of free pages"], s)
		default:
			of["free pages"] = append(of["free pages"], s)
		}
	}
	return of
}

// Whichever bit of a database turns over, it is refused with the reason and left
// as it is, or the damage is told to the stream, or it makes no difference. At no
// time a client is served for good what is not what was written.
func TestFlippedBits(t *testing.T) {
	t.Parallel()
	o := variety(t)
	all := kinds(t, o.path)
	for _, kind := range []string{
		"the file's header", "sqlite_schema, internal", "sqlite_schema, leaf", "whose pages are", "a list of free pages", "free pages",
		"space, leaf", "stream, leaf", "run, internal", "run, leaf", "run, overflow", "batch, internal", "batch, leaf", "recent, leaf",
		"sqlite_autoindex_space_1, leaf", "sqlite_autoindex_stream_1, leaf",
	} {
		if len(all[kind]) == 0 {
			t.Errorf("there is no page of the kind %q among %v", kind, all)
		}
	}
	data := readFile(t, o.path)
	fates := tally{}
	t.Cleanup(func() { fates.log(t) })
	for kind, spans := range all {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(1, uint64(len(kind)))) // the same each time
			for n := range flipCount(t) {
				s := spans[random.IntN(len(spans))]
				at := s.from + random.Int64N(min(s.size, pageHead))
				for range n % 2 * pageSize { // rather where there is something
					if at = s.from + random.Int64N(s.size); data[at] != 0 {
						break
					}
				}
				bit := byte(1) << random.IntN(8)
				path := copyOf(t, o.path)
				change(t, path, func(data []byte) []byte { data[at] ^= bit; return data })
				fate := o.judge(t, path, false)
				fates.add(kind, fate)
				if t.Failed() {
					t.Fatalf("bit %08b at %d of page %d, which is %s", bit, at%pageSize, at/pageSize+1, fate)
				}
			}
		})
	}
}

// A database that ends too early, anywhere, is refused or its damage told.
func TestTruncated(t *testing.T) {
	t.Parallel()
	o := variety(t)
	size := int64(len(readFile(t, o.path)))
	fates := tally{}
	random := rand.New(rand.NewPCG(2, 0)) // the same each time
	for n := range 2 * flipCount(t) {
		left := random.Int64N(size)
		if n%2 == 0 {
			left -= left % pageSize
		}
		path := copyOf(t, o.path)
		change(t, path, func(data []byte) []byte { return data[:left] })
		fates.add("cut", o.judge(t, path, false))
		if t.Failed() {
			t.Fatalf("of %d bytes there are %d", size, left)
		}
	}
	fates.log(t)
}

// change rewrites a file.
func change(t *testing.T, path string, edit func([]byte) []byte) {
	t.Helper()
	if err := os.WriteFile(path, edit(readFile(t, path)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// tally counts what became of what.
type tally struct {
	mu     sync.Mutex
	counts map[string]map[fate]int
}

func (c *tally) add(kind string, f fate) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.counts == nil {
		c.counts = make(map[string]map[fate]int)
	}
	if c.counts[kind] == nil {
		c.counts[kind] = make(map[fate]int)
	}
	c.counts[kind][f]++
}

func (c *tally) log(t *testing.T) {
	for kind, fates := range c.counts {
		t.Logf("%s: %v", kind, fates)
	}
}
