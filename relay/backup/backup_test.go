package backup_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"filippo.io/age"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"hearth/relay/archive"
	"hearth/relay/backup"
	"hearth/relay/protocol"
	"hearth/relay/store"
	"hearth/relay/store/sqlite"
)

// A backup holds every stream as it is, and the files that belong to the relay;
// how far it has come is told, up to all of it.
func TestBackupHoldsEverything(t *testing.T) {
	s, folder := fill(t), t.TempDir()
	k := keeper(t, s, backup.Plan{Folder: folder, Keep: 3})
	choose(t, k)
	var last, total uint64
	made, err := k.BackUp(t.Context(), folder, func(done, all uint64) {
		if done < last || done > all {
			t.Errorf("%d of %d after %d", done, all, last)
		}
		last, total = done, all
	})
	if err != nil {
		t.Fatal(err)
	}
	if last != total || last == 0 {
		t.Errorf("%d of %d at the end", last, total)
	}
	c := contents(t, filepath.Join(folder, made.Name), nil)
	if diff := cmp.Diff(streamsOf(t, s), c.Streams); diff != "" {
		t.Errorf("(-store +backup):\n%s", diff)
	}
	if c.Relay != relayID || c.Version != "1.2.3" || !c.Made.Equal(made.Made) {
		t.Errorf("it says that it is %+v", c.Manifest)
	}
	if diff := cmp.Diff([]archive.File{{Name: "encrypted", Data: []byte("false")}}, c.Files); diff != "" {
		t.Error(diff)
	}
	info, err := os.Stat(filepath.Join(folder, made.Name))
	if err != nil || info.Size() != made.Bytes || made.Streams != 3 || made.Entries != 24 || made.Encrypted {
		t.Errorf("%+v, %v", made, err)
	}
	if info.Mode().Perm() != 0o600 {
		t.Errorf("others may read it: %v", info.Mode())
	}
	if diff := cmp.Diff([]backup.Kept{made}, k.State().Kept); diff != "" {
		t.Error(diff)
	}
}

// An encrypted backup opens with the key that belongs to its recipient, and with
// none beside.
func TestEncrypted(t *testing.T) {
	mine, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	other, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	s, folder := fill(t), t.TempDir()
	made := backUp(t, keeper(t, s, backup.Plan{Folder: folder, Keep: 1, Recipient: mine.Recipient().String()}), folder)
	path := filepath.Join(folder, made.Name)
	if !made.Encrypted || filepath.Ext(path) != ".age" {
		t.Errorf("%+v", made)
	}
	data, err := os.ReadFile(path)
	if err != nil || bytes.Contains(data, []byte("photos")) {
		t.Errorf("it can be read, %v", err)
	}
	c := contents(t, path, []byte("# a comment\n"+mine.String()+"\n"))
	if diff := cmp.Diff(streamsOf(t, s), c.Streams); diff != "" {
		t.Errorf("(-store +backup):\n%s", diff)
	}
	if string(c.Files[0].Data) != "true" {
		t.Error("the files were chosen for one that is not encrypted")
	}
	for name, key := range map[string]string{"no key": "", "another key": other.String()} {
		_, err := backup.Open(path, []byte(key))
		t.Log(name, is[*backup.LockedError](t, err))
	}
	if _, err := backup.Open(path, []byte("AGE-SECRET-KEY-1NONE")); err == nil {
		t.Error("what is no key is taken for one")
	}
}

// A backup that was hurt on its way is refused, wherever it was, encrypted or not,
// and the place is named.
func TestHurt(t *testing.T) {
	key, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	s, folder := fill(t), t.TempDir()
	hurt := filepath.Join(t.TempDir(), "hurt")
	for _, recipient := range []string{"", key.Recipient().String()} {
		made := backUp(t, keeper(t, s, backup.Plan{Folder: folder, Keep: 9, Recipient: recipient}), folder)
		whole, err := os.ReadFile(filepath.Join(folder, made.Name))
		if err != nil {
			t.Fatal(err)
		}
		rapid.Check(t, func(rt *rapid.T) {
			data := bytes.Clone(whole)
			at := rapid.IntRange(0, len(data)-1).Draw(rt, "where")
			switch rapid.IntRange(0, 2).Draw(rt, "how") {
			case 0:
				data[at] ^= 1 << rapid.IntRange(0, 7).Draw(rt, "bit")
			case 1:
				data = data[:at]
			case 2:
				data = append(data, whole[:at+1]...)
			}
			if err := os.WriteFile(hurt, data, 0o600); err != nil {
				rt.Fatal(err)
			}
			r, err := backup.Open(hurt, []byte(key.String()))
			if err == nil {
				defer r.Close()
				_, err = r.Prove(t.Context(), nil)
			}
			_, damaged := errors.AsType[*archive.DamagedError](err)
			_, locked := errors.AsType[*backup.LockedError](err) // whom it is for is written at its start
			if !damaged && !locked {
				rt.Fatalf("hurt at %d of %d: %v", at, len(whole), err)
			}
			const begins = 24 // where it does not begin like one needs no place
			if damaged && at >= begins && !strings.Contains(err.Error(), "byte ") {
				rt.Fatalf("the place is not named: %v", err)
			}
		})
	}
}

// Older backups than are to be kept go once a newer one is proven; what is not a
// backup of this relay's stays, whatever it is called.
func TestPruning(t *testing.T) {
	s, folder := fill(t), t.TempDir()
	k := keeper(t, s, backup.Plan{Folder: folder, Keep: 2})
	first := backUp(t, k, folder)
	strangers := []string{"hearth-20200101T000000Z.backup", "notes.txt", ".hearth-backup-notes", "hearth-20200101T000000Z.backup.age"}
	for _, name := range strangers {
		copyTo(t, filepath.Join(folder, first.Name), filepath.Join(folder, name))
	}
	second := backUp(t, k, "")
	if n := len(k.State().Kept); n != 2 {
		t.Errorf("%d are kept of 2", n)
	}
	third := backUp(t, k, "")
	got := names(t, folder)
	want := append([]string{".hearth-backup-notes", "hearth-20200101T000000Z.backup", "hearth-20200101T000000Z.backup.age"},
		second.Name, third.Name, "hearth-backups.json", "notes.txt")
	slices.Sort(want)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}

	// One that is away, or was exchanged, does not count, and is not touched.
	if err := os.WriteFile(filepath.Join(folder, third.Name), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	k.Look()
	if diff := cmp.Diff([]backup.Kept{second}, k.State().Kept); diff != "" {
		t.Error(diff)
	}
	if err := k.Change(backup.Plan{Folder: folder, Keep: 1}, false); err != nil {
		t.Fatal(err)
	}
	fourth := backUp(t, k, "")
	if diff := cmp.Diff([]backup.Kept{fourth}, k.State().Kept); diff != "" {
		t.Error(diff)
	}
	if data, err := os.ReadFile(filepath.Join(folder, third.Name)); string(data) != "mine" {
		t.Errorf("a file that is no backup any more is gone: %v", err)
	}
}

// A share that is not mounted is told from one that is: nothing is written into the
// empty mount point, and once the share is back backups go on.
func TestVanishedMount(t *testing.T) {
	s, place := fill(t), filepath.Join(t.TempDir(), "nas")
	k := keeper(t, s, backup.Plan{Folder: place, Keep: 2})
	is[*backup.NoFolderError](t, k.Change(k.State().Plan, true))
	if err := os.Mkdir(place, 0o700); err != nil {
		t.Fatal(err)
	}
	first := backUp(t, k, place)
	if err := os.Rename(place, place+".away"); err != nil {
		t.Fatal(err)
	}
	_, err := k.BackUp(t.Context(), "", nil)
	is[*backup.MissingError](t, err)
	if err := os.Mkdir(place, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, named := range []string{"", place} { // as somebody's timetable may name it again and again
		_, err = k.BackUp(t.Context(), named, nil)
		is[*backup.MissingError](t, err)
	}
	is[*backup.MissingError](t, k.State().Failed)
	if left := names(t, place); len(left) > 0 {
		t.Errorf("written where no share is: %v", left)
	}
	if err := errors.Join(os.Remove(place), os.Rename(place+".away", place)); err != nil {
		t.Fatal(err)
	}
	second := backUp(t, k, "")
	if state := k.State(); state.Failed != nil || !cmp.Equal(state.Kept, []backup.Kept{second, first}) {
		t.Errorf("%+v", state)
	}
}

// A share whose marker is gone is taken again if it is chosen again, and only then.
func TestChosenAgain(t *testing.T) {
	s, share := fill(t), t.TempDir()
	k := keeper(t, s, backup.Plan{Keep: 1})
	plan := backup.Plan{Folder: share, Keep: 2}
	for _, chosen := range []bool{true, false, true} {
		if err := os.Remove(filepath.Join(share, "hearth-backups.json")); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		if err := k.Change(plan, chosen); err != nil {
			t.Fatal(err)
		}
		_, err := k.BackUp(t.Context(), "", nil)
		if chosen && err != nil {
			t.Error(err)
		}
		if !chosen {
			is[*backup.MissingError](t, err)
		}
	}
}

// A folder with another relay's backups is not taken.
func TestOthersFolder(t *testing.T) {
	s, folder := fill(t), t.TempDir()
	backUp(t, keeper(t, s, backup.Plan{Folder: folder, Keep: 1}), folder)
	m := backup.Maker{Source: s, Relay: "another"}
	_, err := backup.NewKeeper(m, backup.Plan{Keep: 1}, discard(), nil).BackUp(t.Context(), folder, nil)
	is[*backup.OthersError](t, err)
	if n := len(names(t, folder)); n != 2 {
		t.Errorf("%d files are there, not a backup and the marker", n)
	}
}

// What a backup that broke off has left is cleared away by the next one, and was
// never taken for one.
func TestLeftBehind(t *testing.T) {
	s, folder := fill(t), t.TempDir()
	k := keeper(t, s, backup.Plan{Folder: folder, Keep: 2})
	first := backUp(t, k, folder)
	copyTo(t, filepath.Join(folder, first.Name), filepath.Join(folder, ".hearth-backup-123.part"))
	k.Look()
	if n := len(k.State().Kept); n != 1 {
		t.Errorf("%d are listed", n)
	}
	second := backUp(t, k, "")
	want := []string{first.Name, second.Name, "hearth-backups.json"}
	slices.Sort(want)
	if diff := cmp.Diff(want, names(t, folder)); diff != "" {
		t.Error(diff)
	}
}

// A damaged stream is left out and named, the others are backed up, and the older
// backups, which have it, all stay.
func TestDamagedStream(t *testing.T) {
	path := filepath.Join(t.TempDir(), "hearth.db")
	open := func() *sqlite.Store {
		s, err := sqlite.Open(t.Context(), path, sqlite.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s, folder := open(), t.TempDir()
	plan := backup.Plan{Folder: folder, Keep: 1}
	write(t, s, "well", 5, 10)
	for _, text := range []string{"a mark that is easy to find", "the end"} {
		a := store.Append{Ref: store.Ref{Space: "default", Name: "hurt"}, Batch: protocol.Batch{Entries: protocol.NewEntries([]byte(text))}}
		if _, err := s.Append(t.Context(), a); err != nil {
			t.Fatal(err)
		}
	}
	whole := backUp(t, keeper(t, s, plan), folder)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil || !bytes.Contains(data, []byte("easy to find")) {
		t.Fatal("the mark is not there: ", err)
	}
	if err := os.WriteFile(path, bytes.ReplaceAll(data, []byte("easy to find"), []byte("hard to find")), 0o600); err != nil {
		t.Fatal(err)
	}
	s = open()
	defer s.Close()
	k := keeper(t, s, plan)
	lacking := backUp(t, k, folder)
	if diff := cmp.Diff([]backup.Lacking{{Space: "default", Name: "hurt"}}, lacking.Lacking); diff != "" || lacking.Streams != 1 {
		t.Errorf("%+v\n%s", lacking, diff)
	}
	if diff := cmp.Diff([]backup.Kept{lacking, whole}, k.State().Kept); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if c := contents(t, filepath.Join(folder, lacking.Name), nil); !cmp.Equal(c.Manifest.Lacking, []string{"hurt"}) {
		t.Errorf("it says that it lacks %v", c.Manifest.Lacking)
	}
}

// A plan that cannot be is refused.
func TestPlan(t *testing.T) {
	good := backup.Plan{Folder: "/nas", Keep: 7}
	for name, change := range map[string]func(*backup.Plan){
		"too often":     func(p *backup.Plan) { p.Every = 1 },
		"before now":    func(p *backup.Plan) { p.Every = -1 },
		"too seldom":    func(p *backup.Plan) { p.Every = 1 << 62 },
		"none kept":     func(p *backup.Plan) { p.Keep = 0 },
		"too many kept": func(p *backup.Plan) { p.Keep = 1 << 20 },
		"no recipient":  func(p *backup.Plan) { p.Recipient = "age1" },
		"a secret key":  func(p *backup.Plan) { p.Recipient = "AGE-SECRET-KEY-1" },
	} {
		p := good
		if err := p.Check(); err != nil {
			t.Fatal(err)
		}
		if change(&p); p.Check() == nil {
			t.Errorf("%s: %+v is taken", name, p)
		}
	}
}

// One backup is made at a time.
func TestOneAtATime(t *testing.T) {
	s, folder := fill(t), t.TempDir()
	k := keeper(t, s, backup.Plan{Folder: folder, Keep: 1})
	choose(t, k)
	if _, err := k.BackUp(t.Context(), folder, func(uint64, uint64) {
		if _, err := k.BackUp(t.Context(), folder, nil); !errors.Is(err, backup.ErrRunning) {
			t.Errorf("a second one: %v", err)
		}
		if !k.State().Running {
			t.Error("it is not said to be made")
		}
	}); err != nil || k.State().Running {
		t.Error(err)
	}
}
