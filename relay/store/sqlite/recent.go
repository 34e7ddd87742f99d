package sqlite

import (
	"cmp"
	"encoding/binary"
	"errors"
	"slices"

	"zombiezen.com/go/sqlite"
)

// place is where a batch is, whose repeats are told by its key.
type place struct {
	stream int64
	batchKey
}

// compare compares places in the order of the index.
func (p place) compare(other place) int {
	return cmp.Or(cmp.Compare(p.stream, other.stream), p.batchKey.compare(other.batchKey))
}

// address is what batches are looked for by.
type address struct{ stream, key int64 }

func (p place) address() address { return address{p.stream, p.key} }

// placeSize is how many bytes a place takes in a row of recent ones.
const placeSize = 3 * 8

func (p place) append(to []byte) []byte {
	to = binary.BigEndian.AppendUint64(to, uint64(p.stream))
	to = binary.BigEndian.AppendUint64(to, uint64(p.key))
	return binary.BigEndian.AppendUint64(to, p.first)
}

// decodePlace takes a place from the beginning of a row's others.
func decodePlace(from []byte) place {
	number := func(i int) uint64 { return binary.BigEndian.Uint64(from[8*i:]) }
	return place{int64(number(0)), batchKey{int64(number(1)), number(2)}}
}

var errCutOff = errors.New("a row of recent batches is cut off")

// recentRows lists the rows of batches that the index does not have yet.
const recentRows = "SELECT stream, key, first, others FROM recent ORDER BY id"

// eachRecent calls f for each batch in the rows that a statement of recentRows
// lists.
func eachRecent(stmt *sqlite.Stmt, f func(place)) error {
	for {
		more, err := stmt.Step()
		if err != nil || !more {
			return finish(stmt, err)
		}
		others := borrow(stmt, 3)
		if len(others)%placeSize != 0 {
			return errors.Join(errCutOff, stmt.Reset())
		}
		for len(others) > 0 {
			f(decodePlace(others))
			others = others[placeSize:]
		}
		f(place{stmt.ColumnInt64(0), batchKey{stmt.ColumnInt64(1), uint64(stmt.ColumnInt64(2))}})
	}
}

// recent is what the writer remembers of the batches that are not in the index. It
// reads them when it first needs them: who writes nothing sealed does not wait for
// that, and a page of theirs that is damaged hinders nobody else.
type recent struct {
	known  bool    // whether they were read
	list   []place // in the order of their rows
	kept   int     // how many of them are on the disk
	firsts map[address][]uint64
}

// load reads the batches.
func (r *recent) load(conn *sqlite.Conn) error {
	if r.known {
		return nil
	}
	stmt, err := conn.Prepare(recentRows)
	if err != nil {
		return err
	}
	read := recent{known: true, firsts: make(map[address][]uint64)}
	if err := eachRecent(stmt, read.add); err != nil {
		return err
	}
	*r = read
	r.keep()
	return nil
}

// add remembers a batch.
func (r *recent) add(p place) {
	r.list = append(r.list, p)
	at := p.address()
	r.firsts[at] = append(r.firsts[at], p.first)
}

// keep says that all batches are on the disk now.
func (r *recent) keep() { r.kept = len(r.list) }

// undo forgets the batches that are not on the disk.
func (r *recent) undo() {
	r.forget(r.list[r.kept:])
	r.list = r.list[:r.kept]
}

// shift forgets the first n batches.
func (r *recent) shift(n int) {
	r.forget(r.list[:n])
	r.list = slices.Clone(r.list[n:])
	r.keep()
}

func (r *recent) forget(list []place) {
	for _, p := range list {
		at := p.address()
		if left := slices.DeleteFunc(r.firsts[at], func(first uint64) bool { return first == p.first }); len(left) > 0 {
			r.firsts[at] = left
		} else {
			delete(r.firsts, at)
		}
	}
}

// addBatch remembers where a batch is, so that a repeat of it is told.
func (t *transaction) addBatch(s *stream, key int64, first uint64) error {
	r := &t.w.recent
	if err := r.load(t.w.conn); err != nil {
		return err
	}
	r.add(place{s.key, batchKey{key, first}})
	return nil
}

// index writes down the batches of the transaction: in a row of recent ones, which
// takes a page for all of them. A single one takes a page in the index as well.
func (t *transaction) index() error {
	r := &t.w.recent
	added := r.list[r.kept:]
	if len(added) == 0 {
		return nil
	}
	slices.SortFunc(added, place.compare)
	if len(added) > 1 && len(r.list) <= tooManyRecent {
		return t.w.stmts.insertRecent(added)
	}
	for _, p := range added {
		if err := t.w.stmts.insertBatch(p.stream, p.key, p.first); err != nil {
			return err
		}
	}
	r.undo()
	return nil
}

// insertRecent writes a row of batches, which are in the order of the index.
func (s *writerStatements) insertRecent(list []place) error {
	greatest, others := list[len(list)-1], make([]byte, 0, placeSize*len(list))
	for _, p := range list[:len(list)-1] {
		others = p.append(others)
	}
	stmt := s.addRecent
	stmt.BindInt64(1, greatest.stream)
	stmt.BindInt64(2, greatest.key)
	stmt.BindInt64(3, int64(greatest.first))
	stmt.BindBytes(4, others)
	return run(stmt)
}
