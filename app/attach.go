package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"time"

	"hearth/relay"
	"hearth/relay/console"
	"hearth/relay/consolehttp"
)

// probePatience is how long a running relay may take to say that it is there.
const probePatience = 3 * time.Second

// looker is what the owner's commands need of a relay.
type looker interface {
	io.Closer
	Overview(ctx context.Context) (console.Overview, error)
	Streams(ctx context.Context, after console.StreamRef, limit int) ([]console.Stream, error)
	Stream(ctx context.Context, ref console.StreamRef) (console.Stream, error)
	Entries(ctx context.Context, ref console.StreamRef, before uint64, limit int) ([]console.Entry, error)
	Verify(ctx context.Context, only console.StreamRef, progress func(done, total uint64)) (console.Verification, error)
	Backups(ctx context.Context) (console.Backups, error)
	BackUp(ctx context.Context, folder string, progress func(done, total uint64)) (console.Backup, error)
	Export(ctx context.Context, to io.Writer, streams []console.StreamRef) error
}

// look looks at the relay that runs on the data folder, or if none does, at its data.
func (f folderFlag) look(ctx context.Context) (looker, error) {
	folder, err := f.path()
	if err != nil {
		return nil, err
	}
	l, _, err := attach(ctx, folder)
	return l, err
}

// attach looks at the relay that runs on a data folder, or if none does, at
// its data. run is nil if none does.
func attach(ctx context.Context, folder string) (l looker, run *runFile, err error) {
	client, run, err := attachRunning(ctx, folder)
	if err != nil {
		return nil, nil, err
	}
	if client != nil {
		return client, run, nil
	}
	data, err := relay.Look(ctx, folder)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, &hintedError{
			fmt.Errorf("no relay has run on %s yet", folder),
			`"hearth serve" starts one; --data names another data folder`,
		}
	}
	if err != nil {
		return nil, nil, err
	}
	return data, nil, nil
}

// attachRunning returns a client of the relay that runs on a data folder, or
// nil if none does. A relay that died without a goodbye has left its run file;
// whoever has its port now does not take its token.
func attachRunning(ctx context.Context, folder string) (*consolehttp.Client, *runFile, error) {
	run, err := readRunFile(folder)
	if err != nil || run == nil {
		return nil, nil, err
	}
	client := consolehttp.NewClient(consolehttp.At(run.URL, run.Token))
	probe, cancel := context.WithTimeout(ctx, probePatience)
	defer cancel()
	if _, err := client.Overview(probe); err != nil {
		return nil, nil, client.Close()
	}
	return client, run, nil
}
