package console

import "time"

// Action is what a client was doing when it was seen, or refused.
type Action string

// The actions.
const (
	ActionWrite  Action = "write"
	ActionRead   Action = "read"
	ActionWait   Action = "wait"
	ActionFollow Action = "follow"
	ActionOther  Action = "other"

	ActionRefused Action = "refused" // of a Device: whatever it was, it was refused
)

// Refusal is one kind of refusal of one client, with how often it came. Fields
// that its code does not have are zero.
type Refusal struct {
	Code    string
	Status  int    // the HTTP status
	Message string // what the client was told
	Action  Action
	Space   string // where the client was let in; empty if it was not
	Stream  string // the stream's name; empty if it was about none
	Client  string // the address it came from, without the port
	Key     string // the id of the key it used; empty if none

	Position uint64 // the position of the cursor that it showed
	Head     uint64 // where the stream ends
	Epoch    uint32 // the stream's epoch
	Limit    uint64 // the limit that it passed, in bytes

	First time.Time // when it was refused like this for the first time
	Last  time.Time // and for the last
	Times int       // how often
}
