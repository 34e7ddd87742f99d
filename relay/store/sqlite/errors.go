package sqlite

import (
	"errors"
	"fmt"

	"hearth/relay/store"

	"zombiezen.com/go/sqlite"
)

// NotOursError says that a file is no database of Hearth's.
type NotOursError struct {
	Path string
}

func (e *NotOursError) Error() string {
	return fmt.Sprintf("%s is not a database of Hearth's; it was left as it is: move it away or choose another data folder", e.Path)
}

// NewerError says that a database was written by a later version of Hearth.
type NewerError struct {
	Path string
	Have int // the database's version
	Know int // the latest that this program knows
}

func (e *NewerError) Error() string {
	return fmt.Sprintf("%s was written by a newer Hearth (its schema is version %d, this program knows %d); it was left as it is: update Hearth",
		e.Path, e.Have, e.Know)
}

// SchemaError says that a database is not made as Hearth makes it.
type SchemaError struct {
	Path   string
	Reason string
}

func (e *SchemaError) Error() string {
	return fmt.Sprintf("%s is not as Hearth made it: %s; it was left as it is: restore it from a backup", e.Path, e.Reason)
}

// DamagedFileError says that SQLite cannot make sense of a database.
type DamagedFileError struct {
	Path string
	Err  error
}

func (e *DamagedFileError) Error() string {
	return fmt.Sprintf("%s is damaged (%v); it was left as it is: restore it from a backup", e.Path, e.Err)
}

func (e *DamagedFileError) Unwrap() error { return e.Err }

// AccessError says that the system does not let a database be opened, or not for
// writing.
type AccessError struct {
	Path string
	Err  error
}

func (e *AccessError) Error() string {
	return fmt.Sprintf("%s cannot be opened (%v): make it and its folder writable for you, or choose another data folder", e.Path, e.Err)
}

func (e *AccessError) Unwrap() error { return e.Err }

// opening names the error of opening a file.
func opening(path string, err error) error {
	switch sqlite.ErrCode(err).ToPrimary() {
	case sqlite.ResultCorrupt, sqlite.ResultNotADB:
		return &DamagedFileError{Path: path, Err: err}
	case sqlite.ResultCantOpen, sqlite.ResultReadOnly, sqlite.ResultPerm:
		return &AccessError{Path: path, Err: err}
	default:
		return fmt.Errorf("opening %s: %w", path, err)
	}
}

// failure names the error of a statement. An error that has a type of the
// store's stays what it is.
func failure(doing string, err error) error {
	switch sqlite.ErrCode(err).ToPrimary() {
	case sqlite.ResultFull:
		return &store.FullError{Err: err}
	default:
		return fmt.Errorf("%s: %w", doing, err)
	}
}

// failed is failure for what may be no error.
func failed(doing string, err error) error {
	if err == nil {
		return nil
	}
	return failure(doing, err)
}

// isRefusal tells the errors by which one operation is refused, having done
// nothing, from the failures that end the transaction around it.
func isRefusal(err error) bool {
	return isA[*store.NotFoundError](err) || isA[*store.ReplacedError](err) ||
		isA[*store.EpochBehindError](err) || isA[*store.OutOfPlaceError](err) ||
		isA[*store.WrongKindError](err) || isA[*store.DamagedError](err) ||
		isA[*store.UnknownChainError](err) || isA[*store.NotFirstError](err) ||
		isA[*store.UnknownTypeError](err) || isA[*store.TooManyTypesError](err) ||
		isA[*store.StaleError](err) || isA[*store.UnknownRuleError](err) || isA[*store.UnknownRunError](err) ||
		isA[*store.UnknownLetterError](err) || isA[*store.UnknownScheduleError](err) ||
		isA[*store.TooManyRulesError](err) || isA[*store.TooManySchedulesError](err)
}

func isA[E error](err error) bool {
	_, ok := errors.AsType[E](err)
	return ok
}
