package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"syscall"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// runsKey is under what the programs are kept that a script lets run.
type runsKey struct{}

// running is the program beside a script. Its output goes to files.
type running struct {
	cmd      *exec.Cmd
	in       io.WriteCloser
	out, err *os.File
}

// end waits until it has ended. Its error is the program's.
func (r *running) end() error {
	guard := time.AfterFunc(patience, func() { _ = r.cmd.Process.Kill() }) // it may have ended
	defer guard.Stop()
	err := r.cmd.Wait()
	r.out.Close()
	r.err.Close()
	return err
}

func runs(ts *testscript.TestScript) map[string]*running {
	return ts.Value(runsKey{}).(map[string]*running)
}

func cmdStart(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: start NAME ARG...")
	}
	r := &running{cmd: exec.Command(filepath.Join(programs, programName), args[1:]...)}
	r.cmd.Dir = ts.Getenv("WORK")
	r.cmd.Env = environment(ts)
	var err error
	r.in, err = r.cmd.StdinPipe()
	ts.Check(err)
	r.out, err = os.Create(ts.MkAbs(args[0] + ".out"))
	ts.Check(err)
	r.err, err = os.Create(ts.MkAbs(args[0] + ".err"))
	ts.Check(err)
	r.cmd.Stdout, r.cmd.Stderr = r.out, r.err
	ts.Check(r.cmd.Start())
	ts.Defer(func() {
		if r.cmd.ProcessState == nil {
			_ = r.cmd.Process.Kill() // it may have ended by now
			_ = r.end()
		}
	})
	runs(ts)[args[0]] = r
}

// runOf returns a program that a script lets run.
func runOf(ts *testscript.TestScript, name string) *running {
	r := runs(ts)[name]
	if r == nil {
		ts.Fatalf("no program is called %q", name)
	}
	return r
}

func cmdSay(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: say NAME TEXT")
	}
	_, err := io.WriteString(runOf(ts, args[0]).in, args[1]+"\n")
	ts.Check(err)
}

func cmdLines(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: lines FILE COUNT")
	}
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
		data, err := os.ReadFile(ts.MkAbs(args[0]))
		ts.Check(err)
		have := bytes.Count(data, []byte("\n"))
		switch {
		case have == want:
			return
		case have > want || time.Now().After(deadline):
			ts.Fatalf("%s has %d lines, not %d:\n%s", args[0], have, want, data)
		}
	}
}

func cmdHear(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: hear NAME")
	}
	r := runOf(ts, args[0])
	ts.Check(r.in.Close())
	ts.Check(r.end())
}

func cmdInterrupt(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: interrupt NAME")
	}
	r := runOf(ts, args[0])
	ts.Check(r.cmd.Process.Signal(syscall.SIGINT))
	ts.Check(r.end())
}
