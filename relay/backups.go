package relay

import (
	"context"
	"errors"
	"path/filepath"

	"hearth/relay/backup"
	"hearth/relay/console"
)

// BackupFolder returns the folder in a data folder that backups go to unless there
// is a better one: on the same disk they help against mistakes, not against its end.
func BackupFolder(dir string) string { return filepath.Join(dir, "backups") }

// PlanBackups puts a plan into effect.
func (r *Relay) PlanBackups(_ context.Context, p backup.Plan) error { return p.Check() }

// Backups implements [console.Relay].
func (l look) Backups(context.Context) (console.Backups, error) {
	return console.Backups{Folder: BackupFolder(l.dir), Keep: backup.DefaultKeep}, nil
}

// BackUp implements [console.Relay].
func (l look) BackUp(context.Context, string, func(done, total uint64)) (console.Backup, error) {
	return console.Backup{}, errors.New("this version makes no backups yet")
}
