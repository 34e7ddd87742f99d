package consolehttp

import (
	"io"
	"net/http"
	"time"

	"hearth/relay/console"
)

const (
	// maxFollowers is how many may follow the changes at once: the windows of one
	// person, and what one may think of beside them.
	maxFollowers = 16

	// beat is how often a line is written though nothing changed: it shows either
	// side that the other one is still there.
	beat = 15 * time.Second

	// changePause is how long the changes are gathered after a line: no eye sees
	// more, and a relay under load has better things to do.
	changePause = 100 * time.Millisecond
)

// The lines of the answer.
const (
	lineChanged = `{"changed":true}` + "\n"
	lineBeat    = `{"changed":false}` + "\n"
)

// followers tells those who follow that something may have changed: once when
// they have begun, so that nothing is missed between looking and following, and
// then after each change.
type followers struct {
	console console.Relay
	room    chan struct{}
}

func newFollowers(c console.Relay) *followers {
	return &followers{c, make(chan struct{}, maxFollowers)}
}

// ServeHTTP implements [http.Handler].
func (f *followers) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	select {
	case f.room <- struct{}{}:
		defer func() { <-f.room }()
	default:
		refuse(w, busy("too many follow the changes already: close a window"))
		return
	}
	changed, stop := f.console.Changes()
	defer stop()
	w.Header().Set("Content-Type", "application/x-ndjson")
	if r.Method == http.MethodHead {
		return
	}
	beats := time.NewTicker(beat)
	defer beats.Stop()
	pause := time.NewTimer(0)
	defer pause.Stop()
	<-pause.C
	listened := changed
	for line := lineChanged; write(w, line) == nil; {
		if line == lineChanged {
			listened = nil
			pause.Reset(changePause)
		}
		for line = ""; line == ""; {
			select {
			case <-listened:
				line = lineChanged
			case <-pause.C:
				listened = changed
			case <-beats.C:
				line = lineBeat
			case <-r.Context().Done():
				return
			}
		}
	}
}

// write sends a line at once. Whoever does not take it until the next ones are
// due is gone.
func write(w http.ResponseWriter, line string) error {
	control := http.NewResponseController(w)
	if err := control.SetWriteDeadline(time.Now().Add(2 * beat)); err != nil {
		return err
	}
	if _, err := io.WriteString(w, line); err != nil {
		return err
	}
	return control.Flush()
}
