//go:build !headless

package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"hearth/relay/console"
	"hearth/relay/consolehttp"
)

// What a window that is attached shows is what the relay's own would show, but
// for the start at login, which is the matter of its desktop.
func TestAttachedSame(t *testing.T) {
	h := openHeard(t, keptSettings{Name: new("Shelf"), Port: new(0), Interfaces: new([]string{"!none0"})})
	login := &memoryEntry{}
	a := newAttached(h.settings.folder.Value, &autostart{login, []string{"hearth", "--minimized"}})
	defer a.Close()
	ctx := t.Context()
	h.log.Warn("first", "n", 1)
	for name, ask := range map[string]func(console.Console) (any, error){
		"Overview":      func(c console.Console) (any, error) { return c.Overview(ctx) },
		"Activity":      func(c console.Console) (any, error) { return c.Activity(ctx) },
		"Neighbourhood": func(c console.Console) (any, error) { return c.Neighbourhood(ctx) },
		"SelfTest":      func(c console.Console) (any, error) { return c.SelfTest(ctx) },
		"Settings":      func(c console.Console) (any, error) { return c.Settings(ctx) },
		"Log":           func(c console.Console) (any, error) { return c.Log(ctx) },
	} {
		want, err := ask(h)
		if err != nil {
			t.Fatal(err)
		}
		got, err := ask(a)
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty(), cmpopts.EquateApproxTime(0),
			cmpopts.IgnoreFields(console.Overview{}, "DiskFree", "DiskUsed"), // others write to this disk
			cmpopts.IgnoreFields(console.Neighbourhood{}, "Found"),           // others come and go
		); diff != "" {
			t.Errorf("%s (-here +attached):\n%s", name, diff)
		}
	}
}

// A change made in an attached window is kept and put into effect by the relay,
// also if that moves away under the window; a refusal has the same words.
func TestAttachedChange(t *testing.T) {
	h := openHeard(t, keptSettings{Port: new(0)})
	login := &memoryEntry{}
	a := newAttached(h.settings.folder.Value, &autostart{login, []string{"hearth", "--minimized"}})
	defer a.Close()
	changed, stop := a.Changes()
	defer stop()
	wantPulse(t, changed)

	theme, port := console.ThemeDark, freePort(t)
	for _, c := range []console.Change{
		{Name: new("Küche")}, {DesktopChange: console.DesktopChange{Theme: &theme}}, {Port: &port}, {Open: new(true)}, {Open: new(false)},
	} {
		if said, err := a.Change(t.Context(), c); err != nil || said == "" {
			t.Fatalf("%+v: %q, %v", c, said, err)
		}
		wantPulse(t, changed)
	}
	if kept := readKept(t, h); *kept.Name != "Küche" || *kept.Theme != theme || *kept.Port != port || *kept.Open {
		t.Errorf("kept %+v", kept)
	}
	wantReach(t, fmt.Sprintf("http://127.0.0.1:%d", port), true)
	_, here := h.Change(t.Context(), console.Change{Name: new(" ")})
	_, there := a.Change(t.Context(), console.Change{Name: new(" ")})
	if here == nil || there == nil || here.Error() != there.Error() {
		t.Errorf("here %v, attached %v", here, there)
	}

	said, err := a.Change(t.Context(), console.Change{DesktopChange: console.DesktopChange{Login: new(true)}})
	if err != nil || !strings.Contains(said, "when you log in") || login.command == nil {
		t.Errorf("it says %q, %v; the entry is %q", said, err, login.command)
	}
	if v, err := a.Settings(t.Context()); err != nil || !v.Login.Value {
		t.Errorf("the settings are %+v, %v", v, err)
	}
	if said, err := a.Change(t.Context(), console.Change{DesktopChange: console.DesktopChange{Tray: new(false)}}); err != nil || !strings.Contains(said, "the relay goes on") {
		t.Errorf("it says %q, %v", said, err)
	}
}

// A relay stops well though windows are attached, whatever they ask just then.
// They say so, and find it again when it is back.
func TestAttachedRestart(t *testing.T) {
	folder := t.TempDir()
	begin := func() *home {
		h, err := openHome(t.Context(), testSettings(folder, keptSettings{Port: new(0)}), homeOptions{Logger: discard()})
		if err != nil {
			t.Fatal(err)
		}
		return h
	}
	h := begin()
	a := newAttached(folder, &autostart{&memoryEntry{}, []string{"hearth"}})
	defer a.Close()
	changed, stop := a.Changes()
	defer stop()
	for range 3 {
		wantPulse(t, changed)
		asked, asking := make(chan struct{}), make(chan struct{})
		go func() { // as the window does, again and again
			defer close(asked)
			for {
				select {
				case <-asking:
					return
				default:
					_, _ = a.Overview(context.Background())
				}
			}
		}()
		if err := h.Close(); err != nil {
			t.Error(err)
		}
		close(asking)
		<-asked
		if _, err := a.Overview(t.Context()); !errors.Is(err, errNoService) {
			t.Errorf("the relay has stopped, and the error is %v", err)
		}
		h = begin()
		eventually(t, "the relay is found again", func() bool { _, err := a.Overview(t.Context()); return err == nil })
	}
	if err := h.Close(); err != nil {
		t.Error(err)
	}
}

// A service whose process died leaves its address behind: nobody answers there.
func TestAttachedDied(t *testing.T) {
	folder := t.TempDir()
	if err := (runFile{URL: fmt.Sprintf("http://127.0.0.1:%d", freePort(t)), Token: "x"}).write(folder); err != nil {
		t.Fatal(err)
	}
	a := newAttached(folder, &autostart{&memoryEntry{}, []string{"hearth"}})
	defer a.Close()
	_, err := a.Overview(t.Context())
	if _, ok := errors.AsType[*consolehttp.UnreachableError](err); !ok {
		t.Errorf("the error is %v", err)
	}
	if run, err := service(t.Context(), folder); run != nil || err != nil {
		t.Errorf("it is taken for a service: %+v, %v", run, err)
	}
}

// openHeard opens a relay, with a log that is kept.
func openHeard(t *testing.T, kept keptSettings) *home {
	t.Helper()
	folder := t.TempDir()
	if err := kept.write(folder); err != nil {
		t.Fatal(err)
	}
	s, err := loadSettings(testSettings(folder, kept).givens)
	if err != nil {
		t.Fatal(err)
	}
	book := newLogbook(0)
	h, err := openHome(t.Context(), s, homeOptions{Logger: book.logger(t.Output()), Book: book})
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
