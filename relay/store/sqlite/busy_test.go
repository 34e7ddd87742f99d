package sqlite_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"hearth/relay/store/sqlite"

	driver "zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// While another program holds the database, those who wait together are told so
// together, not one after the other. Afterwards all goes on.
func TestHeldByAnother(t *testing.T) {
	t.Parallel()
	path := place(t)
	s := open(t, path, sqlite.Options{})
	write(t, s, "notes", "a")
	other, err := driver.OpenConn(path, driver.OpenReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	do := func(statement string) {
		t.Helper()
		if err := sqlitex.ExecuteTransient(other, statement, nil); err != nil {
			t.Fatal(err)
		}
	}
	do("BEGIN IMMEDIATE")
	begin := time.Now()
	var writing sync.WaitGroup
	for i := range 64 {
		writing.Go(func() {
			if _, err := try(t, s, fmt.Sprint(i), "b"); err == nil || !strings.Contains(err.Error(), "another program holds the database") {
				t.Errorf("got %v", err)
			}
		})
	}
	writing.Wait()
	// Two seconds each, were it one after the other; how many groups they make is
	// up to the machine.
	if took := time.Since(begin); took > time.Minute {
		t.Errorf("the last one was told after %v", took)
	}
	do("ROLLBACK")
	write(t, s, "notes", "c")
	if list := read(t, s, "notes"); len(list) != 2 {
		t.Errorf("the entries are %q", list)
	}
}
