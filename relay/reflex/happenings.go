package reflex

import (
	"encoding/json"
	"slices"
)

// RelayStream is the stream of each space on which the relay tells what happens on
// it. It is no name of v1, so that no other stream is called so.
const RelayStream = "_relay"

// HappeningKind is a kind of happenings: what the owner can have told or not.
type HappeningKind string

// The kinds of happenings.
const (
	StreamsCreated HappeningKind = "streams_created"
	StreamsMoved   HappeningKind = "streams_moved"
	Refusals       HappeningKind = "refusals"
	Backups        HappeningKind = "backups"
	Checks         HappeningKind = "checks"
	DiskRoom       HappeningKind = "disk"
	Devices        HappeningKind = "devices"
)

// HappeningKinds lists the kinds of what relays tell so far: there are no keys yet, so
// [Devices] are not among them.
func HappeningKinds() []HappeningKind {
	return []HappeningKind{StreamsCreated, StreamsMoved, Refusals, Backups, Checks, DiskRoom}
}

// Happening is something that happened on the relay itself, told as an event on
// the stream [RelayStream] of each space that it concerns, by the actor system
// "relay". The members of the event are its own, behind its type. What is told is
// bounded: of more than there is room for, [LeftOut] tells the number.
type Happening interface {
	// is returns the type of the event and the kind that it belongs to.
	is() (eventType string, kind HappeningKind)
}

// StreamCreated says that a stream came to be, by its first write or by an import.
type StreamCreated struct {
	Stream   string `json:"stream"`   // its name
	Holds    string `json:"holds"`    // "entries" or "events"
	Identity string `json:"identity"` // in lowercase hexadecimal
	Head     uint64 `json:"head"`     // its last position
}

// StreamMoved says that a stream has a new head. There is one a second and stream at
// the most, later where more is to be told than there is room for; the stream of
// happenings itself has none.
type StreamMoved struct {
	Stream string `json:"stream"` // its name
	Head   uint64 `json:"head"`   // its last position
	Moves  uint64 `json:"moves"`  // how many commits have moved it since what was told of it before
}

// DeviceRefused says that a known device was refused: one with a key, or one on the relay's
// own machine. There is one a code and key each minute at the most, which says what
// the newest was about.
type DeviceRefused struct {
	Code   string `json:"code"`   // of v1 or of reflexr.v1, whichever the device speaks
	Action string `json:"action"` // "write", "read", "wait" or "other"
	Stream string `json:"stream"` // as the device named it; empty if it named none
	Key    string `json:"key"`    // the id of the device's key; empty if it needs none
	Count  uint64 `json:"count"`  // how many times since what was told of it before
}

// BackupDone says that a backup was made, read back and proven.
type BackupDone struct {
	File      string `json:"file"` // its name in the folder for backups
	Streams   int    `json:"streams"`
	Entries   uint64 `json:"entries"`
	Bytes     int64  `json:"bytes"` // of the file
	Encrypted bool   `json:"encrypted"`
	Lacking   int    `json:"lacking"` // how many streams are not in it, since they are damaged
}

// BackupFailed says that no backup could be made. What to do, the owner is told by the
// window and the log: paths on the machine are nothing for devices.
type BackupFailed struct {
	Reason BackupFailure `json:"reason"`
}

// BackupFailure is why no backup could be made.
type BackupFailure string

// Why no backup could be made.
const (
	FolderMissing    BackupFailure = "folder_missing"    // as while a share is not mounted
	FolderForbidden  BackupFailure = "folder_forbidden"  // the system does not let the relay write there
	FolderOthers     BackupFailure = "folder_others"     // another relay's backups lie there
	FolderFull       BackupFailure = "folder_full"       // there is no room for it
	BackupUnreadable BackupFailure = "backup_unreadable" // it could not be read back as it was written
	BackupOther      BackupFailure = "other"
)

// BackupFailures lists why no backup could be made.
func BackupFailures() []BackupFailure {
	return []BackupFailure{FolderMissing, FolderForbidden, FolderOthers, FolderFull, BackupUnreadable, BackupOther}
}

// Verified says that what the relay holds, or one stream, was checked link by link.
type Verified struct {
	Stream  string `json:"stream"` // the only one that was checked; empty if it was everything
	Streams int    `json:"streams"`
	Entries uint64 `json:"entries"`
	Bytes   uint64 `json:"bytes"`   // of entries
	Damaged int    `json:"damaged"` // how many of the streams are damaged; 0 if all is sound
	Faults  int    `json:"faults"`  // how much else is wrong with the database
}

// Damaged says that a check found a stream damaged. It answers nothing any more.
type Damaged struct {
	Stream   string `json:"stream"`   // its name
	Position uint64 `json:"position"` // the first that is known to be damaged
}

// DiskLow says that the relay's disk is nearly full. It comes once, until [DiskOK].
type DiskLow struct {
	Free uint64 `json:"free"` // in bytes
}

// DiskOK says that the relay's disk has room again.
type DiskOK struct {
	Free uint64 `json:"free"` // in bytes
}

// DevicePaired says that a device got a key. No relay tells it so far: there are no
// keys yet.
type DevicePaired struct {
	Key  string `json:"key"`  // the key's id
	Name string `json:"name"` // what people call the device
}

// KeyRevoked says that a device's key does not hold any more. No relay tells it so far:
// there are no keys yet.
type KeyRevoked struct {
	Key  string `json:"key"`  // the key's id
	Name string `json:"name"` // what people call the device
}

// LeftOut says that happenings before it were not told, since there were more than
// the stream takes or the disk was full. Whoever keeps up by them looks for himself.
type LeftOut struct {
	Count uint64 `json:"count"`
}

func (StreamCreated) is() (string, HappeningKind) { return "stream_created", StreamsCreated }
func (StreamMoved) is() (string, HappeningKind)   { return "stream_moved", StreamsMoved }
func (DeviceRefused) is() (string, HappeningKind) { return "device_refused", Refusals }
func (BackupDone) is() (string, HappeningKind)    { return "backup_done", Backups }
func (BackupFailed) is() (string, HappeningKind)  { return "backup_failed", Backups }
func (Verified) is() (string, HappeningKind)      { return "verified", Checks }
func (Damaged) is() (string, HappeningKind)       { return "damaged", Checks }
func (DiskLow) is() (string, HappeningKind)       { return "disk_low", DiskRoom }
func (DiskOK) is() (string, HappeningKind)        { return "disk_ok", DiskRoom }
func (DevicePaired) is() (string, HappeningKind)  { return "device_paired", Devices }
func (KeyRevoked) is() (string, HappeningKind)    { return "key_revoked", Devices }
func (LeftOut) is() (string, HappeningKind)       { return "left_out", "" }

// HappeningType returns the type of the event that tells of a happening.
func HappeningType(h Happening) string {
	name, _ := h.is()
	return name
}

// KindOf returns the kind that a happening belongs to; empty if it is told with all.
func KindOf(h Happening) HappeningKind {
	_, kind := h.is()
	return kind
}

// Happenings lists one of each type, without what it tells.
func Happenings() []Happening {
	return []Happening{
		StreamCreated{},
		StreamMoved{},
		DeviceRefused{},
		BackupDone{},
		BackupFailed{},
		Verified{},
		Damaged{},
		DiskLow{},
		DiskOK{},
		DevicePaired{},
		KeyRevoked{},
		LeftOut{},
	}
}

// HappeningJSON renders the event that tells of a happening, its type first.
func HappeningJSON(h Happening) ([]byte, error) {
	members, err := json.Marshal(h)
	if err != nil {
		return nil, err
	}
	return slices.Concat([]byte(`{"type":"`+HappeningType(h)+`",`), members[1:]), nil
}
