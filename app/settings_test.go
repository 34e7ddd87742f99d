package main

import (
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearth/relay/console"
)

// Each setting has the strongest of its values and says where that is from. An
// address for this run settles the port, and who reaches it.
func TestValues(t *testing.T) {
	const flag, env, file, usual = console.OriginFlag, console.OriginEnvironment, console.OriginFile, console.OriginDefault
	at := func(text string) *place {
		var p place
		if err := p.UnmarshalText([]byte(text)); err != nil {
			t.Fatal(err)
		}
		return &p
	}
	everything := keptSettings{Name: new("file"), Port: new(4000), Open: new(true)}
	tests := []struct {
		name   string
		givens givens
		kept   keptSettings
		want   console.Values
		place  string
	}{
		{
			name: "nothing",
			want: console.Values{
				Name: console.Value[string]{Value: defaultName(), Origin: usual},
				Port: console.Value[int]{Value: 2451, Origin: usual},
				Open: console.Value[bool]{Value: false, Origin: usual},
			},
			place: "127.0.0.1:2451",
		},
		{
			name: "file", kept: everything,
			want: console.Values{
				Name: console.Value[string]{Value: "file", Origin: file},
				Port: console.Value[int]{Value: 4000, Origin: file},
				Open: console.Value[bool]{Value: true, Origin: file},
			},
			place: ":4000",
		},
		{
			name: "environment over file", kept: everything,
			givens: givens{name: given[string]{new("env"), env}, open: given[bool]{new(false), env}},
			want: console.Values{
				Name: console.Value[string]{Value: "env", Origin: env},
				Port: console.Value[int]{Value: 4000, Origin: file},
				Open: console.Value[bool]{Value: false, Origin: env},
			},
			place: "127.0.0.1:4000",
		},
		{
			name: "private address", kept: everything,
			givens: givens{place: given[place]{at("127.0.0.1:0"), flag}},
			want: console.Values{
				Name: console.Value[string]{Value: "file", Origin: file},
				Port: console.Value[int]{Value: 0, Origin: flag},
				Open: console.Value[bool]{Value: false, Origin: flag},
			},
			place: "127.0.0.1:0",
		},
		{
			name: "address for all, open by the file", kept: everything,
			givens: givens{place: given[place]{at(":80"), env}},
			want: console.Values{
				Name: console.Value[string]{Value: "file", Origin: file},
				Port: console.Value[int]{Value: 80, Origin: env},
				Open: console.Value[bool]{Value: true, Origin: env},
			},
			place: ":80",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.want.Interfaces.Origin, test.want.Advertise.Origin, test.want.Untold.Origin = usual, usual, usual
			test.want.Desktop = console.Desktop{
				Tray:     console.Value[bool]{Origin: usual},
				Theme:    console.Value[console.Theme]{Value: console.ThemeSystem, Origin: usual},
				LogLevel: console.Value[slog.Level]{Value: slog.LevelInfo, Origin: usual},
			}
			test.want.BackupValues = console.BackupValues{
				BackupFolder: console.Value[string]{Value: "backups", Origin: usual},
				BackupEvery:  console.Value[time.Duration]{Origin: usual},
				BackupKeep:   console.Value[int]{Value: 7, Origin: usual}, BackupRecipient: console.Value[string]{Origin: usual},
			}
			s := settings{test.givens, test.kept}
			if diff := cmp.Diff(test.want, s.values()); diff != "" {
				t.Error(diff)
			}
			if got := s.place().String(); got != test.place {
				t.Errorf("listens at %s, not %s", got, test.place)
			}
		})
	}
}

// What a version does not know of the settings it keeps, and only the owner
// reads them.
func TestSettingsFile(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, settingsName)
	before := "\uFEFF" + `{"later": {"a": [1, 2.50]}, "port": 4000, "name": null}` // as editors on Windows write it
	if err := os.WriteFile(path, []byte(before), 0o644); err != nil {
		t.Fatal(err)
	}
	kept, err := readSettings(folder)
	if err != nil {
		t.Fatal(err)
	}
	if kept.Name != nil || kept.Open != nil || *kept.Port != 4000 {
		t.Errorf("read %+v", kept)
	}
	kept.Name = new("Küche \"2\"")
	if err := kept.write(folder); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := "{\n  \"later\": {\n    \"a\": [\n      1,\n      2.50\n    ]\n  },\n  \"name\": \"Küche \\\"2\\\"\",\n  \"port\": 4000\n}\n"
	if diff := cmp.Diff(want, string(data)); diff != "" {
		t.Error(diff)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("others may read it: %v", info.Mode())
	}
	again, err := readSettings(folder)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(kept.fields(), again.fields()); diff != "" {
		t.Error(diff)
	}
	if names, err := filepath.Glob(filepath.Join(folder, ".*")); err != nil || len(names) > 0 {
		t.Errorf("left behind: %v, %v", names, err)
	}
}

// A settings file that is not one is named, whatever is wrong with it.
func TestDamagedSettings(t *testing.T) {
	for name, text := range map[string]string{
		"empty":        "",
		"no object":    "[]",
		"two":          "{} {}",
		"cut off":      `{"name": "a`,
		"wrong type":   `{"name": 1}`,
		"port too big": `{"port": 65536}`,
		"port broken":  `{"port": 1.5}`,
		"no bool":      `{"open": "yes"}`,
		"no theme":     `{"theme": "pink"}`,
		"no level":     `{"log_level": "loud"}`,
		"too large":    `{"a": "` + strings.Repeat("x", maxSettings) + `"}`,
	} {
		t.Run(name, func(t *testing.T) {
			folder := t.TempDir()
			path := filepath.Join(folder, settingsName)
			if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := readSettings(folder); err == nil || !strings.Contains(err.Error(), path) || hintOf(err) == "" {
				t.Errorf("the error is %v, the hint %q", err, hintOf(err))
			}
		})
	}
}

// A settings file that cannot be read, or that says what cannot be, comes with
// what to do about it, wherever the value is from.
func TestSettingsHints(t *testing.T) {
	folder := t.TempDir()
	given := testSettings(folder, keptSettings{}).givens
	path := filepath.Join(folder, settingsName)
	if err := os.Mkdir(path, 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := loadSettings(given); err == nil || !strings.Contains(hintOf(err), "move what is there away") {
		t.Errorf("a folder in its place: %v, hint %q", err, hintOf(err))
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	long := strings.Repeat("ä", maxNameBytes)
	for origin, hint := range map[console.Origin]string{
		console.OriginFile: "change it in " + path, console.OriginFlag: "another value", console.OriginEnvironment: "HEARTH_",
	} {
		g, kept := given, keptSettings{Name: &long}
		if origin != console.OriginFile {
			g.name.value, g.name.origin, kept = &long, origin, keptSettings{}
		}
		if err := kept.write(folder); err != nil {
			t.Fatal(err)
		}
		_, err := loadSettings(g)
		if err == nil || !strings.Contains(err.Error(), "too long") || !strings.Contains(hintOf(err), hint) {
			t.Errorf("from the %s: %v, hint %q", origin, err, hintOf(err))
		}
	}
}

// A key that is not known is told of, with the one that was meant if it is a slip
// of the pen.
func TestUnknownKeys(t *testing.T) {
	kept, err := parseSettings([]byte(`{"naem": 1, "Port": 2, "allowed_orgins": [], "later": {}, "name": "a"}`))
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	settings{kept: kept}.warn(newLogbook(0).logger(&said))
	lines := strings.Split(strings.TrimSpace(said.String()), "\n")
	want := []string{"key=Port meant=port", "key=allowed_orgins meant=allowed_origins", "key=later", "key=naem meant=name"}
	for i := range max(len(lines), len(want)) {
		if i >= len(lines) || i >= len(want) || !strings.HasSuffix(lines[i], want[i]) {
			t.Errorf("it says\n%s", &said)
			break
		}
	}
	if near := nearest(strings.Repeat("name", 1<<16), []string{"name"}); near != "" {
		t.Errorf("a very long key is taken for %q", near)
	}
}

// A name is what a person can read and the network can carry.
func TestCheckName(t *testing.T) {
	for name, ok := range map[string]bool{
		"Hearth": true, "Küche": true, "a": true, strings.Repeat("x", maxNameBytes): true,
		"": false, " ": false, "a\nb": false, "\x1b[31m": false, "\xff": false, strings.Repeat("x", maxNameBytes+1): false,
	} {
		if err := checkName(name); (err == nil) != ok {
			t.Errorf("%q: %v", name, err)
		}
	}
	if err := checkName(defaultName()); err != nil {
		t.Error(err)
	}
}
