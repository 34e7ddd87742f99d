package sqlite

import "time"

const (
	// maxPatience is how long the writer waits for others at most: what a sync of
	// a good disk takes, which whoever comes too late for it has to wait for.
	maxPatience = time.Millisecond

	// enough is how many need not wait for more: what they take of the processor
	// is as long as a sync then, and the next ones can use the one meanwhile.
	enough = 16

	// maxDoubt is how many commits go by at most before the writer waits once more
	// for those who did not come the last times.
	maxDoubt = 64
)

// crowd foresees who writes together. Most clients send their next batch when the
// last one was answered. Taken at once, half of them would always come just too
// late, and each wait for two syncs instead of one.
type crowd struct {
	size     int           // how many there were at the end of the last commit
	patience time.Duration // how long it pays to wait for as many

	// How many commits the writer does not wait, and how many it will not if again
	// nobody comes.
	skip, doubt int
}

// ended notes a commit that began at a time, and how many there were at its end:
// those in it and those behind it.
func (c *crowd) ended(begin time.Time, size int) {
	c.size, c.patience = size, min(time.Since(begin)/2, maxPatience)
}

// wait adds to a group those who are foreseen and come soon, until they are enough.
// One who writes alone is kept waiting by nobody.
func (c *crowd) wait(group []*request, queue <-chan *request, closing <-chan struct{}) []*request {
	want := min(c.size, enough)
	if len(group) >= want {
		return group
	}
	if c.skip > 0 {
		c.skip--
		return group
	}
	before := len(group)
	late := time.NewTimer(c.patience)
	defer late.Stop()
	for len(group) < want {
		select {
		case r := <-queue:
			group = append(group, r)
			continue
		case <-late.C:
		case <-closing:
		}
		break
	}
	if len(group) > before {
		c.doubt = 0
	} else {
		c.doubt = min(2*c.doubt+1, maxDoubt)
		c.skip = c.doubt
	}
	return group
}
