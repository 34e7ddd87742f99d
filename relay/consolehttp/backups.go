package consolehttp

import (
	"context"
	"errors"
	"net/url"
	"time"

	"hearth/relay/console"
)

// Backups is console.Backups in JSON.
type Backups struct {
	Folder    string        `json:"folder"`
	Every     time.Duration `json:"every_ns"`
	Keep      int           `json:"keep"`
	Recipient string        `json:"recipient,omitempty"`
	Next      time.Time     `json:"next,omitzero"`
	Last      time.Time     `json:"last,omitzero"`
	Failed    string        `json:"failed,omitempty"`
	Running   bool          `json:"running"`
	Done      uint64        `json:"done"`
	Total     uint64        `json:"total"`
	Kept      []Backup      `json:"kept"`
}

// BackupsOf puts what there is of backups into its JSON form.
func BackupsOf(b console.Backups) Backups {
	return Backups{
		b.Folder, b.Every, b.Keep, b.Recipient, b.Next, b.Last, b.Failed, b.Running, b.Done, b.Total, mapped(b.Kept, BackupOf),
	}
}

// Console returns what b is the JSON form of.
func (b Backups) Console() console.Backups {
	return console.Backups{
		Folder: b.Folder, Every: b.Every, Keep: b.Keep, Recipient: b.Recipient, Next: b.Next, Last: b.Last, Failed: b.Failed,
		Running: b.Running, Done: b.Done, Total: b.Total, Kept: listed(b.Kept, Backup.Console),
	}
}

// Backup is console.Backup in JSON.
type Backup struct {
	Name      string      `json:"name"`
	Made      time.Time   `json:"made"`
	Bytes     uint64      `json:"bytes"`
	Streams   int         `json:"streams"`
	Entries   uint64      `json:"entries"`
	Encrypted bool        `json:"encrypted"`
	Lacking   []StreamRef `json:"lacking,omitempty"`
}

// BackupOf puts a backup into its JSON form.
func BackupOf(b console.Backup) Backup {
	return Backup{
		b.Name, b.Made, b.Bytes, b.Streams, b.Entries, b.Encrypted,
		listed(b.Lacking, func(ref console.StreamRef) StreamRef { return StreamRef(ref) }),
	}
}

// Console returns the backup that b is the JSON form of.
func (b Backup) Console() console.Backup {
	return console.Backup{
		Name: b.Name, Made: b.Made, Bytes: b.Bytes, Streams: b.Streams, Entries: b.Entries, Encrypted: b.Encrypted,
		Lacking: listed(b.Lacking, func(ref StreamRef) console.StreamRef { return console.StreamRef(ref) }),
	}
}

// StreamRef is console.StreamRef in JSON.
type StreamRef struct {
	Space string `json:"space"`
	Name  string `json:"name"`
}

// backingUp refuses a backup while another one is being made.
var backingUp = busy(console.ErrBackingUp.Error())

// backUp makes a backup as a work.
func backUp(c console.Relay, folder string) work[Backup] {
	return func(ctx context.Context, progress func(done, total uint64)) (Backup, error) {
		b, err := c.BackUp(ctx, folder, progress)
		if errors.Is(err, console.ErrBackingUp) {
			err = backingUp
		}
		return BackupOf(b), err
	}
}

// Backups implements [console.Relay].
func (c *Client) Backups(ctx context.Context) (console.Backups, error) {
	b, err := get[Backups](ctx, c, "backups", nil)
	return b.Console(), err
}

// BackUp implements [console.Relay].
func (c *Client) BackUp(ctx context.Context, folder string, progress func(done, total uint64)) (console.Backup, error) {
	b, err := watch[Backup](ctx, c, "backup?"+url.Values{"folder": {folder}}.Encode(), progress)
	if refusal, ok := errors.AsType[*Refusal](err); ok && refusal.Code == backingUp.Code {
		err = console.ErrBackingUp
	}
	return b.Console(), err
}
