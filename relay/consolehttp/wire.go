package consolehttp

import (
	"time"

	"hearth/relay/console"
)

// Overview is console.Overview in JSON.
type Overview struct {
	Problem  string    `json:"problem,omitempty"`
	Name     string    `json:"name"`
	ID       string    `json:"id"`
	Version  string    `json:"version"`
	Started  time.Time `json:"started,omitzero"`
	URLs     []string  `json:"urls"`
	Open     bool      `json:"open"`
	Waiting  int       `json:"waiting"`
	Streams  int       `json:"streams"`
	Entries  uint64    `json:"entries"`
	Bytes    uint64    `json:"bytes"`
	DiskUsed uint64    `json:"disk_used"`
	DiskFree uint64    `json:"disk_free"`
	Refused  uint64    `json:"refused"`
	Damaged  []Damage  `json:"damaged,omitempty"`
	Checked  time.Time `json:"checked,omitzero"`

	BackedUp     time.Time `json:"backed_up,omitzero"`
	BackupFailed string    `json:"backup_failed,omitempty"`
}

// OverviewOf puts an overview into its JSON form.
func OverviewOf(o console.Overview) Overview {
	o.URLs = texts(o.URLs)
	return Overview{
		Problem: o.Problem, Name: o.Name, ID: o.ID, Version: o.Version, Started: o.Started, URLs: o.URLs, Open: o.Open,
		Waiting: o.Waiting, Streams: o.Streams, Entries: o.Entries, Bytes: o.Bytes,
		DiskUsed: o.DiskUsed, DiskFree: o.DiskFree, Refused: o.Refused, Damaged: mapped(o.Damaged, DamageOf), Checked: o.Checked,
		BackedUp: o.BackedUp, BackupFailed: o.BackupFailed,
	}
}

// Console returns the overview that o is the JSON form of.
func (o Overview) Console() console.Overview {
	if len(o.URLs) == 0 {
		o.URLs = nil
	}
	return console.Overview{
		Problem: o.Problem, Name: o.Name, ID: o.ID, Version: o.Version, Started: o.Started, URLs: o.URLs, Open: o.Open,
		Waiting: o.Waiting, Streams: o.Streams, Entries: o.Entries, Bytes: o.Bytes,
		DiskUsed: o.DiskUsed, DiskFree: o.DiskFree, Refused: o.Refused, Damaged: listed(o.Damaged, Damage.Console), Checked: o.Checked,
		BackedUp: o.BackedUp, BackupFailed: o.BackupFailed,
	}
}

// Damage is console.Damage in JSON.
type Damage struct {
	Space    string `json:"space"`
	Name     string `json:"name"`
	Position uint64 `json:"position"`
	Reason   string `json:"reason"`
}

// DamageOf puts damage into its JSON form.
func DamageOf(d console.Damage) Damage { return Damage{d.Space, d.Name, d.Position, d.Reason} }

// Console returns the damage that d is the JSON form of.
func (d Damage) Console() console.Damage {
	return console.Damage{
		StreamRef: console.StreamRef{Space: d.Space, Name: d.Name}, Position: d.Position, Reason: d.Reason,
	}
}

// Stream is console.Stream in JSON.
type Stream struct {
	Space     string       `json:"space"`
	Name      string       `json:"name"`
	Kind      console.Kind `json:"kind"`
	Identity  string       `json:"identity"`
	Head      uint64       `json:"head"`
	Epoch     uint32       `json:"epoch"`
	Link      string       `json:"link"`
	Bytes     uint64       `json:"bytes"`
	CreatedAt time.Time    `json:"created_at,omitzero"`
	WrittenAt time.Time    `json:"written_at,omitzero"`
	Hour      console.Hour `json:"hour,omitzero"`
	Damage    string       `json:"damage,omitempty"`
}

// StreamOf puts a stream into its JSON form.
func StreamOf(s console.Stream) Stream {
	return Stream{
		Space: s.Space, Name: s.Name, Kind: s.Kind, Identity: s.Identity, Head: s.Head, Epoch: s.Epoch,
		Link: s.Link, Bytes: s.Bytes, CreatedAt: s.CreatedAt, WrittenAt: s.WrittenAt, Hour: s.Hour, Damage: s.Damage,
	}
}

// Console returns the stream that s is the JSON form of.
func (s Stream) Console() console.Stream {
	return console.Stream{
		StreamRef: console.StreamRef{Space: s.Space, Name: s.Name}, Kind: s.Kind, Identity: s.Identity,
		Head: s.Head, Epoch: s.Epoch, Link: s.Link, Bytes: s.Bytes,
		CreatedAt: s.CreatedAt, WrittenAt: s.WrittenAt, Hour: s.Hour, Damage: s.Damage,
	}
}

// Entry is console.Entry in JSON.
type Entry struct {
	Position  uint64    `json:"position"`
	Epoch     uint32    `json:"epoch"`
	Size      int       `json:"size"`
	Link      string    `json:"link"`
	EndsBatch bool      `json:"ends_batch"`
	WrittenAt time.Time `json:"written_at,omitzero"`
	Writer    string    `json:"writer,omitempty"`
}

// EntryOf puts an entry into its JSON form.
func EntryOf(e console.Entry) Entry { return Entry(e) }

// Console returns the entry that e is the JSON form of.
func (e Entry) Console() console.Entry { return console.Entry(e) }

// Refused is console.Refusal in JSON.
type Refused struct {
	Code     string         `json:"code"`
	Status   int            `json:"status"`
	Message  string         `json:"message"`
	Action   console.Action `json:"action"`
	Space    string         `json:"space,omitempty"`
	Stream   string         `json:"stream,omitempty"`
	Client   string         `json:"client"`
	Key      string         `json:"key,omitempty"`
	Position uint64         `json:"position,omitempty"`
	Head     uint64         `json:"head,omitempty"`
	Epoch    uint32         `json:"epoch,omitempty"`
	Limit    uint64         `json:"limit,omitempty"`
	First    time.Time      `json:"first,omitzero"`
	Last     time.Time      `json:"last,omitzero"`
	Times    int            `json:"times"`
}

// RefusedOf puts a refusal that the console lists into its JSON form.
func RefusedOf(r console.Refusal) Refused { return Refused(r) }

// Console returns the refusal that r is the JSON form of.
func (r Refused) Console() console.Refusal { return console.Refusal(r) }
