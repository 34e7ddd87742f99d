package console

// Happening is a kind of what happens on a relay. It tells of it, as events on the
// stream _relay of each space, unless its owner would rather not have it told.
type Happening string

// The kinds of happenings.
const (
	HappeningCreated  Happening = "streams_created"
	HappeningMoved    Happening = "streams_moved"
	HappeningRefusals Happening = "refusals" // of known devices
	HappeningBackups  Happening = "backups"
	HappeningChecks   Happening = "checks"
	HappeningDisk     Happening = "disk" // that it is nearly full, or not any more
)

// Happenings lists the kinds.
func Happenings() []Happening {
	return []Happening{
		HappeningCreated, HappeningMoved, HappeningRefusals, HappeningBackups, HappeningChecks, HappeningDisk,
	}
}
