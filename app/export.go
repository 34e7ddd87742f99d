package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"hearth/relay/archive"
	"hearth/relay/console"
	"hearth/relay/durable"
)

// standardStream stands for standard input or output in place of a file.
const standardStream = "-"

// archiveSuffix is how the name of an archive ends unless someone says otherwise.
const archiveSuffix = ".hearth"

type exportCommand struct {
	folderFlag
	Streams string `arg:"" name:"stream" help:"The stream to export; several with commas between them."`
	File    string `arg:"" optional:"" help:"The file to write, - for standard output (default: the stream's name with ${suffix})."`
	Space   string `help:"The streams' space." default:"default" placeholder:"SPACE"`
}

// Help is what --help says beyond the flags.
func (exportCommand) Help() string {
	return `Writes streams into one file that proves itself: with their identities, links, times and writers, as they are at the moment. The file is read back and checked to its last link before it counts; "hearth import" takes it in elsewhere. Entries that are sealed stay sealed.

Examples:

  hearth export notes
  hearth export notes,tasks both.hearth
  hearth export notes - | ssh attic hearth import -`
}

// Run writes streams into a file.
func (c exportCommand) Run(ctx context.Context, out io.Writer) (err error) {
	file, err := c.file()
	if err != nil {
		return err
	}
	l, err := c.look(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	var refs []console.StreamRef
	var all uint64
	for name := range strings.SplitSeq(c.Streams, ",") {
		ref := console.StreamRef{Space: c.Space, Name: name}
		s, err := l.Stream(ctx, ref)
		if errors.Is(err, console.ErrNotFound) {
			return noStream(ref)
		}
		if err != nil {
			return err
		}
		refs, all = append(refs, ref), all+s.Bytes
	}
	if file == standardStream {
		return l.Export(ctx, out, refs)
	}
	bar := newProgressBar(os.Stderr)
	defer bar.clear()
	size, err := writeArchive(file, func(to io.Writer) error {
		return l.Export(ctx, &counting{to: to, show: func(n uint64) { bar.show(min(n, all), all) }}, refs)
	})
	if err != nil {
		return err
	}
	bar.clear()
	return printExported(out, file, size, refs)
}

// file returns the file to write.
func (c exportCommand) file() (string, error) {
	file := c.File
	switch {
	case file == standardStream:
		return file, nil
	case file == "" && strings.Contains(c.Streams, ","):
		return "", &hintedError{errors.New("several streams need the name of a file"), "hearth export " + c.Streams + " FILE"}
	case file == "":
		file = filepath.Base(c.Streams) + archiveSuffix
	}
	if _, err := os.Lstat(file); err == nil {
		return "", &hintedError{fmt.Errorf("there is %s already", file), "name another file, or move that one away"}
	}
	return file, nil
}

// writeArchive makes a file that is there once it is whole and was read back. It
// returns its size.
func writeArchive(file string, export func(io.Writer) error) (size uint64, err error) {
	f, err := os.CreateTemp(filepath.Dir(file), "."+filepath.Base(file)+".*") // with mode 0600
	if err != nil {
		return 0, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	if err = export(f); err == nil {
		err = f.Sync()
	}
	if err == nil {
		size, err = proven(f)
	}
	err = errors.Join(err, f.Close())
	if err != nil {
		return 0, err
	}
	// Not over what has come to be there meanwhile.
	if _, err := os.Lstat(file); !errors.Is(err, fs.ErrNotExist) {
		return 0, errors.Join(fmt.Errorf("there is %s now", file), err)
	}
	if err := os.Rename(f.Name(), file); err != nil {
		return 0, err
	}
	return size, durable.SyncFolder(filepath.Dir(file))
}

// proven reads an archive from its start to its end and returns its size.
func proven(f *os.File) (size uint64, err error) {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return 0, err
	}
	r, err := archive.NewReader(f)
	if err != nil {
		return 0, err
	}
	for err == nil {
		_, err = r.Next()
	}
	if !errors.Is(err, io.EOF) {
		return 0, fmt.Errorf("what was written is not what was to be: %w", err)
	}
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return uint64(info.Size()), nil
}

func printExported(out io.Writer, file string, bytes uint64, refs []console.StreamRef) error {
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, "%s in %s, %s: read back and sound\n", count(uint64(len(refs)), "stream", "streams"), file, size(bytes))
	return w.Flush()
}

// counting tells how many bytes went through it.
type counting struct {
	to   io.Writer
	n    uint64
	show func(n uint64)
}

func (c *counting) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	c.n += uint64(n)
	c.show(c.n)
	return n, err
}
