package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// kind tells the servers apart.
type kind int

const (
	hearth kind = iota
	published
	ceiling
)

// target is a server to measure.
type target struct {
	kind     kind
	name     string // as the table calls it
	database string // the file that its data folder is about

	// prepare readies a new data folder and returns the access key that clients
	// need there, if they do.
	prepare func(ctx context.Context, folder string) (key string, err error)

	// command is the program with its arguments.
	command func(folder, address string) []string
}

// spaces' quota and rate limit of the published relay, out of the way: as many
// bytes as no run writes, and the largest rate that it takes.
const (
	publishedQuota = "1024GiB"
	publishedRate  = "4294967295"
)

// targets returns the servers, in the order in which they take turns. The
// published relay is left out if there is no program.
func targets(ctx context.Context, hearthProgram, publishedProgram string) ([]*target, error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	name, err := firstLine(ctx, hearthProgram, "version")
	if err != nil {
		return nil, fmt.Errorf("the program to measure: %w", err)
	}
	all := []*target{{
		kind: hearth, name: name, database: "hearth.db",
		command: func(folder, address string) []string {
			return []string{hearthProgram, "serve", "--data", folder, "--listen", address, "--log-level", "error"}
		},
	}}
	if _, err := os.Stat(publishedProgram); err == nil {
		name, err := firstLine(ctx, publishedProgram, "--version")
		if err != nil {
			return nil, fmt.Errorf("the published relay: %w", err)
		}
		all = append(all, &target{
			kind: published, name: name, database: "relay.sqlite3",
			prepare: func(ctx context.Context, folder string) (string, error) {
				key, err := exec.CommandContext(ctx, publishedProgram, "keys", "add", "bench", "write", "--data", folder).Output()
				return strings.TrimSpace(string(key)), err
			},
			// It syncs each commit by itself (WAL, synchronous=FULL) and cannot be told
			// otherwise. Unlike Hearth it logs each request unless told not to.
			command: func(folder, address string) []string {
				return []string{
					"env", "EFEMA_LOG=error", publishedProgram, "serve", "--data", folder, "--listen", address,
					"--rate", publishedRate, "--space-quota", publishedQuota,
				}
			},
		})
	}
	return append(all, &target{
		kind: ceiling, name: "does nothing",
		command: func(_, address string) []string { return []string{self, ceilingCommand, address} },
	}), nil
}

// firstLine returns the first line that a program prints.
func firstLine(ctx context.Context, program string, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, program, args...).Output()
	line, _, _ := strings.Cut(string(out), "\n")
	return strings.TrimSpace(line), err
}

// databaseSize returns how large the target's database in a folder is, in bytes.
// The log beside it does not count: a stop folds it in but for the last of it.
func (t *target) databaseSize(folder string) (int64, error) {
	info, err := os.Stat(filepath.Join(folder, t.database))
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// String returns what the table calls it.
func (k kind) String() string {
	return [...]string{hearth: "Hearth", published: "efema-server", ceiling: "does nothing"}[k]
}
