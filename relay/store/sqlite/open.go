package sqlite

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"hearth/relay/durable"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Places in the header of an SQLite file (its format's section 1.3).
const (
	headerSize          = 100
	headerMagic         = "SQLite format 3\x00"
	headerUserVersion   = 60
	headerApplicationID = 68
)

// busyTimeout is how long a connection waits for another program, such as one that
// browses databases, to leave a lock. A stop may have to wait twice, for the last
// group and to fold the log in, and is to take less than 5 s.
const busyTimeout = 2 * time.Second

// logSuffix is what SQLite adds to a database's name for its write-ahead log.
const logSuffix = "-wal"

// writerPragmas are set on the connection that writes.
var writerPragmas = []string{
	// An answer leaves after its bytes are on the disk, also on a Mac, where
	// only this makes the drive itself write.
	"PRAGMA synchronous = FULL",
	"PRAGMA fullfsync = ON",
	"PRAGMA checkpoint_fullfsync = ON",
	// 4 MB of log at which a commit folds what it can into the file, and the
	// size to which the log is cut back once all of it was.
	"PRAGMA wal_autocheckpoint = 1000",
	fmt.Sprintf("PRAGMA journal_size_limit = %d", maxLog),
	"PRAGMA foreign_keys = ON",
	"PRAGMA recursive_triggers = ON", // so that REPLACE meets the delete triggers
	"PRAGMA trusted_schema = OFF",
	"PRAGMA cell_size_check = ON",
	"PRAGMA temp_store = MEMORY",
	"PRAGMA cache_size = -16384", // 16 MiB, for the index of batches
}

// readerPragmas are set on the connections that read.
var readerPragmas = []string{
	"PRAGMA query_only = ON",
	"PRAGMA trusted_schema = OFF",
	"PRAGMA cell_size_check = ON",
	"PRAGMA temp_store = MEMORY",
}

// Open opens the store in a file, and makes the file if there is none. Before it
// changes anything it looks whether the file is Hearth's, of a version that it
// knows and made as it should be; the errors *NotOursError, *NewerError,
// *SchemaError, *DamagedFileError and *AccessError leave every byte as it was.
//
// Nobody else may have the store open for writing at the same time: the one who
// opens it holds a lock of his own.
func Open(ctx context.Context, path string, o Options) (*Store, error) {
	exists, err := inspect(path)
	if err != nil {
		return nil, err
	}
	if !exists {
		if err := create(path); err != nil {
			return nil, err
		}
	}
	conn, err := connect(path, sqlite.OpenReadWrite, writerPragmas)
	if err != nil {
		return nil, opening(path, err)
	}
	have, err := version(conn)
	if err == nil {
		err = logAhead(conn)
	}
	if err == nil {
		err = migrate(conn, have)
	}
	if err != nil {
		return nil, errors.Join(opening(path, err), conn.Close())
	}
	reader, err := newReader(path, path)
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	s, err := newStore(conn, reader, o)
	if err != nil {
		return nil, errors.Join(opening(path, err), conn.Close(), reader.Close())
	}
	if err := s.start(ctx); err != nil {
		return nil, errors.Join(opening(path, err), s.abandon())
	}
	return s, nil
}

// OpenReader opens the store in a file for reading only, and leaves nothing
// beside it that was not there. Nobody may begin to write to it meanwhile: the
// one who opens it holds a lock against that. The errors are those of Open, and
// fs.ErrNotExist.
func OpenReader(path string) (*Reader, error) {
	exists, err := inspect(path)
	if err != nil {
		return nil, err
	}
	if !exists {
		return nil, fmt.Errorf("opening %s: %w", path, fs.ErrNotExist)
	}
	r, err := newReader(path, resting(path))
	if err != nil {
		return nil, err
	}
	r.resting = true
	return r, nil
}

// resting returns the location of a file that nobody writes to. What a killed
// relay wrote last is in the log, so that SQLite has to read both; without a log
// it is told that nothing will change, lest it make one.
func resting(path string) string {
	query := "mode=ro"
	if log, err := os.Stat(path + logSuffix); errors.Is(err, fs.ErrNotExist) || err == nil && log.Size() == 0 {
		query = "immutable=1"
	}
	location := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(path), RawQuery: query}
	if !filepath.IsAbs(path) {
		location.Opaque, location.Path = location.EscapedPath(), ""
	}
	return location.String()
}

// inspect looks at a file without changing it, and says whether it exists.
func inspect(path string) (exists bool, err error) {
	if exists, err = inspectHeader(path); err != nil || !exists {
		return exists, err
	}
	if err := checkLog(path); err != nil {
		return true, err
	}
	conn, err := connect(resting(path), sqlite.OpenReadOnly|sqlite.OpenURI, readerPragmas)
	if err != nil {
		return true, opening(path, err)
	}
	defer func() { err = cmp.Or(err, conn.Close()) }()
	have, err := version(conn)
	if err != nil {
		return true, inspecting(path, err)
	}
	if have > len(migrations) {
		return true, &NewerError{Path: path, Have: have, Know: len(migrations)}
	}
	if err := checkSchema(conn, path, have); err != nil {
		if isA[*SchemaError](err) {
			return true, err
		}
		return true, inspecting(path, err)
	}
	return true, nil
}

// inspecting names the error of looking at a file's schema: one that SQLite cannot
// make sense of is no fault of the question.
func inspecting(path string, err error) error {
	if sqlite.ErrCode(err) == sqlite.ResultError {
		return &DamagedFileError{Path: path, Err: err}
	}
	return opening(path, err)
}

// inspectHeader checks the first bytes of a file.
func inspectHeader(path string) (exists bool, err error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		if log, err := os.Stat(path + logSuffix); err == nil && log.Size() > 0 {
			return false, &DamagedFileError{Path: path, Err: errors.New("the file is gone, but its log is there")}
		}
		return false, nil
	}
	if err != nil {
		return false, &AccessError{Path: path, Err: err}
	}
	defer f.Close()
	var header [headerSize]byte
	if _, err := io.ReadFull(f, header[:]); err != nil {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return true, &DamagedFileError{Path: path, Err: errors.New("it is shorter than its header")}
		}
		return true, &AccessError{Path: path, Err: err}
	}
	if string(header[:len(headerMagic)]) != headerMagic ||
		binary.BigEndian.Uint32(header[headerApplicationID:]) != applicationID {
		return true, &NotOursError{Path: path}
	}
	if have := int(binary.BigEndian.Uint32(header[headerUserVersion:])); have > len(migrations) {
		return true, &NewerError{Path: path, Have: have, Know: len(migrations)}
	}
	return true, nil
}

// create makes a new database beside its place and moves it there when it is
// whole, so that a file with the right name always has the right header.
func create(path string) (err error) {
	temporary := path + ".new"
	for _, old := range []string{temporary, temporary + logSuffix, temporary + "-shm"} {
		if err := os.Remove(old); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return &AccessError{Path: path, Err: err}
		}
	}
	conn, err := connect(temporary, sqlite.OpenReadWrite|sqlite.OpenCreate, writerPragmas)
	if err != nil {
		return opening(path, err)
	}
	for _, pragma := range []string{
		"PRAGMA page_size = 4096",
		// Later versions prune what is not the log; only a new file can be
		// told to give such space back bit by bit.
		"PRAGMA auto_vacuum = INCREMENTAL",
		fmt.Sprintf("PRAGMA application_id = %d", applicationID),
	} {
		if err := sqlitex.ExecuteTransient(conn, pragma, nil); err != nil {
			return cmp.Or(opening(path, err), conn.Close())
		}
	}
	err = logAhead(conn)
	if err == nil {
		err = migrate(conn, 0)
	}
	if err != nil {
		return cmp.Or(opening(path, err), conn.Close())
	}
	if err := conn.Close(); err != nil { // folds the log into the file
		return opening(path, err)
	}
	if err := os.Chmod(temporary, 0o600); err != nil {
		return fmt.Errorf("making %s: %w", path, err)
	}
	if err := os.Rename(temporary, path); err != nil {
		return fmt.Errorf("making %s: %w", path, err)
	}
	if err := durable.SyncFolder(filepath.Dir(path)); err != nil {
		return fmt.Errorf("making %s: %w", path, err)
	}
	return nil
}

// logAhead has a database written by way of a log, which it remembers. One that
// SQLite's own tools made from ours, such as a copy with VACUUM INTO, does not.
func logAhead(conn *sqlite.Conn) error {
	stmt, _, err := conn.PrepareTransient("PRAGMA journal_mode = WAL")
	if err != nil {
		return err
	}
	mode, err := sqlitex.ResultText(stmt)
	if err = cmp.Or(err, stmt.Finalize()); err == nil && mode != "wal" {
		err = fmt.Errorf("its journal mode stays %s", mode) // no error of SQLite's
	}
	return err
}

// connect opens a connection and sets it up.
func connect(path string, flags sqlite.OpenFlags, pragmas []string) (*sqlite.Conn, error) {
	conn, err := sqlite.OpenConn(path, flags)
	if err != nil {
		return nil, err
	}
	conn.SetBusyTimeout(busyTimeout)
	for _, pragma := range pragmas {
		if err := sqlitex.ExecuteTransient(conn, pragma, nil); err != nil {
			return nil, cmp.Or(err, conn.Close())
		}
	}
	return conn, nil
}
