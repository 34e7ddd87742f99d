package main

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"hearth/relay"
	"hearth/relay/backup"
	"hearth/relay/console"
)

// interval is a time between backups, in the settings file as text such as 24h.
type interval time.Duration

// String returns the text.
func (i interval) String() string {
	text := time.Duration(i).String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}

// MarshalJSON implements [json.Marshaler].
func (i interval) MarshalJSON() ([]byte, error) { return json.Marshal(i.String()) }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (i *interval) UnmarshalText(text []byte) error {
	d, err := time.ParseDuration(string(text))
	*i = interval(d)
	return err
}

// keptBackups are the settings of backups in the settings file.
type keptBackups struct {
	BackupFolder    *string
	BackupEvery     *interval
	BackupKeep      *int
	BackupRecipient *string
}

// backupValues returns the settings of backups with where they come from.
func (s settings) backupValues() console.BackupValues {
	return console.BackupValues{
		BackupFolder:    pick(given[string]{}, s.kept.BackupFolder, relay.BackupFolder(s.folder.Value)),
		BackupEvery:     pick(given[time.Duration]{}, (*time.Duration)(s.kept.BackupEvery), 0),
		BackupKeep:      pick(given[int]{}, s.kept.BackupKeep, backup.DefaultKeep),
		BackupRecipient: pick(given[string]{}, s.kept.BackupRecipient, ""),
	}
}

// backupPlan returns what is planned of backups.
func (s settings) backupPlan() backup.Plan {
	v := s.backupValues()
	return backup.Plan{
		Folder: v.BackupFolder.Value, Every: v.BackupEvery.Value, Keep: v.BackupKeep.Value, Recipient: v.BackupRecipient.Value,
	}
}

// with returns the settings with a change kept in them.
func (k keptBackups) with(change console.BackupChange) (keptBackups, error) {
	if change.BackupFolder != nil {
		k.BackupFolder = nil
		if folder := *change.BackupFolder; folder != "" {
			if !filepath.IsAbs(folder) {
				return k, fmt.Errorf("the folder for backups is named with its whole path, and %q is not", folder)
			}
			k.BackupFolder = new(filepath.Clean(folder))
		}
	}
	if change.BackupEvery != nil {
		k.BackupEvery = new(interval(*change.BackupEvery))
	}
	if change.BackupKeep != nil {
		k.BackupKeep = new(*change.BackupKeep)
	}
	if change.BackupRecipient != nil {
		k.BackupRecipient = new(strings.TrimSpace(*change.BackupRecipient))
	}
	return k, nil
}

// backupSummary says what a change changed.
func backupSummary(p backup.Plan) string {
	if p.Every == 0 {
		return "No backups are made by themselves; one that you ask for goes to " + p.Folder + "."
	}
	said := fmt.Sprintf("A backup is made every %v in %s, and the last %d are kept", interval(p.Every), p.Folder, p.Keep)
	if p.Recipient == "" {
		return said + "; they are not encrypted."
	}
	return said + ", encrypted."
}
