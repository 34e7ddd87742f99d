package main

import "time"

// extent is how much is measured.
type extent struct {
	rounds  int           // of each scenario; odd, so that a median is one of them
	warm    time.Duration // before each look: connections open, the log's file is there
	look    time.Duration // how long a load is watched
	entries int           // in the stream that is read
	catchUp int           // entries that a reader catches up
	streams int           // that there are while one is written to
	waiters int           // who wait idle
	alone   int           // entries written alone to see what they take of the disk
}

var (
	// full takes about a quarter of an hour.
	full = extent{
		rounds: 5, warm: 300 * time.Millisecond, look: 1500 * time.Millisecond,
		entries: 1_000_000, catchUp: 200_000, streams: 100_000, waiters: 10_000, alone: 20_000,
	}

	// short takes a minute.
	short = extent{
		rounds: 1, warm: 100 * time.Millisecond, look: 400 * time.Millisecond,
		entries: 100_000, catchUp: 50_000, streams: 5_000, waiters: 2_000, alone: 2_000,
	}
)
