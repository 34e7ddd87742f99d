package relay_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"filippo.io/age"
	"github.com/fxamacker/cbor/v2"
	"github.com/google/go-cmp/cmp"

	"hearth/relay"
	"hearth/relay/archive"
	"hearth/relay/backup"
	"hearth/relay/console"
)

// backUp makes a backup in a folder of its own and returns its path.
func (h *home) backUp(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	b, err := h.Console().BackUp(t.Context(), folder, nil)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join(folder, b.Name)
}

// stop stops the relay before the test ends.
func (h *home) stop(t *testing.T) {
	t.Helper()
	if err := h.Shutdown(context.Background()); err != nil {
		t.Fatal(err)
	}
}

// restore restores a backup that may be restored.
func restore(t *testing.T, o relay.Restore, dir string) relay.Restored {
	t.Helper()
	done, err := o.Run(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return done
}

// cursor returns where somebody stands who has read all of a stream.
func (h *home) cursor(t *testing.T, stream string) string {
	t.Helper()
	f := &follower{stream: stream}
	f.rest(t, h.client, h.url)
	return fmt.Sprintf("%d.%x.%x", f.seq, f.identity, f.link)
}

// code returns the code with which a read after a cursor is refused; empty if it is
// not.
func (h *home) code(t *testing.T, stream, cursor string) string {
	t.Helper()
	response, err := h.client.Get(h.url + "/v1/streams/" + stream + "/entries?after=" + cursor)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode == http.StatusOK {
		return ""
	}
	var problem struct {
		Code string `cbor:"0,keyasint"`
	}
	if err := cbor.Unmarshal(body, &problem); err != nil {
		t.Fatal(err)
	}
	return problem.Code
}

// After a restore each reader gets to hear what the contract has for it ("Cursors"),
// and the restore has said who will; waits wake at once ("Waiting"), and what was read
// again goes on as ever.
func TestAfterRestore(t *testing.T) {
	dir := t.TempDir()
	h := open(t, dir)
	for _, stream := range []string{"same", "back", "diverged", "passed", "replaced"} {
		h.append(t, stream, 1, []byte("one"), []byte("two"))
	}
	old := h.backUp(t)
	for _, stream := range []string{"back", "diverged", "passed", "gone"} {
		h.append(t, stream, 1, []byte("three"))
	}
	cursors := make(map[string]string)
	for _, stream := range []string{"same", "back", "gone"} {
		cursors[stream] = h.cursor(t, stream)
	}
	behind := h.cursor(t, "same")
	for _, stream := range []string{"diverged", "passed"} {
		cursors[stream] = h.cursor(t, stream)
	}
	h.stop(t)

	// A stream of that name with another identity.
	other := open(t, t.TempDir())
	other.append(t, "replaced", 1, []byte("one"))
	cursors["replaced"] = other.cursor(t, "replaced")

	if _, err := (relay.Restore{File: old}).Run(t.Context(), dir); !isA[*relay.NewerError](err) {
		t.Fatalf("over newer data: %v", err)
	}
	done := restore(t, relay.Restore{File: old, Force: true}, dir)
	fates := make(map[string]relay.Fate)
	for _, s := range done.Streams {
		fates[s.Name] = s.Fate
	}
	if diff := cmp.Diff(map[string]relay.Fate{
		"same": relay.FateSame, "replaced": relay.FateSame, "back": relay.FateBack, "diverged": relay.FateBack,
		"passed": relay.FateBack, "gone": relay.FateGone,
	}, fates); diff != "" {
		t.Errorf("(-want +said):\n%s", diff)
	}

	h = open(t, dir)
	// Those that go on in another way than before: to the same head, and past it.
	h.append(t, "diverged", 1, []byte("not three"))
	h.append(t, "passed", 1, []byte("not three"), []byte("four"))
	for stream, want := range map[string]string{
		"same": "", "back": "cursor_ahead", "diverged": "cursor_diverged", "passed": "cursor_diverged",
		"replaced": "stream_replaced", "gone": "stream_not_found",
	} {
		if got := h.code(t, stream, cursors[stream]); got != want {
			t.Errorf("a reader of %s hears %q, not %q", stream, got, want)
		}
		if stream == "same" || stream == "diverged" {
			continue // by its head it is where the reader stands
		}
		var heads headsMessage
		status, err := ask(h.client, http.MethodGet, h.url+"/v1/wait?timeout=60&watch="+url.QueryEscape(stream+":"+cursors[stream]), nil, &heads)
		if err != nil || status != http.StatusOK || len(heads.Heads) != 1 || heads.Heads[0].Stream != stream {
			t.Errorf("who waits for %s is told %+v: status %d, %v", stream, heads, status, err)
		}
	}
	h.append(t, "same", 1, []byte("three"))
	if got := h.code(t, "same", behind); got != "" {
		t.Errorf("a reader that goes on hears %q", got)
	}
	for _, stream := range []string{"back", "diverged", "passed"} {
		h.cursor(t, stream) // checks the chain from its start
	}

	// What was there before is whole, in a folder of its own.
	aside, err := relay.Look(t.Context(), done.Aside)
	if err != nil {
		t.Fatal(err)
	}
	defer aside.Close()
	if s, err := aside.Stream(t.Context(), console.StreamRef{Space: "default", Name: "back"}); err != nil || s.Head != 3 {
		t.Errorf("%+v, %v", s, err)
	}
	if v, err := aside.Verify(t.Context(), console.StreamRef{}, nil); err != nil || !v.Sound() || v.Streams != 6 {
		t.Errorf("%+v, %v", v, err)
	}
}

// A restore tells streams that diverged or were replaced before it, and takes nothing
// away unasked; one that only brings more needs no force.
func TestFates(t *testing.T) {
	dir := t.TempDir()
	h := open(t, dir)
	h.append(t, "notes", 1, []byte("one"))
	early := h.backUp(t)
	h.append(t, "notes", 1, []byte("two"))
	h.append(t, "tasks", 1, []byte("first"))
	late := h.backUp(t)
	h.stop(t)

	fates := func(done relay.Restored) (list []string) {
		for _, s := range done.Streams {
			list = append(list, fmt.Sprintf("%s %d→%d %s", s.Name, s.Before, s.Head, s.Fate))
		}
		return list
	}
	said := func(done relay.Restored, want ...string) {
		t.Helper()
		if diff := cmp.Diff(want, fates(done)); diff != "" {
			t.Errorf("(-want +said):\n%s", diff)
		}
	}
	fresh := filepath.Join(t.TempDir(), "new")
	said(restore(t, relay.Restore{File: early}, fresh), "notes 0→1 new")
	said(restore(t, relay.Restore{File: late}, fresh), "notes 1→2 forward", "tasks 0→1 new")
	said(restore(t, relay.Restore{File: late}, fresh), "notes 2→2 same", "tasks 1→1 same")
	refused := func(file string) relay.Restored {
		t.Helper()
		before := snapshot(t, fresh)
		_, err := (relay.Restore{File: file}).Run(t.Context(), fresh)
		newer, ok := errors.AsType[*relay.NewerError](err)
		if !ok {
			t.Fatalf("the error is %v", err)
		}
		if diff := cmp.Diff(before, snapshot(t, fresh)); diff != "" {
			t.Errorf("a refusal has changed something:\n%s", diff)
		}
		return relay.Restored{Streams: newer.Streams}
	}
	said(refused(early), "notes 2→1 back", "tasks 1→0 gone")

	// They go on in another way than the backup.
	said(restore(t, relay.Restore{File: early, Force: true}, fresh), "notes 2→1 back", "tasks 1→0 gone")
	h = open(t, fresh)
	h.append(t, "notes", 1, []byte("other"))
	h.append(t, "tasks", 1, []byte("other"))
	h.stop(t)
	said(refused(late), "notes 2→2 diverged", "tasks 1→1 replaced")
	h = open(t, fresh)
	h.append(t, "notes", 1, []byte("more"))
	h.stop(t)
	said(refused(late), "notes 3→2 diverged", "tasks 1→1 replaced")
	said(restore(t, relay.Restore{File: late, Force: true}, fresh), "notes 3→2 diverged", "tasks 1→1 replaced")
}

// snapshot returns what the files in a folder hold, but for the lock.
func snapshot(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := make(map[string]string)
	if err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == "hearth.lock" {
			return err
		}
		data, err := os.ReadFile(path)
		files[path] = string(data)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return files
}

// A restore on another machine makes the same relay of it if the backup is encrypted,
// since then the relay's key is in it, and a new one if not. Settings that are there
// stay.
func TestRestoreElsewhere(t *testing.T) {
	key, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "settings.json"), []byte(`{"name": "Home"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	h := open(t, dir)
	h.append(t, "notes", 1, []byte("one"))
	plain := h.backUp(t)
	if err := h.PlanBackups(backup.Plan{Keep: 1, Recipient: key.Recipient().String()}, false); err != nil {
		t.Fatal(err)
	}
	locked := h.backUp(t)
	id := h.ID()
	h.stop(t)

	elsewhere := t.TempDir()
	done := restore(t, relay.Restore{File: plain}, elsewhere)
	if done.ID != "" || done.Aside != "" {
		t.Errorf("%+v", done)
	}
	if data, err := os.ReadFile(filepath.Join(elsewhere, "settings.json")); string(data) != `{"name": "Home"}` {
		t.Errorf("the settings are %q, %v", data, err)
	}
	if err := os.WriteFile(filepath.Join(elsewhere, "settings.json"), []byte(`{}`), 0o600); err != nil {
		t.Fatal(err)
	}
	h = open(t, elsewhere)
	other := h.ID()
	h.stop(t)
	if other == id {
		t.Error("the key was in a backup that is not encrypted")
	}
	done = restore(t, relay.Restore{File: locked, Identities: []byte(key.String())}, elsewhere)
	if done.ID != id || done.OldID != other || done.Aside == "" {
		t.Errorf("%+v", done)
	}
	if data, err := os.ReadFile(filepath.Join(elsewhere, "settings.json")); string(data) != "{}" {
		t.Errorf("the settings are %q, %v", data, err)
	}
	if _, err := os.Stat(filepath.Join(done.Aside, "identity.pem")); err != nil {
		t.Error(err)
	}
	h = open(t, elsewhere)
	if h.ID() != id {
		t.Error("the relay is another one")
	}
	if list := allNotes(t, h.client, h.url); len(list) != 1 {
		t.Errorf("it holds %d entries", len(list))
	}
}

// A backup that is not whole changes nothing, nor does one for a relay that runs.
func TestRestoreRefused(t *testing.T) {
	dir := t.TempDir()
	h := open(t, dir)
	h.append(t, "notes", 1, []byte("one"), []byte("two"))
	file := h.backUp(t)
	if _, err := (relay.Restore{File: file, Force: true}).Run(t.Context(), dir); !isA[*relay.InUseError](err) {
		t.Errorf("on a relay that runs: %v", err)
	}
	h.stop(t)
	before := snapshot(t, dir)
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"empty": nil, "cut off": whole[:len(whole)-1], "flipped": bytes.Replace(whole, []byte("two"), []byte("twO"), 1), "text": []byte("hello"),
	} {
		hurt := filepath.Join(t.TempDir(), "hurt")
		if err := os.WriteFile(hurt, data, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, into := range []string{dir, filepath.Join(t.TempDir(), "new")} {
			_, err := (relay.Restore{File: hurt, Force: true}).Run(t.Context(), into)
			if !isA[*archive.DamagedError](err) {
				t.Errorf("%s: %v", name, err)
			}
			if into != dir && !errors.Is(justStat(into), fs.ErrNotExist) {
				t.Errorf("%s: a folder was made", name)
			}
		}
	}
	if diff := cmp.Diff(before, snapshot(t, dir)); diff != "" {
		t.Errorf("something has changed:\n%s", diff)
	}
}

func justStat(path string) error {
	_, err := os.Stat(path)
	return err
}

// A database that is damaged beyond reading is replaced only by force, and kept.
func TestRestoreOverDamage(t *testing.T) {
	dir := t.TempDir()
	h := open(t, dir)
	h.append(t, "notes", 1, []byte("one"))
	file := h.backUp(t)
	h.stop(t)
	broken := slices.Repeat([]byte("broken"), 1000)
	if err := os.WriteFile(filepath.Join(dir, "hearth.db"), broken, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := (relay.Restore{File: file}).Run(t.Context(), dir); !isA[*relay.NewerError](err) {
		t.Errorf("unasked: %v", err)
	}
	done := restore(t, relay.Restore{File: file, Force: true}, dir)
	if data, err := os.ReadFile(filepath.Join(done.Aside, "hearth.db")); !bytes.Equal(data, broken) {
		t.Errorf("what was there is not kept: %v", err)
	}
	h = open(t, dir)
	if list := allNotes(t, h.client, h.url); len(list) != 1 {
		t.Errorf("it holds %d entries", len(list))
	}
}
