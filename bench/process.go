package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

const (
	// startTime is how long a server may take to answer: it may have to recover a
	// log, on a loaded machine.
	startTime = time.Minute

	// stopTime is how long it may take to stop when asked to.
	stopTime = 10 * time.Second

	// startPoll is how often a starting server is asked whether it is there: more
	// often would take the processor from it.
	startPoll = 200 * time.Microsecond
)

// server is a target at work.
type server struct {
	target  *target
	address string
	key     string        // the access key, "" if none is needed
	took    time.Duration // from its start to its first answer

	cmd    *exec.Cmd
	ended  chan struct{} // closed when the process has
	stderr strings.Builder
}

// start starts a target on a folder and waits until it answers.
func start(ctx context.Context, t *target, place *folder) (*server, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	s := &server{target: t, address: address, key: place.key, ended: make(chan struct{})}
	line := t.command(place.path, address)
	s.cmd = exec.CommandContext(ctx, line[0], line[1:]...)
	s.cmd.Stderr = &s.stderr
	begun := time.Now()
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		_ = s.cmd.Wait() // how it ended shows in what is asked of it
		close(s.ended)
	}()
	for time.Since(begun) < startTime {
		if s.healthy() {
			s.took = time.Since(begun)
			return s, nil
		}
		select {
		case <-s.ended:
			return nil, fmt.Errorf("%s did not start: %s", t.name, s.stderr.String())
		case <-time.After(startPoll):
		}
	}
	s.kill()
	return nil, fmt.Errorf("%s does not answer within %s", t.name, startTime)
}

// freeAddress returns an address that nobody listens at. Not all targets say
// which one they took if left to choose.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// healthy says whether the server answers.
func (s *server) healthy() bool {
	c, err := dial(s.address)
	if err != nil {
		return false
	}
	defer c.close()
	_, err = c.do(s.get("/health"))
	return err == nil
}

// stop asks the server to stop and waits until it has.
func (s *server) stop() error {
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	select {
	case <-s.ended:
		return nil
	case <-time.After(stopTime):
		s.kill()
		return fmt.Errorf("%s does not stop within %s", s.target.name, stopTime)
	}
}

func (s *server) kill() {
	_ = s.cmd.Process.Kill()
	<-s.ended
}

// memory returns how much of the machine's memory the server takes, in bytes; 0
// if the system does not say.
func (s *server) memory() int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.cmd.Process.Pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		fields := strings.Fields(line)
		if len(fields) == 3 && fields[0] == "VmRSS:" {
			kib, _ := strconv.ParseInt(fields[1], 10, 64) // 0 is what is said of the unknown
			return kib << 10
		}
	}
	return 0
}

// clockTick is the unit of processor time in /proc, which is the same on all
// machines that Go runs on (proc(5), sysconf(_SC_CLK_TCK)).
const clockTick = 10 * time.Millisecond

// processorTime returns how long a process has been computing; 0 if the system
// does not say.
func processorTime(pid int) time.Duration {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	// The name in the second field may hold anything; behind its bracket the
	// 12th and 13th fields are the times in the program and in the system for it.
	_, rest, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0
	}
	var ticks int64
	for _, field := range fields[11:13] {
		n, _ := strconv.ParseInt(field, 10, 64)
		ticks += n
	}
	return time.Duration(ticks) * clockTick
}
