package console

import "time"

// Verification is what a check of what a relay holds came to.
type Verification struct {
	Streams int
	Entries uint64
	Bytes   uint64 // of entries
	Took    time.Duration

	// Whole says that the database's file was checked too, down to its pages. That
	// of a relay that runs is only while it is small, since writers would have to
	// wait: that of a stopped one and that of a backup always are.
	Whole bool

	// Damaged lists the damaged streams, each with the first position that is
	// known to be damaged.
	Damaged []Damage

	// Faults lists what is wrong beside the streams, in whole sentences.
	Faults []string
}

// Sound says that nothing is wrong.
func (v Verification) Sound() bool { return len(v.Damaged) == 0 && len(v.Faults) == 0 }
