package backup

import (
	"context"
	"os"
	"time"
)

const (
	// restAfter is how long one who rests works in between.
	restAfter = 2 * time.Millisecond

	// syncEvery is after how many bytes they are brought to the disk: a few at a time,
	// since whoever syncs something else meanwhile waits for them.
	syncEvery = 1 << 20
)

// pace has one who works rest in between.
type pace struct {
	times int // how many times as long as it works
	woke  time.Time
}

func newPace(times int) pace { return pace{times, time.Now()} }

// rest pauses, if there was work for a while. The error is the context's.
func (p *pace) rest(ctx context.Context) error {
	worked := time.Since(p.woke)
	if p.times == 0 || worked < restAfter {
		return ctx.Err()
	}
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(worked * time.Duration(p.times)):
	}
	p.woke = time.Now()
	return nil
}

// synced is a file that is brought to the disk bit by bit, and does not stay in
// memory, where others' files are of more use.
type synced struct {
	*os.File
	dirty int // bytes
}

func (s *synced) Write(p []byte) (int, error) {
	n, err := s.File.Write(p)
	if s.dirty += n; err == nil && s.dirty >= syncEvery {
		err = s.end()
	}
	return n, err
}

// end brings what is left to the disk.
func (s *synced) end() error {
	s.dirty = 0
	if err := s.Sync(); err != nil {
		return err
	}
	forget(s.File)
	return nil
}
