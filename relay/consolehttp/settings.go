package consolehttp

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"mime"
	"net/http"
	"time"

	"hearth/relay/console"
)

// Values is console.Values in JSON.
type Values struct {
	Name       Value[string]        `json:"name"`
	Port       Value[int]           `json:"port"`
	Open       Value[bool]          `json:"open"`
	Folder     Value[string]        `json:"folder"`
	Interfaces Value[[]string]      `json:"interfaces"`
	Advertise  Value[[]string]      `json:"advertise"`
	Login      Value[bool]          `json:"login"`
	Tray       Value[bool]          `json:"tray"`
	Theme      Value[console.Theme] `json:"theme"`
	LogLevel   Value[slog.Level]    `json:"log_level"`

	Untold Value[[]console.Happening] `json:"untold"`

	BackupFolder    Value[string]        `json:"backup_folder"`
	BackupEvery     Value[time.Duration] `json:"backup_every_ns"`
	BackupKeep      Value[int]           `json:"backup_keep"`
	BackupRecipient Value[string]        `json:"backup_recipient"`
}

// Value is console.Value in JSON.
type Value[T any] struct {
	Value  T              `json:"value"`
	Origin console.Origin `json:"origin"`
}

// ValuesOf puts the settings into their JSON form.
func ValuesOf(v console.Values) Values {
	v.Interfaces.Value, v.Advertise.Value, v.Untold.Value = texts(v.Interfaces.Value), texts(v.Advertise.Value), texts(v.Untold.Value)
	return Values{
		Name: Value[string](v.Name), Port: Value[int](v.Port), Open: Value[bool](v.Open), Folder: Value[string](v.Folder),
		Interfaces: Value[[]string](v.Interfaces), Advertise: Value[[]string](v.Advertise),
		Login: Value[bool](v.Login), Tray: Value[bool](v.Tray), Theme: Value[console.Theme](v.Theme),
		LogLevel:     Value[slog.Level](v.LogLevel),
		Untold:       Value[[]console.Happening](v.Untold),
		BackupFolder: Value[string](v.BackupFolder), BackupEvery: Value[time.Duration](v.BackupEvery),
		BackupKeep: Value[int](v.BackupKeep), BackupRecipient: Value[string](v.BackupRecipient),
	}
}

// Console returns the settings that v is the JSON form of.
func (v Values) Console() console.Values {
	return console.Values{
		Name: console.Value[string](v.Name), Port: console.Value[int](v.Port), Open: console.Value[bool](v.Open),
		Folder:     console.Value[string](v.Folder),
		Untold:     console.Value[[]console.Happening](v.Untold),
		Interfaces: console.Value[[]string](v.Interfaces), Advertise: console.Value[[]string](v.Advertise),
		Desktop: console.Desktop{
			Login: console.Value[bool](v.Login), Tray: console.Value[bool](v.Tray), Theme: console.Value[console.Theme](v.Theme),
			LogLevel: console.Value[slog.Level](v.LogLevel),
		},
		BackupValues: console.BackupValues{
			BackupFolder: console.Value[string](v.BackupFolder), BackupEvery: console.Value[time.Duration](v.BackupEvery),
			BackupKeep: console.Value[int](v.BackupKeep), BackupRecipient: console.Value[string](v.BackupRecipient),
		},
	}
}

// Change is console.Change in JSON. What is not in it stays as it is.
type Change struct {
	Name       *string        `json:"name,omitempty"`
	Port       *int           `json:"port,omitempty"`
	Open       *bool          `json:"open,omitempty"`
	Interfaces *[]string      `json:"interfaces,omitempty"`
	Advertise  *[]string      `json:"advertise,omitempty"`
	Login      *bool          `json:"login,omitempty"`
	Tray       *bool          `json:"tray,omitempty"`
	Theme      *console.Theme `json:"theme,omitempty"`
	LogLevel   *slog.Level    `json:"log_level,omitempty"`

	Untold *[]console.Happening `json:"untold,omitempty"`

	BackupFolder    *string        `json:"backup_folder,omitempty"`
	BackupEvery     *time.Duration `json:"backup_every_ns,omitempty"`
	BackupKeep      *int           `json:"backup_keep,omitempty"`
	BackupRecipient *string        `json:"backup_recipient,omitempty"`
}

// ChangeOf puts a change into its JSON form.
func ChangeOf(c console.Change) Change {
	return Change{
		c.Name, c.Port, c.Open, c.Interfaces, c.Advertise, c.Login, c.Tray, c.Theme, c.LogLevel, c.Untold,
		c.BackupFolder, c.BackupEvery, c.BackupKeep, c.BackupRecipient,
	}
}

// Console returns the change that c is the JSON form of.
func (c Change) Console() console.Change {
	return console.Change{
		Name: c.Name, Port: c.Port, Open: c.Open, Interfaces: c.Interfaces, Advertise: c.Advertise, Untold: c.Untold,
		DesktopChange: console.DesktopChange{Login: c.Login, Tray: c.Tray, Theme: c.Theme, LogLevel: c.LogLevel},
		BackupChange: console.BackupChange{
			BackupFolder: c.BackupFolder, BackupEvery: c.BackupEvery, BackupKeep: c.BackupKeep, BackupRecipient: c.BackupRecipient,
		},
	}
}

// Changed is the answer to a change.
type Changed struct {
	Said string `json:"said"` // a sentence for the person
}

// maxChange bounds the body of a change, in bytes. It takes some hundred.
const maxChange = 64 << 10

// readChange reads a change from the body of a request. The error is a *Refusal.
func readChange(r *http.Request) (Change, error) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return Change{}, badRequest("a change is sent as application/json")
	}
	body, err := io.ReadAll(io.LimitReader(r.Body, maxChange+1))
	if err != nil {
		return Change{}, badRequest("the change did not arrive whole: %v", err)
	}
	if len(body) > maxChange {
		return Change{}, &Refusal{
			Status: http.StatusRequestEntityTooLarge, Code: "too_large", Message: "no change is as large as this",
		}
	}
	var c Change
	if err := strictly(body, &c); err != nil {
		return Change{}, badRequest("the change cannot be read: %v", err)
	}
	return c, nil
}

// strictly reads one JSON value in which nothing stands that is not known.
func strictly(data []byte, into any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("something stands after its end")
	}
	return nil
}

// LogLine is console.LogLine in JSON.
type LogLine struct {
	Number uint64     `json:"number"`
	Time   time.Time  `json:"time"`
	Level  slog.Level `json:"level"`
	Text   string     `json:"text"`
}

// LogLineOf puts a line of the log into its JSON form.
func LogLineOf(l console.LogLine) LogLine { return LogLine(l) }

// Console returns the line that l is the JSON form of.
func (l LogLine) Console() console.LogLine { return console.LogLine(l) }
