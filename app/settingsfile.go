package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"syscall"

	"hearth/relay/console"
	"hearth/relay/durable"
)

const (
	settingsName = "settings.json"

	// maxSettings bounds what is read of the settings, in bytes. They take some
	// hundred; anything much larger is another file under their name.
	maxSettings = 64 << 10
)

// keptSettings are those in the settings file; nil ones are not in it. Keys
// that this version does not know stay in the file.
type keptSettings struct {
	Name     *string
	Port     *int
	Open     *bool
	Tray     *bool
	Theme    *console.Theme
	LogLevel *slog.Level

	Interfaces *[]string
	Advertise  *[]string
	Untold     *[]console.Happening

	keptBackups

	// Whom the guard lets in beside those who are plainly meant: what few need
	// is set in the file alone.
	Hosts          []string
	AllowedOrigins []string
	TrustedProxies []netip.Prefix

	others map[string]json.RawMessage
}

// readSettings reads the settings file of a data folder. Without one there
// are no settings.
func readSettings(folder string) (keptSettings, error) {
	path := filepath.Join(folder, settingsName)
	var kept keptSettings
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
		return kept, nil // whether the folder itself will do is the relay's to say
	}
	if err != nil {
		return kept, unreadable(err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxSettings+1))
	if err != nil {
		return kept, unreadable(err)
	}
	if len(data) > maxSettings {
		err = fmt.Errorf("it is larger than %d bytes", maxSettings)
	} else {
		kept, err = parseSettings(data)
	}
	if err != nil {
		return kept, &hintedError{
			fmt.Errorf("the settings file %s is damaged: %w", path, err),
			"mend it, or move it away to start with the defaults",
		}
	}
	return kept, nil
}

// unreadable says that the settings file cannot be read, and what to do.
func unreadable(err error) error {
	hint := "move what is there away to start with the defaults"
	if errors.Is(err, fs.ErrPermission) {
		hint = "run Hearth as the user whose data that is, make it readable for you, or name another data folder with --data"
	}
	return &hintedError{fmt.Errorf("the settings cannot be read: %w", err), hint}
}

// byteOrderMark is what editors on Windows begin a text with. JSON has none (RFC
// 8259, section 8.1), but may be read with it.
var byteOrderMark = []byte("\xef\xbb\xbf")

func parseSettings(data []byte) (keptSettings, error) {
	var kept keptSettings
	if err := json.Unmarshal(bytes.TrimPrefix(data, byteOrderMark), &kept.others); err != nil {
		return keptSettings{}, err
	}
	for key, setting := range kept.fields() {
		value, ok := kept.others[key]
		if !ok {
			continue
		}
		if err := json.Unmarshal(value, setting); err != nil {
			return keptSettings{}, fmt.Errorf("the value of %q: %w", key, err)
		}
		delete(kept.others, key)
	}
	if kept.Port != nil {
		if err := checkPort(*kept.Port); err != nil {
			return keptSettings{}, fmt.Errorf("the value of %q: %w", "port", err)
		}
	}
	if kept.Theme != nil {
		if err := checkTheme(*kept.Theme); err != nil {
			return keptSettings{}, fmt.Errorf("the value of %q: %w", "theme", err)
		}
	}
	if kept.Untold != nil {
		if err := checkUntold(*kept.Untold); err != nil {
			return keptSettings{}, fmt.Errorf("the value of %q: %w", "untold", err)
		}
	}
	return kept, nil
}

// write puts the settings into the file of a data folder.
func (k keptSettings) write(folder string) error {
	all := maps.Clone(k.others)
	if all == nil {
		all = make(map[string]json.RawMessage)
	}
	for key, setting := range k.fields() {
		value, err := json.Marshal(setting)
		if err != nil {
			return err
		}
		if !bytes.Equal(value, []byte("null")) {
			all[key] = value
		}
	}
	data, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	if err := durable.WriteFile(filepath.Join(folder, settingsName), append(data, '\n')); err != nil {
		return fmt.Errorf("the settings cannot be kept: %w", err)
	}
	return nil
}

// fields returns where each known key of the file is held.
func (k *keptSettings) fields() map[string]any {
	return map[string]any{
		"name": &k.Name, "port": &k.Port, "open": &k.Open,
		"interfaces": &k.Interfaces, "advertise_addresses": &k.Advertise,
		"hosts": &k.Hosts, "allowed_origins": &k.AllowedOrigins, "trusted_proxies": &k.TrustedProxies,
		"backup_folder": &k.BackupFolder, "backup_every": &k.BackupEvery,
		"backup_keep": &k.BackupKeep, "backup_recipient": &k.BackupRecipient,
		"untold": &k.Untold, "tray": &k.Tray, "theme": &k.Theme, "log_level": &k.LogLevel,
	}
}
