package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// startTime is how long the program may take until it serves.
const startTime = time.Minute

// program is Hearth at work.
type program struct {
	cmd     *exec.Cmd
	address string
}

// launch starts the program without waiting for it.
func launch(ctx context.Context, path, folder string, environment []string, arguments ...string) (*program, error) {
	// What an earlier run left would be taken for what this one says.
	if err := os.RemoveAll(filepath.Join(folder, "run.json")); err != nil {
		return nil, err
	}
	p := &program{cmd: exec.CommandContext(ctx, path, append(arguments, "--data", folder, "--listen", "127.0.0.1:0")...)}
	p.cmd.Env = environment
	return p, p.cmd.Start()
}

// serving waits until the program says where it serves.
func (p *program) serving(ctx context.Context, folder string) error {
	for begun := time.Now(); time.Since(begun) < startTime; time.Sleep(10 * time.Millisecond) {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		var told struct{ URL string }
		data, err := os.ReadFile(filepath.Join(folder, "run.json"))
		if err != nil || json.Unmarshal(data, &told) != nil || told.URL == "" {
			continue
		}
		u, err := url.Parse(told.URL)
		if err != nil {
			return err
		}
		p.address = u.Host
		return nil
	}
	return fmt.Errorf("%s does not serve", p.cmd.Path)
}

// used is the processor time that the program has taken so far: the kernel counts
// it in hundredths of a second.
func (p *program) used() (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", p.cmd.Process.Pid))
	if err != nil {
		return 0, err
	}
	// The name in parentheses may hold anything; user and system time are the
	// 12th and 13th fields after it.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	var ticks int
	for _, f := range fields[11:13] {
		n, err := strconv.Atoi(string(f))
		if err != nil {
			return 0, err
		}
		ticks += n
	}
	return time.Duration(ticks) * 10 * time.Millisecond, nil
}

// share is the part of a core that the program takes during a time.
func (p *program) share(ctx context.Context, during time.Duration) (float64, error) {
	before, err := p.used()
	if err != nil {
		return 0, err
	}
	begun := time.Now()
	select {
	case <-ctx.Done():
		return 0, ctx.Err()
	case <-time.After(during):
	}
	after, err := p.used()
	return (after - before).Seconds() / time.Since(begun).Seconds(), err
}

// stop ends the program as a logout would, and waits for it.
func (p *program) stop() error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	return p.cmd.Wait()
}
