package sqlite

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"sync"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// applicationID marks a database as Hearth's: "Hrth" in ASCII, in the place that
// SQLite's file format keeps for it.
const applicationID = 0x48727468

//go:embed migrations/*.sql
var migrationFiles embed.FS

// migrations are the steps from an empty database to the present schema; the
// version of a database is how many it has been through. A step that has been
// released is never edited.
var migrations = func() []string {
	names, err := fs.Glob(migrationFiles, "migrations/*.sql")
	if err != nil {
		panic(err) // only a malformed pattern
	}
	slices.Sort(names)
	steps := make([]string, len(names))
	for i, name := range names {
		if want := fmt.Sprintf("migrations/%04d_", i+1); !strings.HasPrefix(name, want) {
			panic(fmt.Sprintf("sqlite: migration %s should start with %s", name, want)) // a test would catch it
		}
		text, err := migrationFiles.ReadFile(name)
		if err != nil {
			panic(err) // embedded files can be read
		}
		steps[i] = string(text)
	}
	return steps
}()

// migrate takes a database from a version to the present one, in one
// transaction.
func migrate(conn *sqlite.Conn, from int) (err error) {
	if from == len(migrations) {
		return nil
	}
	end, err := sqlitex.ImmediateTransaction(conn)
	if err != nil {
		return err
	}
	defer end(&err)
	for _, step := range migrations[from:] {
		if err := sqlitex.ExecuteScript(conn, step, nil); err != nil {
			return err
		}
	}
	return sqlitex.ExecuteTransient(conn, fmt.Sprintf("PRAGMA user_version = %d", len(migrations)), nil)
}

const (
	// eventsVersion is that of databases which have types and commands.
	eventsVersion = 2

	// recentVersion is that of databases whose index lacks the recent batches.
	recentVersion = 3

	// automationsVersion is that of databases which have rules and schedules.
	automationsVersion = 4
)

// version reads how many migrations a database has been through.
func version(conn *sqlite.Conn) (int, error) {
	n, err := sqlitex.ResultInt(conn.Prep("PRAGMA user_version"))
	return n, err
}

// object is a table, an index or a trigger.
type object struct {
	kind, name, sql string
}

// objects lists what a database is made of.
func objects(conn *sqlite.Conn) ([]object, error) {
	var list []object
	err := sqlitex.ExecuteTransient(conn, "SELECT type, name, coalesce(sql, '') FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\'",
		&sqlitex.ExecOptions{ResultFunc: func(stmt *sqlite.Stmt) error {
			list = append(list, object{stmt.ColumnText(0), stmt.ColumnText(1), stmt.ColumnText(2)})
			return nil
		}})
	slices.SortFunc(list, func(a, b object) int { return cmp.Compare(a.name, b.name) })
	return list, err
}

// madeOf lists, by the version of a database, what one is made of. It is found out
// once, by making one.
var madeOf = func() []func() ([]object, error) {
	all := make([]func() ([]object, error), len(migrations)+1)
	for version := range all {
		all[version] = sync.OnceValues(func() (list []object, err error) {
			fresh, err := sqlite.OpenConn(":memory:", sqlite.OpenReadWrite|sqlite.OpenCreate|sqlite.OpenMemory)
			if err != nil {
				return nil, err
			}
			defer func() { err = cmp.Or(err, fresh.Close()) }()
			for _, step := range migrations[:version] {
				if err := sqlitex.ExecuteScript(fresh, step, nil); err != nil {
					return nil, err
				}
			}
			return objects(fresh)
		})
	}
	return all
}()

// checkSchema compares what a database is made of with what the migrations up
// to its version make. The error is a *SchemaError: a promise that is missing
// there is one that the database would not keep.
func checkSchema(conn *sqlite.Conn, path string, version int) error {
	want, err := madeOf[version]()
	if err != nil {
		return err
	}
	have, err := objects(conn)
	if err != nil {
		return err
	}
	for _, o := range want {
		if !slices.Contains(have, o) {
			return &SchemaError{Path: path, Reason: fmt.Sprintf("its %s %q is missing or altered", o.kind, o.name)}
		}
	}
	for _, o := range have {
		if !slices.Contains(want, o) {
			return &SchemaError{Path: path, Reason: fmt.Sprintf("it has a %s %q that Hearth did not make", o.kind, o.name)}
		}
	}
	return nil
}
