package discovery

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"os"
	"slices"
	"time"
)

const (
	// roleEnv makes the test binary an announcer, a browser or something else on a network instead of a test run; optionsEnv
	// gives it Options, in JSON.
	roleEnv    = "HEARTH_DISCOVERY_ROLE"
	optionsEnv = "HEARTH_DISCOVERY_OPTIONS"
	testType   = "_hearthtest._tcp"
)

// A sighting is one service as one side sees it.
type sighting struct {
	Instance  string            `json:"instance"`
	Host      string            `json:"host"`
	Port      int               `json:"port"`
	Addresses []string          `json:"addresses"`
	TXT       map[string]string `json:"txt"`
	Over      []string          `json:"over"`
	Stale     bool              `json:"stale"`
}

func texts[T fmt.Stringer](all []T) (out []string) {
	for _, a := range all {
		out = append(out, a.String())
	}
	slices.Sort(out)
	return out
}

// play is what the test binary does as a machine in a namespace: each line of its input is a service to announce, and each line of
// its output what it knows now. It ends with its input.
func play() int {
	var o Options
	if text := os.Getenv(optionsEnv); text != "" {
		if err := json.Unmarshal([]byte(text), &o); err != nil {
			fmt.Fprintln(os.Stderr, err)
			return 1
		}
	}
	o.Logger = slog.New(slog.NewTextHandler(os.Stderr, nil))
	lines := make(chan Service)
	go func() {
		defer close(lines)
		for in := json.NewDecoder(os.Stdin); ; {
			var s Service
			if in.Decode(&s) != nil {
				return
			}
			lines <- s
		}
	}()
	var err error
	switch os.Getenv(roleEnv) {
	case "announce":
		err = playAnnouncer(lines, o)
	case "browse":
		err = playBrowser(lines, o)
	case "try":
		err = playTrial(lines, o)
	case "selfish":
		err = playSelfish(lines)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func tell(known []sighting) { _ = json.NewEncoder(os.Stdout).Encode(known) }

// playAnnouncer tells where it is announced, and of the interfaces not used why.
func playAnnouncer(lines <-chan Service, o Options) error {
	a := Announce(<-lines, o)
	for {
		var known []sighting
		for _, n := range a.Status().Announced {
			known = append(known, sighting{Instance: n.Instance, Host: n.Interface, Addresses: texts(n.Addresses)})
		}
		for _, u := range a.Status().Unused {
			if u.Interface != "lo" { // each machine has that one
				known = append(known, sighting{Host: u.Interface, TXT: map[string]string{"unused": u.Reason}})
			}
		}
		tell(known)
		select {
		case <-a.Changes():
		case s, more := <-lines:
			if !more {
				return a.Close()
			}
			a.Update(s)
		}
	}
}

func playBrowser(lines <-chan Service, o Options) error {
	b, err := Browse(context.Background(), testType, o)
	if err != nil {
		return err
	}
	defer b.Close()
	look := time.NewTicker(time.Second)
	defer look.Stop()
	for {
		var known []sighting
		for _, f := range b.Found() {
			known = append(known, sighting{
				Instance: f.Instance, Host: f.Host + ".", Port: f.Port, Addresses: texts(f.Addresses), TXT: f.TXT, Stale: f.Stale,
			})
		}
		tell(known)
		select {
		case <-b.Changes():
		case <-look.C:
		case <-lines:
			return nil
		}
	}
}

// playTrial tells what came of a trial, over and over.
func playTrial(lines <-chan Service, o Options) error {
	for {
		trials, err := Try(context.Background(), time.Second, o)
		if err != nil {
			return err
		}
		var known []sighting
		for _, t := range trials {
			s := sighting{Host: t.Interface, Addresses: texts(t.Others)}
			if t.Err != nil {
				s.TXT = map[string]string{"error": t.Err.Error()}
			}
			known = append(known, s)
		}
		tell(known)
		select {
		case <-lines:
			return nil
		default:
		}
	}
}

// playSelfish keeps the port of multicast DNS from everybody else on the machine.
func playSelfish(lines <-chan Service) error {
	for _, network := range []string{"udp4", "udp6"} {
		taken, err := net.ListenPacket(network, fmt.Sprintf(":%d", port))
		if err != nil {
			return err
		}
		defer taken.Close()
	}
	tell(nil)
	<-lines
	return nil
}
