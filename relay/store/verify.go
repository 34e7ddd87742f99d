package store

import "time"

// Verify says how everything that a store holds is to be checked.
type Verify struct {
	// Only is the one stream to check; all, if it is zero.
	Only Ref

	// Workers is how many hash at the same time, beside the one who reads; none
	// leaves both to one.
	Workers int

	// Rest is how many times as long as it works the check rests, page by page,
	// so that others hardly feel it.
	Rest int

	// Progress hears now and then how many bytes of entries were read, and of how
	// many. It is called by one goroutine at a time. May be nil.
	Progress func(done, total uint64)
}

// Verified is what a check came to.
type Verified struct {
	Streams int
	Entries uint64
	Bytes   uint64 // of entries
	Took    time.Duration

	// Whole says that the file was checked too, down to its pages. While it is
	// written to that is only done if it does not take long.
	Whole bool

	// Damaged lists the damaged streams, each with the first position that is
	// known to be damaged, in the order of space and name.
	Damaged []*DamagedError

	// Faults lists what is wrong beside the streams.
	Faults []string
}

// Sound says that nothing is wrong.
func (v Verified) Sound() bool { return len(v.Damaged) == 0 && len(v.Faults) == 0 }
