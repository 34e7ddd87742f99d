package main

import (
	"bufio"
	"bytes"
	"encoding/hex"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/fxamacker/cbor/v2"
	"github.com/rogpeppe/go-internal/testscript"

	"hearth/relay/console"
)

var programName = map[bool]string{true: "hearth.exe", false: "hearth"}[runtime.GOOS == "windows"]

// patience is how long a program under test may take for anything. Only a
// program that hangs takes as long.
const patience = time.Minute

// The promises of the command line, each a script in testdata/script that runs
// the built program. Beside testscript's own commands there are:
//
//	serve NAME ARG...        starts "hearth serve", waits until it listens, and
//	                         puts its URL into $NAME and its port into $NAME_port
//	quiet FOLDER             makes a data folder whose relay tells nothing on _relay,
//	                         which would count among the streams
//	finish NAME              asks it to stop and expects success; its output is
//	                         then in NAME.out and NAME.err
//	hurry NAME               asks it to stop again and again, and expects that it
//	                         did not end by itself
//	crash NAME               kills it
//	write URL STREAM TEXT... appends a batch
//	stall URL STREAM         begins to write, and goes silent
//	poke FILE OFFSET HEX     overwrites bytes
//	replace FILE OLD NEW     replaces a text by one of the same length, wherever it is
//	newest FOLDER NAME       puts the path of the newest backup in a folder into $NAME
//	hold NAME                listens at a port, which it puts into $NAME_port
//	start NAME ARG...        starts the program, with its output in NAME.out and NAME.err
//	say NAME TEXT            gives a program that was started a line to read
//	lines FILE COUNT         waits until a file has so many lines
//	hear NAME                lets a program read its input's end, and expects success
//	interrupt NAME           interrupts a program, and expects success
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", programs+string(filepath.ListSeparator)+env.Getenv("PATH"))
			env.Setenv("XDG_DATA_HOME", filepath.Join(env.WorkDir, "share"))
			env.Setenv("NO_PROXY", "*")
			env.Values[relaysKey{}] = make(map[string]*process)
			env.Values[runsKey{}] = make(map[string]*running)
			return backupKeys(env)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"serve": cmdServe, "finish": cmdFinish, "hurry": cmdHurry, "crash": cmdCrash,
			"quiet": cmdQuiet, "write": cmdWrite, "stall": cmdStall, "poke": cmdPoke, "replace": cmdReplace, "hold": cmdHold,
			"newest": cmdNewest,
			"start":  cmdStart, "say": cmdSay, "lines": cmdLines, "hear": cmdHear, "interrupt": cmdInterrupt,
		},
	})
}

// relaysKey is under what a script's relays are kept.
type relaysKey struct{}

// process is a relay that a script has started.
type process struct {
	cmd      *exec.Cmd
	out, err bytes.Buffer
	read     chan struct{} // closed when its standard output has ended
}

func cmdServe(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) == 0 {
		ts.Fatalf("usage: serve NAME ARG...")
	}
	p := &process{cmd: exec.Command(filepath.Join(programs, programName), append([]string{"serve"}, args[1:]...)...)}
	p.cmd.Dir = ts.Getenv("WORK")
	p.cmd.Env = environment(ts)
	p.cmd.Stderr = &p.err
	stdout, err := p.cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(p.cmd.Start())
	ts.Defer(func() {
		if p.cmd.ProcessState == nil {
			_ = p.cmd.Process.Kill() // it may have ended by now
			_ = p.wait()
		}
	})
	first := make(chan string, 1)
	p.read = make(chan struct{})
	go func() {
		defer close(p.read)
		lines := bufio.NewScanner(stdout)
		for n := 0; lines.Scan(); n++ {
			if n == 0 {
				first <- lines.Text()
			}
			p.out.WriteString(lines.Text() + "\n")
		}
		close(first)
	}()
	select {
	case line := <-first:
		url, ok := strings.CutPrefix(line, "listening on ")
		if !ok {
			_ = p.wait()
			ts.Fatalf("serve said %q\n%s", line, p.err.String())
		}
		ts.Setenv(args[0], url)
		ts.Setenv(args[0]+"_port", url[strings.LastIndexByte(url, ':')+1:])
	case <-time.After(patience):
		ts.Fatalf("serve does not say that it listens")
	}
	relays(ts)[args[0]] = p
}

func cmdQuiet(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: quiet FOLDER")
	}
	folder := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(folder, 0o700))
	ts.Check(keptSettings{Untold: new(console.Happenings())}.write(folder))
}

// environment returns a script's variables.
func environment(ts *testscript.TestScript) []string {
	env := os.Environ()
	for _, name := range []string{
		"PATH", "HOME", "XDG_DATA_HOME", "HEARTH_DATA", "HEARTH_LISTEN", "HEARTH_PORT", "HEARTH_NAME", "HEARTH_OPEN", "HEARTH_LOG_LEVEL",
		"HEARTH_INTERFACES", "HEARTH_ADVERTISE_ADDRESSES",
	} {
		if value := ts.Getenv(name); value != "" {
			env = append(env, name+"="+value)
		}
	}
	return env
}

func relays(ts *testscript.TestScript) map[string]*process {
	return ts.Value(relaysKey{}).(map[string]*process)
}

// take returns a relay that a script has started, for the last time.
func take(ts *testscript.TestScript, neg bool, args []string) *process {
	if neg || len(args) != 1 || relays(ts)[args[0]] == nil {
		ts.Fatalf("there is no relay %q", args)
	}
	p := relays(ts)[args[0]]
	delete(relays(ts), args[0])
	return p
}

// wait waits until the process has ended and its output is read.
func (p *process) wait() error {
	<-p.read
	return p.cmd.Wait()
}

func cmdFinish(ts *testscript.TestScript, neg bool, args []string) {
	p := take(ts, neg, args)
	ts.Check(p.cmd.Process.Signal(syscall.SIGTERM))
	guard := time.AfterFunc(patience, func() { _ = p.cmd.Process.Kill() })
	defer guard.Stop()
	err := p.wait()
	ts.Check(os.WriteFile(ts.MkAbs(args[0]+".out"), p.out.Bytes(), 0o600))
	ts.Check(os.WriteFile(ts.MkAbs(args[0]+".err"), p.err.Bytes(), 0o600))
	if err != nil {
		ts.Fatalf("the relay ended with %v\n%s", err, p.err.String())
	}
}

func cmdHurry(ts *testscript.TestScript, neg bool, args []string) {
	p := take(ts, neg, args)
	ended := make(chan error, 1)
	go func() { ended <- p.wait() }()
	for {
		// It fails once the process is gone, which shows below.
		_ = p.cmd.Process.Signal(syscall.SIGTERM)
		select {
		case <-ended:
			status := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
			if !status.Signaled() || status.Signal() != syscall.SIGTERM {
				ts.Fatalf("the relay ended with %v, not at once", p.cmd.ProcessState)
			}
			return
		case <-time.After(20 * time.Millisecond):
		}
	}
}

func cmdCrash(ts *testscript.TestScript, neg bool, args []string) {
	p := take(ts, neg, args)
	ts.Check(p.cmd.Process.Kill())
	_ = p.wait() // killed, it says
}

func cmdWrite(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 3 {
		ts.Fatalf("usage: write URL STREAM TEXT...")
	}
	entries := make([][]byte, 0, len(args)-2)
	for _, text := range args[2:] {
		entries = append(entries, []byte(text))
	}
	body, err := cbor.Marshal(map[int]any{0: 7, 1: entries})
	ts.Check(err)
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	response, err := client.Post(args[0]+"/v1/streams/"+args[1]+"/entries", "application/cbor", bytes.NewReader(body))
	ts.Check(err)
	ts.Check(response.Body.Close())
	if response.StatusCode != http.StatusOK {
		ts.Fatalf("the relay answered %s", response.Status)
	}
}

func cmdStall(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: stall URL STREAM")
	}
	address := strings.TrimPrefix(args[0], "http://")
	conn, err := net.Dial("tcp", address)
	ts.Check(err)
	ts.Defer(func() { _ = conn.Close() })
	_, err = fmt.Fprintf(conn, "POST /v1/streams/%s/entries HTTP/1.1\r\nHost: %s\r\nContent-Type: application/cbor\r\n"+
		"Content-Length: 100\r\nExpect: 100-continue\r\n\r\n", args[1], address)
	ts.Check(err)
	// The relay reads the body once it says so.
	line, err := bufio.NewReader(conn).ReadString('\n')
	ts.Check(err)
	if !strings.Contains(line, "100") {
		ts.Fatalf("the relay answered %q", line)
	}
}

func cmdPoke(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 {
		ts.Fatalf("usage: poke FILE OFFSET HEX")
	}
	offset, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	data, err := hex.DecodeString(args[2])
	ts.Check(err)
	f, err := os.OpenFile(ts.MkAbs(args[0]), os.O_WRONLY, 0)
	ts.Check(err)
	_, err = f.WriteAt(data, offset)
	ts.Check(err)
	ts.Check(f.Close())
}

func cmdReplace(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 3 || len(args[1]) != len(args[2]) {
		ts.Fatalf("usage: replace FILE OLD NEW, of the same length")
	}
	path := ts.MkAbs(args[0])
	data, err := os.ReadFile(path)
	ts.Check(err)
	if !bytes.Contains(data, []byte(args[1])) {
		ts.Fatalf("%s does not hold %q", args[0], args[1])
	}
	ts.Check(os.WriteFile(path, bytes.ReplaceAll(data, []byte(args[1]), []byte(args[2])), 0o600))
}

func cmdHold(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: hold NAME")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ts.Check(err)
	ts.Defer(func() { _ = l.Close() })
	ts.Setenv(args[0]+"_port", strconv.Itoa(int(placeOf(l).port)))
}
