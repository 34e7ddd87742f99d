package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"text/tabwriter"

	"hearth/relay"
	"hearth/relay/backup"
)

type restoreCommand struct {
	folderFlag
	File     string `arg:"" help:"The backup." type:"path"`
	Identity string `help:"The file with the secret key that opens an encrypted one, as age-keygen makes it." placeholder:"FILE" type:"path"`
	Force    bool   `help:"Replace data that holds what the backup does not. It is moved aside."`
}

// Help is what --help says beyond the flags.
func (restoreCommand) Help() string {
	return `Brings back a backup, after all of it was proven, on data that no relay runs on. What lies there is moved to a folder before-restore-TIME in the data folder, and never removed.

Where that holds anything newer or other than the backup, it is left as it is without --force, and the streams are listed. Each stream is said to be, with what its readers will notice:

  same       ends where it did: nothing
  forward    the backup has more of it: nothing
  new        it was not there
  back       ends earlier: who has read on is told so, and reads anew
  diverged   went on in another way: the same
  replaced   the name is another stream's now: the same
  gone       the backup does not have it: it is not found

Examples:

  hearth restore /mnt/nas/hearth/hearth-20261130T081500Z.backup
  hearth restore --identity key.txt --data /srv/hearth hearth-20261130T081500Z.backup.age`
}

// maxIdentity bounds the file with the secret key, in bytes. It takes some hundred.
const maxIdentity = 64 << 10

// Run restores a backup.
func (c restoreCommand) Run(ctx context.Context, out io.Writer) error {
	folder, err := c.path()
	if err != nil {
		return err
	}
	bar := newProgressBar(os.Stderr)
	r := relay.Restore{File: c.File, Force: c.Force, Progress: bar.show}
	if c.Identity != "" {
		if r.Identities, err = readBounded(c.Identity, maxIdentity); err != nil {
			return err
		}
	}
	done, err := r.Run(ctx, folder)
	bar.clear()
	if err != nil {
		return c.explained(out, folder, err)
	}
	t := tabwriter.NewWriter(out, 0, 0, columnGap, ' ', 0)
	fmt.Fprintf(t, "restored\t%s, made %s\n", printable(filepath.Base(c.File)), moment(done.Made))
	fmt.Fprintf(t, "to\t%s\n", folder)
	if done.Aside != "" {
		fmt.Fprintf(t, "the old data\tis in %s\n", done.Aside)
	}
	switch {
	case done.ID == "":
		fmt.Fprintln(t, "relay\tgets a new key and id with its next start: the backup has none, since it is not encrypted")
	case done.ID != done.OldID:
		fmt.Fprintf(t, "relay\thas the id %s again\n", done.ID)
	}
	for _, name := range done.Lacking {
		fmt.Fprintf(t, "LACKS\t%s, which was damaged when the backup was made\n", printable(name))
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return printFates(out, done.Streams)
}

// explained adds to an error what the person can do.
func (c restoreCommand) explained(out io.Writer, folder string, err error) error {
	if newer, ok := errors.AsType[*relay.NewerError](err); ok {
		if err := printFates(out, newer.Streams); err != nil {
			return err
		}
		return &hintedError{err, "--force restores all the same, and moves what is there aside; another folder is named with --data"}
	}
	if _, ok := errors.AsType[*backup.LockedError](err); ok {
		return &hintedError{err, "name the file with the secret key with --identity"}
	}
	return alreadyRunning(folder, err)
}

// printFates lists what becomes of each stream.
func printFates(out io.Writer, streams []relay.RestoredStream) error {
	if len(streams) == 0 {
		return nil
	}
	t := tabwriter.NewWriter(out, 0, 0, columnGap, ' ', 0)
	fmt.Fprintln(t, "STREAM\tBEFORE\tAFTER\tFATE\tREADERS")
	for _, s := range streams {
		name := printable(s.Name)
		if s.Space != defaultSpace {
			name += " in " + printable(s.Space)
		}
		notice := "notice nothing"
		if s.Fate.Noticed() {
			notice = "will notice"
		}
		fmt.Fprintf(t, "%s\t%d\t%d\t%s\t%s\n", name, s.Before, s.Head, s.Fate, notice)
	}
	return t.Flush()
}

// readBounded reads a file that is not larger than so many bytes.
func readBounded(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, most+1))
	if err == nil && int64(len(data)) > most {
		err = fmt.Errorf("%s is larger than %d bytes", path, most)
	}
	return data, err
}
