package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearth/discovery"
	"hearth/relay/console"
)

// A new port is listened at before the old one is given up, is kept, and is
// told to the owner's commands.
func TestChangePort(t *testing.T) {
	h := open(t, keptSettings{Port: new(freePort(t))})
	old, port := h.running().URL, freePort(t)
	said := change(t, h, console.Change{Port: &port})
	url := fmt.Sprintf("http://127.0.0.1:%d", port)
	if !strings.Contains(said, url) {
		t.Errorf("it says %q", said)
	}
	wantReach(t, url, true)
	wantReach(t, old, false)
	if run := readRun(t, h); run.URL != url || !slices.Equal(run.URLs, []string{url}) {
		t.Errorf("the owner's commands are told %+v", run)
	}
	if kept := readKept(t, h); kept.Port == nil || *kept.Port != port {
		t.Errorf("kept %+v", kept)
	}
	wantOrigin(t, h, func(v console.Values) console.Origin { return v.Port.Origin }, console.OriginFile)
}

// A port that is taken changes nothing, and is named.
func TestChangePortTaken(t *testing.T) {
	h := open(t, keptSettings{Port: new(freePort(t))})
	before := h.running()
	other, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	port := int(placeOf(other).port)
	_, err = h.Change(t.Context(), console.Change{Port: &port, Name: new("New")})
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("port %d is in use", port)) {
		t.Errorf("the error is %v", err)
	}
	wantSame(t, h, before)
}

// Opening and closing the relay keeps its port. While it is closed, the network
// does not even get a connection.
func TestChangeOpen(t *testing.T) {
	h := open(t, keptSettings{Port: new(0)})
	url := h.running().URL
	far := farURLs(t, url)
	for _, isOpen := range []bool{true, false, true, false} {
		said := change(t, h, console.Change{Open: &isOpen})
		if want := "Only this machine"; strings.HasPrefix(said, want) == isOpen {
			t.Errorf("open %t: it says %q", isOpen, said)
		}
		o, err := h.Overview(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if o.Open != isOpen || o.URLs[len(o.URLs)-1] != url || (len(o.URLs) > 1) != (isOpen && len(far) > 0) {
			t.Errorf("open %t: the overview says %t at %v", isOpen, o.Open, o.URLs)
		}
		wantReach(t, url, true)
		for _, u := range far {
			wantReach(t, u, isOpen)
		}
		around, err := h.Neighbourhood(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if quiet := "The relay is for this machine only."; (around.Quiet == quiet) == isOpen {
			t.Errorf("open %t: the network is told %+v", isOpen, around)
		}
		if kept := readKept(t, h); kept.Open == nil || *kept.Open != isOpen {
			t.Errorf("open %t: kept %+v", isOpen, kept)
		}
	}
}

// Where another program holds the port at an address of the network, the relay
// goes back to where it was.
func TestChangeOpenTaken(t *testing.T) {
	h := open(t, keptSettings{Port: new(0)})
	before := h.running()
	far := farURLs(t, before.URL)
	if len(far) == 0 {
		t.Skip("this machine is on no network")
	}
	other, err := net.Listen("tcp", strings.TrimPrefix(far[0], "http://"))
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	if said, err := h.Change(t.Context(), console.Change{Open: new(true)}); err == nil {
		t.Errorf("it says %q", said)
	}
	wantSame(t, h, before)
	select {
	case err := <-h.Failed():
		t.Error(err)
	default:
	}
}

// A new name is everywhere at once.
func TestChangeName(t *testing.T) {
	h := open(t, keptSettings{})
	changed, stop := h.Changes()
	defer stop()
	said := change(t, h, console.Change{Name: new("  Küche ")})
	if !strings.Contains(said, `"Küche"`) {
		t.Errorf("it says %q", said)
	}
	wantPulse(t, changed)
	if o, err := h.Overview(t.Context()); err != nil || o.Name != "Küche" {
		t.Errorf("the overview says %q, %v", o.Name, err)
	}
	if run := readRun(t, h); run.Name != "Küche" {
		t.Errorf("the owner's commands are told %q", run.Name)
	}
	for _, name := range []string{"", "\t", "a\x00", strings.Repeat("x", maxNameBytes+1)} {
		before := h.running()
		if said, err := h.Change(t.Context(), console.Change{Name: &name}); err == nil {
			t.Errorf("%q: it says %q", name, said)
		}
		wantSame(t, h, before)
	}
}

// What was given for this run is not changed in it.
func TestChangeFixed(t *testing.T) {
	folder := t.TempDir()
	h := openWith(t, givens{
		name:   given[string]{new("Given"), console.OriginFlag},
		place:  given[place]{&place{addr: loopback}, console.OriginEnvironment},
		folder: console.Value[string]{Value: folder, Origin: console.OriginFlag},
	}, keptSettings{Name: new("Kept"), Open: new(true)})
	before := h.running()
	for name, c := range map[string]console.Change{
		"name": {Name: new("New")}, "port": {Port: new(1)}, "open": {Open: new(true)},
	} {
		if said, err := h.Change(t.Context(), c); err == nil || !strings.Contains(err.Error(), "for this run") {
			t.Errorf("%s: it says %q, %v", name, said, err)
		}
		wantSame(t, h, before)
	}
}

// Whoever watches the relay hears of writes, and no more once he has stopped.
func TestChanges(t *testing.T) {
	h := open(t, keptSettings{Port: new(0)})
	first, stopFirst := h.Changes()
	second, stopSecond := h.Changes()
	defer stopSecond()
	h.changes.send()
	wantPulse(t, first)
	wantPulse(t, second)
	stopFirst()
	h.changes.send()
	wantPulse(t, second)
	select {
	case <-first:
		t.Error("one who has stopped still hears")
	default:
	}
}

// What concerns the desktop alone is kept and in effect at once; where the relay
// listens is not touched by it.
func TestChangeDesktop(t *testing.T) {
	book := newLogbook(slog.LevelInfo)
	var out bytes.Buffer
	login := &memoryEntry{}
	h, err := openHome(t.Context(), testSettings(t.TempDir(), keptSettings{Port: new(0)}), homeOptions{
		Logger: book.logger(&out), Book: book, Login: &autostart{login, []string{"/opt/hearth", "--minimized"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	before, written := h.running(), len(book.recent())
	theme, level := console.ThemeDark, slog.LevelWarn
	said := []string{
		change(t, h, console.Change{DesktopChange: console.DesktopChange{Login: new(true)}}),
		change(t, h, console.Change{DesktopChange: console.DesktopChange{Tray: new(true)}}),
		change(t, h, console.Change{DesktopChange: console.DesktopChange{Theme: &theme}}),
		change(t, h, console.Change{DesktopChange: console.DesktopChange{LogLevel: &level}}),
	}
	want := []string{"starts in the tray", "goes on in the tray", "looks", "level WARN"}
	for i := range want {
		if !strings.Contains(said[i], want[i]) {
			t.Errorf("it says %q", said[i])
		}
	}
	v, err := h.Settings(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	const file = console.OriginFile
	if diff := cmp.Diff(console.Desktop{
		Login: console.Value[bool]{Value: true, Origin: file}, Tray: console.Value[bool]{Value: true, Origin: file},
		Theme:    console.Value[console.Theme]{Value: theme, Origin: file},
		LogLevel: console.Value[slog.Level]{Value: level, Origin: file},
	}, v.Desktop); diff != "" {
		t.Error(diff)
	}
	kept := readKept(t, h)
	if *kept.Theme != theme || *kept.LogLevel != level || !*kept.Tray {
		t.Errorf("kept %+v", kept)
	}
	wantSame(t, h, before)
	if lines, err := h.Log(t.Context()); err != nil || len(lines) != written {
		t.Errorf("a change on the desktop is logged as one of the relay: %v, %v", lines, err)
	}

	login.err = errors.New("not here")
	if _, err := h.Change(t.Context(), console.Change{DesktopChange: console.DesktopChange{Login: new(false)}}); !errors.Is(err, login.err) {
		t.Errorf("the error is %v", err)
	}
	odd := console.Theme("pink")
	if _, err := h.Change(t.Context(), console.Change{DesktopChange: console.DesktopChange{Theme: &odd}}); err == nil {
		t.Error("there is a pink theme")
	}
}

// memoryEntry is a login entry of a desktop that has none.
type memoryEntry struct {
	command []string
	err     error
}

func (e *memoryEntry) read() ([]string, error) { return e.command, e.err }

func (e *memoryEntry) write(command []string) error { e.command = command; return e.err }

func (e *memoryEntry) remove() error { e.command = nil; return e.err }

// A relay that is closed has left no sign of running, and can be opened again.
func TestOpenAgain(t *testing.T) {
	folder := t.TempDir()
	// A relay that died has left this behind.
	if err := (runFile{URL: "http://127.0.0.1:1", PID: 1}).write(folder); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		h, err := openHome(t.Context(), testSettings(folder, keptSettings{Port: new(0)}), homeOptions{Logger: discard()})
		if err != nil {
			t.Fatal(err)
		}
		if run := readRun(t, h); run.PID != os.Getpid() {
			t.Errorf("the owner's commands are told of process %d", run.PID)
		}
		url := h.running().URL
		if err := h.Close(); err != nil {
			t.Fatal(err)
		}
		wantReach(t, url, false)
		if run, err := readRunFile(folder); run != nil || err != nil {
			t.Errorf("it says that it runs: %+v, %v", run, err)
		}
	}
}

// A relay may be stopped from two sides at once, by its window and by whoever
// gives that up: both get to hear how it ended.
func TestCloseTwice(t *testing.T) {
	h := open(t, keptSettings{})
	ends := make(chan error, 2)
	for range cap(ends) {
		go func() { ends <- h.Close() }()
	}
	for range cap(ends) {
		if err := <-ends; err != nil {
			t.Error(err)
		}
	}
}

// open opens a relay with settings from its file.
func open(t *testing.T, kept keptSettings) *home {
	t.Helper()
	return openWith(t, testSettings(t.TempDir(), kept).givens, kept)
}

func testSettings(folder string, kept keptSettings) settings {
	return settings{givens{folder: console.Value[string]{Value: folder, Origin: console.OriginFlag}}, kept}
}

func openWith(t *testing.T, g givens, kept keptSettings) *home {
	t.Helper()
	if kept.Port == nil && g.place.value == nil {
		kept.Port = new(freePort(t)) // the default one may be in use here
	}
	if err := kept.write(g.folder.Value); err != nil {
		t.Fatal(err)
	}
	s, err := loadSettings(g)
	if err != nil {
		t.Fatal(err)
	}
	h, err := openHome(t.Context(), s, homeOptions{Logger: discard()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.Close(); err != nil {
			t.Error(err)
		}
	})
	return h
}

func discard() *slog.Logger { return slog.New(slog.DiscardHandler) }

func change(t *testing.T, h *home, c console.Change) string {
	t.Helper()
	said, err := h.Change(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	return said
}

// freePort returns a port that is free now.
func freePort(t *testing.T) int {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return int(placeOf(l).port)
}

// farURLs returns where other machines would reach what listens everywhere at
// the port of a URL.
func farURLs(t *testing.T, url string) []string {
	t.Helper()
	var p place
	if err := p.UnmarshalText([]byte(strings.TrimPrefix(url, "http://"))); err != nil {
		t.Fatal(err)
	}
	all := urls([]place{{port: p.port}}, nil, discovery.Options{})
	return all[:len(all)-1]
}

// wantReach checks that a relay answers at a URL, or that nobody listens there.
func wantReach(t *testing.T, url string, want bool) {
	t.Helper()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url+"/v1/limits", http.NoBody)
	if err != nil {
		t.Fatal(err)
	}
	response, err := client.Do(request)
	if err != nil {
		if want || !errors.Is(err, syscall.ECONNREFUSED) {
			t.Errorf("%s: %v", url, err)
		}
		return
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		t.Error(err)
	}
	if !want || response.StatusCode != http.StatusOK {
		t.Errorf("%s answers %s", url, response.Status)
	}
}

func wantPulse(t *testing.T, changed <-chan struct{}) {
	t.Helper()
	select {
	case <-changed:
	case <-time.After(patience):
		t.Error("nothing is heard of a change")
	}
}

func wantOrigin(t *testing.T, h *home, of func(console.Values) console.Origin, want console.Origin) {
	t.Helper()
	v, err := h.Settings(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := of(v); got != want {
		t.Errorf("it is from the %s, not the %s", got, want)
	}
}

// wantSame checks that a relay listens and is told as it was before, and that
// its settings were not touched.
func wantSame(t *testing.T, h *home, before runFile) {
	t.Helper()
	wantReach(t, before.URL, true)
	if run := readRun(t, h); run.URL != before.URL || run.Name != before.Name || run.Open != before.Open {
		t.Errorf("the owner's commands are told %+v, not %+v", run, before)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	data, err := os.ReadFile(filepath.Join(h.settings.folder.Value, settingsName))
	if err != nil {
		t.Fatal(err)
	}
	kept, err := parseSettings(data)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := fmt.Sprint(pointed(kept)), fmt.Sprint(pointed(h.settings.kept)); got != want {
		t.Errorf("kept %s, not %s", got, want)
	}
}

// pointed returns the settings themselves.
func pointed(k keptSettings) []any {
	var all []any
	if k.Name != nil {
		all = append(all, "name", *k.Name)
	}
	if k.Port != nil {
		all = append(all, "port", *k.Port)
	}
	if k.Open != nil {
		all = append(all, "open", *k.Open)
	}
	return all
}

func readRun(t *testing.T, h *home) runFile {
	t.Helper()
	run, err := readRunFile(h.settings.folder.Value)
	if err != nil || run == nil {
		t.Fatalf("it does not say that it runs: %v", err)
	}
	return *run
}

func readKept(t *testing.T, h *home) keptSettings {
	t.Helper()
	kept, err := readSettings(h.settings.folder.Value)
	if err != nil {
		t.Fatal(err)
	}
	return kept
}
