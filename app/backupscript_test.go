package main

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"filippo.io/age"
	"github.com/rogpeppe/go-internal/testscript"

	"hearth/relay/console"
)

// backupKeys gives a script two secret keys, in key.txt and other.txt, and the public
// half of the first in $RECIPIENT.
func backupKeys(env *testscript.Env) error {
	for _, name := range []string{"other.txt", "key.txt"} {
		key, err := age.GenerateX25519Identity()
		if err != nil {
			return err
		}
		env.Setenv("RECIPIENT", key.Recipient().String())
		if err := os.WriteFile(filepath.Join(env.WorkDir, name), []byte(key.String()+"\n"), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// cmdNewest puts the path of the newest backup in a folder into a variable.
func cmdNewest(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: newest FOLDER NAME")
	}
	list, err := filepath.Glob(filepath.Join(ts.MkAbs(args[0]), "hearth-*.backup*"))
	ts.Check(err)
	if len(list) == 0 {
		ts.Fatalf("there is no backup in %s", args[0])
	}
	slices.SortFunc(list, func(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), strings.Compare(a, b)) })
	ts.Setenv(args[1], list[len(list)-1])
}

// What is set of backups is kept, put into effect and told, and takes nothing along
// that cannot be.
func TestBackupSettings(t *testing.T) {
	h := open(t, keptSettings{Port: new(0)})
	nas := t.TempDir()
	change := func(c console.BackupChange) (string, error) {
		return h.Change(t.Context(), console.Change{BackupChange: c})
	}
	said, err := change(console.BackupChange{BackupFolder: &nas, BackupEvery: new(24 * time.Hour), BackupKeep: new(3)})
	if err != nil || said != "A backup is made every 24h in "+nas+", and the last 3 are kept; they are not encrypted." {
		t.Errorf("%q, %v", said, err)
	}
	for name, wrong := range map[string]console.BackupChange{
		"no such folder": {BackupFolder: new(filepath.Join(nas, "none"))},
		"half a path":    {BackupFolder: new("nas")},
		"no recipient":   {BackupRecipient: new("age1none")},
		"too often":      {BackupEvery: new(time.Second)},
		"none kept":      {BackupKeep: new(0)},
	} {
		if said, err := change(wrong); err == nil {
			t.Errorf("%s: %q", name, said)
		}
	}
	v, err := h.Settings(t.Context())
	if err != nil || v.BackupFolder != (console.Value[string]{Value: nas, Origin: console.OriginFile}) || v.BackupKeep.Value != 3 {
		t.Errorf("%+v, %v", v.BackupValues, err)
	}
	b, err := h.Backups(t.Context())
	if err != nil || b.Folder != nas || b.Every != 24*time.Hour || b.Keep != 3 {
		t.Errorf("%+v, %v", b, err)
	}
	kept, err := readSettings(v.Folder.Value)
	if err != nil || time.Duration(*kept.BackupEvery) != 24*time.Hour || *kept.BackupFolder != nas {
		t.Errorf("%+v, %v", kept, err)
	}

	// Back to where they go by themselves.
	if _, err := change(console.BackupChange{BackupFolder: new(""), BackupEvery: new(time.Duration(0))}); err != nil {
		t.Fatal(err)
	}
	if b, err := h.Backups(t.Context()); err != nil || b.Folder != filepath.Join(v.Folder.Value, "backups") || b.Every != 0 {
		t.Errorf("%+v, %v", b, err)
	}
	if _, err := h.BackUp(t.Context(), "", nil); err != nil {
		t.Error(err)
	}
	if o, err := h.Overview(t.Context()); err != nil || o.BackedUp.IsZero() || o.BackupFailed != "" {
		t.Errorf("%+v, %v", o, err)
	}
}
