package sqlite_test

import (
	"os"
	"sync"
	"testing"
	"time"

	"hearth/relay/store/sqlite"

	driver "zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// The log does not grow for ever where there is always somebody who reads.
func TestLogIsBounded(t *testing.T) {
	t.Parallel()
	path := place(t)
	s := open(t, path, sqlite.Options{})
	write(t, s, "notes", "a")
	defer alwaysRead(t, path)()
	const (
		largest = 15 << 20
		entries = 13                 // three times as much as the log is let grow to
		most    = 64<<20 + 2*largest // and what comes with the commit that passes it
	)
	for range entries {
		write(t, s, "notes", string(make([]byte, largest)))
		log, err := os.Stat(path + "-wal")
		if err != nil {
			t.Fatal(err)
		}
		if log.Size() > most {
			t.Fatalf("the log has grown to %d bytes", log.Size())
		}
	}
}

// alwaysRead reads a database on two connections, one of which begins before the
// other has ended, until it is told to stop.
func alwaysRead(t *testing.T, path string) (stop func()) {
	t.Helper()
	quit := make(chan struct{})
	var reading sync.WaitGroup
	reading.Go(func() {
		var conns [2]*driver.Conn
		for i := range conns {
			var err error
			if conns[i], err = driver.OpenConn(path, driver.OpenReadOnly); err != nil {
				t.Error(err)
				return
			}
			defer conns[i].Close()
		}
		for turn := 0; ; turn++ {
			begins, ends := conns[turn%2], conns[(turn+1)%2]
			for _, step := range []func() error{
				func() error { return sqlitex.ExecuteTransient(begins, "BEGIN", nil) },
				func() error { return sqlitex.ExecuteTransient(begins, "SELECT count(*) FROM stream", nil) },
				func() error {
					if turn == 0 {
						return nil
					}
					return sqlitex.ExecuteTransient(ends, "ROLLBACK", nil)
				},
			} {
				if err := step(); err != nil {
					t.Error(err)
					return
				}
			}
			select {
			case <-quit:
				return
			case <-time.After(10 * time.Millisecond): // so that it has begun before a commit that it hinders
			}
		}
	})
	return func() { close(quit); reading.Wait() }
}

// A copy that SQLite's own tools made is written by way of a log again, without
// which nobody could read while somebody writes.
func TestLogAhead(t *testing.T) {
	t.Parallel()
	path := place(t)
	s := open(t, path, sqlite.Options{})
	write(t, s, "notes", "a")
	shut(t, s)
	copied := place(t)
	raw(t, path, "VACUUM INTO '"+copied+"'")
	s = open(t, copied, sqlite.Options{})
	write(t, s, "notes", "b")
	if log, err := os.Stat(copied + "-wal"); err != nil || log.Size() == 0 {
		t.Errorf("there is no log: %v", err)
	}
	if n := len(read(t, s, "notes")); n != 2 {
		t.Errorf("%d entries", n)
	}
}
