package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"
	"time"

	"hearth/relay"
	"hearth/relay/console"
	"hearth/relay/consolehttp"
)

type backupCommand struct {
	folderFlag
	Folder    string         `arg:"" optional:"" name:"folder" help:"Where to; without one, where the settings say: to backups in the data folder at first."`
	Every     *time.Duration `help:"From now on make one this often, such as 24h, while the relay runs; 0 stops that." placeholder:"TIME"`
	Keep      *int           `help:"From now on keep so many, and remove older ones." placeholder:"NUMBER"`
	Recipient *string        `help:"From now on encrypt to this public key of age's; an empty one stops that." placeholder:"age1…"`
	JSON      bool           `help:"Print JSON."`
}

// Help is what --help says beyond the flags.
func (backupCommand) Help() string {
	return `Makes a backup now: one file, named by its time. It is read back and checked, link by link, before it counts, and only then older ones are removed. A running relay makes it beside serving; the data of a stopped one is read directly.

With --every, --keep or --recipient the folder and these are kept as settings. The folder has to be there; a file that Hearth puts into it tells a share that is mounted from one that is not. Named together with one of these it is chosen anew, as after its disk was replaced. Without --recipient whoever has the file can read it, and the relay's key is left out: restored elsewhere, the relay gets a new one.

Examples:

  hearth backup
  hearth backup /media/stick
  hearth backup --every 24h --keep 14 --recipient age1… /mnt/nas/hearth`
}

// Run makes a backup, and keeps what was said of those to come.
func (c backupCommand) Run(ctx context.Context, out io.Writer) (err error) {
	folder, err := c.path()
	if err != nil {
		return err
	}
	to := ""
	if c.Folder != "" {
		if to, err = filepath.Abs(c.Folder); err != nil {
			return err
		}
	}
	l, _, err := attach(ctx, folder)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	if data, ok := l.(*relay.Stopped); ok {
		s, err := loadSettings(givens{folder: console.Value[string]{Value: folder, Origin: console.OriginFlag}})
		if err == nil {
			err = data.AssumeBackups(s.backupPlan())
		}
		if err != nil {
			return err
		}
	}
	if c.Every != nil || c.Keep != nil || c.Recipient != nil {
		change := console.BackupChange{BackupEvery: c.Every, BackupKeep: c.Keep, BackupRecipient: c.Recipient}
		if to != "" {
			change.BackupFolder = &to
		}
		if err := changeBackups(ctx, l, folder, change); err != nil {
			return err
		}
		if c.Every != nil && *c.Every == 0 {
			return c.told(ctx, out, l, to, nil)
		}
		to = ""
	}
	bar := newProgressBar(os.Stderr)
	b, err := l.BackUp(ctx, to, bar.show)
	bar.clear()
	if err != nil {
		return err
	}
	return c.told(ctx, out, l, to, &b)
}

// changeBackups keeps settings of backups: by way of the relay if one runs, else in
// the file.
func changeBackups(ctx context.Context, l looker, folder string, change console.BackupChange) error {
	data, stopped := l.(*relay.Stopped)
	if !stopped {
		running, ok := l.(console.Settings)
		if !ok {
			return errors.New("the relay does not show its settings")
		}
		_, err := running.Change(ctx, console.Change{BackupChange: change})
		return err
	}
	s, err := loadSettings(givens{folder: console.Value[string]{Value: folder, Origin: console.OriginFlag}})
	if err != nil {
		return err
	}
	if s, err = s.with(console.Change{BackupChange: change}); err != nil {
		return err
	}
	if err := data.PlanBackups(s.backupPlan(), change.BackupFolder != nil); err != nil {
		return err
	}
	return s.kept.write(folder)
}

// backedUp is what was made, and what is planned, in JSON.
type backedUp struct {
	Made *consolehttp.Backup `json:"made,omitempty"`
	consolehttp.Backups
}

// told tells of a backup that was made in a folder, if one was, and of those to come.
// An empty folder is that of the settings.
func (c backupCommand) told(ctx context.Context, out io.Writer, l looker, folder string, made *console.Backup) error {
	all, err := l.Backups(ctx)
	if err != nil {
		return err
	}
	if folder == "" {
		folder = all.Folder
	}
	if c.JSON {
		shown := backedUp{Backups: consolehttp.BackupsOf(all)}
		if made != nil {
			shown.Made = new(consolehttp.BackupOf(*made))
		}
		return printJSON(out, shown)
	}
	t := tabwriter.NewWriter(out, 0, 0, columnGap, ' ', 0)
	if made != nil {
		printBackup(t, folder, *made)
	}
	if all.Every > 0 {
		fmt.Fprintf(t, "from now on\tevery %v to %s, the last %d are kept\n", interval(all.Every), printable(all.Folder), all.Keep)
	} else {
		fmt.Fprintln(t, "from now on\tonly when you ask for one: --every 24h makes one daily")
	}
	return t.Flush()
}

func printBackup(t io.Writer, folder string, b console.Backup) {
	fmt.Fprintf(t, "backed up\t%s\n", printable(filepath.Join(folder, b.Name)))
	fmt.Fprintf(t, "holds\t%s, %s; %s, read back and proven\n", count(uint64(b.Streams), "stream", "streams"),
		count(b.Entries, "entry", "entries"), size(b.Bytes))
	for _, l := range b.Lacking {
		fmt.Fprintf(t, "LACKS\t%s, which is damaged; older backups are all kept\n", printable(l.Name))
	}
	if b.Encrypted {
		fmt.Fprintln(t, "encrypted\tyes, with the relay's key in it; only your secret key opens it")
	} else {
		fmt.Fprintln(t, "encrypted\tno: whoever has the file can read it; the relay's key is left out")
	}
}
