package ui

import (
	"fmt"

	"hearth/relay/console"
)

const (
	// roomy is below how many free bytes the owner is told before the relay sees
	// a problem: a few days of photos.
	roomy = 2_000_000_000

	// damagedMost is how many damaged streams are told one by one.
	damagedMost = 3
)

// lead is where something is solved.
type lead struct {
	to     target
	stream console.StreamRef // for toStream
}

type target int

const (
	toStream target = iota
	toStreams
	toRefusals
	toNetwork
	toSettings
	toFolder
	toLog
)

// matter is something that needs the owner.
type matter struct {
	weight weight
	title  string // what it is, in a sentence
	todo   string // why, and what to do
	button string // what the lead is called
	lead   lead
}

// weight is how much a matter weighs.
type weight int

const (
	alarm  weight = iota // it cannot wait
	notice               // it wants a look
	choice               // it is as the owner chose, and he should remember that
)

// condition is all that the window knows of how the relay is.
type condition struct {
	overview console.Overview
	unseen   int             // refusals
	newest   console.Refusal // the newest of them
	network  console.Neighbourhood
}

// matters returns what needs the owner, the weightiest first.
func (c condition) matters() []matter {
	var list []matter
	o := c.overview
	lacksRoom := o.DiskFree > 0 && o.DiskFree < roomy
	switch {
	case o.Problem != "" && lacksRoom:
		list = append(list, matter{alarm, o.Problem, "", "Open data folder", lead{to: toFolder}})
	case o.Problem != "":
		list = append(list, matter{alarm, o.Problem, "", "Settings", lead{to: toSettings}})
	}
	list = append(list, damaged(o.Damaged)...)
	if lacksRoom && o.Problem == "" {
		list = append(list, matter{
			notice, fmt.Sprintf("Only %s are free where the data lies.", byteSize(o.DiskFree)),
			"Make room before the disk is full; writes are refused from then on.", "Open data folder",
			lead{to: toFolder},
		})
	}
	if o.BackupFailed != "" {
		list = append(list, matter{notice, "There is no new backup.", sentence(o.BackupFailed), "Settings", lead{to: toSettings}})
	}
	if c.unseen > 0 {
		title := counted(c.unseen, "refusal is new.", "refusals are new.")
		list = append(list, matter{notice, title, console.Explain(c.newest).Title, "See refusals", lead{to: toRefusals}})
	}
	if c.network.Trouble != "" {
		list = append(list, matter{notice, "Devices may not find this relay by themselves.", sentence(c.network.Trouble), "See network", lead{to: toNetwork}})
	}
	if o.Open {
		list = append(list, matter{
			choice, "Anyone on this network can read and write.",
			"There is no key. Leave it so only where you trust every device.", "Settings",
			lead{to: toSettings},
		})
	}
	return list
}

// damaged tells of the first damaged streams, and how many more there are.
func damaged(streams []console.Damage) []matter {
	var list []matter
	for _, d := range streams[:min(len(streams), damagedMost)] {
		list = append(list, matter{
			alarm, fmt.Sprintf("The stream “%s” is damaged at position %s.", abridged(fullName(d.StreamRef), titleMost), number(d.Position)),
			sentence(d.Reason) + " Its devices are refused until it is sound again. Keep a copy of the data folder, then bring back a backup.",
			"Open stream",
			lead{toStream, d.StreamRef},
		})
	}
	if more := len(streams) - len(list); more > 0 {
		title := counted(more, "more stream is damaged.", "more streams are damaged.")
		list = append(list, matter{alarm, title, "They are marked in the list of streams.", "See streams", lead{to: toStreams}})
	}
	return list
}

// pressing counts the matters that are more than the owner's choice.
func pressing(list []matter) int {
	n := 0
	for _, m := range list {
		if m.weight != choice {
			n++
		}
	}
	return n
}
