package relay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"hearth/relay/archive"
	"hearth/relay/backup"
	"hearth/relay/console"
)

// maxKeptFile bounds the small files that come along in a backup, in bytes: each
// takes some hundred.
const maxKeptFile = 64 << 10

// BackupFolder returns the folder in a data folder that backups go to unless there
// is a better one: on the same disk they help against mistakes, not against its end.
func BackupFolder(dir string) string { return filepath.Join(dir, "backups") }

// newKeeper returns who keeps the backups of the data in a folder. Who makes them
// beside a relay that runs, which is if changed is given, rests as a check does.
func newKeeper(dir string, source backup.Source, id string, o Options, changed func()) *backup.Keeper {
	m := backup.Maker{
		Source: source, Relay: id, Version: o.Version, Free: func(folder string) uint64 { return roomIn(dir, folder) },
		Files: func(encrypted bool) ([]archive.File, error) { return filesOf(dir, encrypted) },
	}
	if changed != nil {
		m.Rest = checkRest
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return backup.NewKeeper(m, planIn(dir, o.Backups), o.Logger, changed)
}

// roomIn returns how many bytes backups may take in a folder; 0 if that is not known.
// Those in the data folder leave the relay what it needs itself.
func roomIn(dir, folder string) uint64 {
	free := diskFree(folder)
	if free > 0 && folder == BackupFolder(dir) {
		return max(1, free-min(free, scarce))
	}
	return free
}

// planIn fills in what a plan leaves out.
func planIn(dir string, p backup.Plan) backup.Plan {
	own := BackupFolder(dir)
	if p.Folder == "" {
		p.Folder = own
	}
	if p.Keep == 0 {
		p.Keep = backup.DefaultKeep
	}
	p.Own = p.Folder == own
	return p
}

// filesOf returns the small files that belong to the relay in a data folder. Its key
// is a secret, and goes only where nobody else can read it.
func filesOf(dir string, encrypted bool) (list []archive.File, err error) {
	names := []string{settingsFile}
	if encrypted {
		names = append(names, identityFile)
	}
	for _, name := range names {
		data, err := readSmall(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		list = append(list, archive.File{Name: name, Data: data})
	}
	return list, nil
}

func readSmall(path string) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxKeptFile+1))
	if err == nil && len(data) > maxKeptFile {
		err = fmt.Errorf("%s is larger than %d bytes", path, maxKeptFile)
	}
	return data, err
}

// PlanBackups puts another plan into effect. If its folder was chosen with it, or is
// another one than before, it is made one for backups by that, and has to be there, but
// for the one in the data folder. The error is a sentence, and leaves all as it was.
func (r *Relay) PlanBackups(p backup.Plan, chosen bool) error {
	return r.backups.Change(planIn(r.dir, p), chosen)
}

// AssumeBackups tells of the plan that is in effect, which only whoever keeps the
// settings knows.
func (s *Stopped) AssumeBackups(p backup.Plan) error { return s.backups.Assume(planIn(s.dir, p)) }

// PlanBackups puts another plan into effect, as that of a relay does.
func (s *Stopped) PlanBackups(p backup.Plan, chosen bool) error {
	return s.backups.Change(planIn(s.dir, p), chosen)
}

// Backups implements [console.Relay].
func (l look) Backups(context.Context) (console.Backups, error) {
	s := l.backups.State()
	b := console.Backups{
		Folder: s.Folder, Every: s.Every, Keep: s.Keep, Recipient: s.Recipient, Next: s.Next, Failed: backupFailure(s),
		Running: s.Running, Done: s.Done, Total: s.Total,
	}
	for _, k := range s.Kept {
		b.Kept = append(b.Kept, shownBackup(k))
	}
	if len(b.Kept) > 0 {
		b.Last = b.Kept[0].Made
	}
	return b, nil
}

// Backups implements [console.Relay].
func (s *Stopped) Backups(ctx context.Context) (console.Backups, error) {
	s.backups.Look()
	return s.look.Backups(ctx)
}

func shownBackup(k backup.Kept) console.Backup {
	b := console.Backup{
		Name: k.Name, Made: k.Made, Bytes: uint64(k.Bytes), Streams: k.Streams, Entries: k.Entries, Encrypted: k.Encrypted,
	}
	for _, l := range k.Lacking {
		b.Lacking = append(b.Lacking, console.StreamRef(l))
	}
	return b
}

// backupFailure says what is wrong with backups; empty if nothing is.
func backupFailure(s backup.State) string {
	switch {
	case s.Failed != nil:
		text := s.Failed.Error()
		return "No backup could be made: " + strings.TrimSuffix(text, ".") + "."
	case len(s.Kept) > 0 && len(s.Kept[0].Lacking) > 0:
		return fmt.Sprintf("The newest backup lacks the stream %q, which is damaged, and perhaps others; older backups are all kept meanwhile.",
			s.Kept[0].Lacking[0].Name)
	default:
		return ""
	}
}

// BackUp implements [console.Relay].
func (l look) BackUp(ctx context.Context, folder string, progress func(done, total uint64)) (console.Backup, error) {
	if folder != "" && !filepath.IsAbs(folder) {
		return console.Backup{}, fmt.Errorf("the folder for backups is named with its whole path, and %q is not", folder)
	}
	k, err := l.backups.BackUp(ctx, folder, progress)
	if errors.Is(err, backup.ErrRunning) {
		err = console.ErrBackingUp
	}
	return shownBackup(k), err
}

// BackUp implements [console.Relay]. It breaks off when the relay stops.
func (v view) BackUp(ctx context.Context, folder string, progress func(done, total uint64)) (console.Backup, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(v.relay.life, cancel)()
	return v.look.BackUp(ctx, folder, progress)
}
