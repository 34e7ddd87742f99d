package main

import (
	"maps"
	"slices"
	"time"

	"hearth/relay/console"
)

// maxPast bounds how many earlier addresses are remembered. Who moves a laptop
// all day long has the oldest forgotten.
const maxPast = 16

// past remembers at which addresses the relay was announced before: devices
// that were given one of them look for it there.
type past struct {
	now  []string
	gone map[string]time.Time // since when
}

// note compares what is announced now with before. That nothing is announced,
// as while the network is away, says nothing about addresses.
func (p *past) note(announced []console.Announcement, now time.Time) {
	var is []string
	for _, a := range announced {
		is = append(is, a.Addresses...)
	}
	if len(is) == 0 {
		return
	}
	if p.gone == nil {
		p.gone = make(map[string]time.Time)
	}
	for _, addr := range p.now {
		p.gone[addr] = now
	}
	for _, addr := range is {
		delete(p.gone, addr)
	}
	for _, addr := range p.addresses()[min(len(p.gone), maxPast):] {
		delete(p.gone, addr)
	}
	p.now = is
}

// addresses are those of before, the last first.
func (p *past) addresses() []string {
	return slices.SortedFunc(maps.Keys(p.gone), func(a, b string) int { return p.gone[b].Compare(p.gone[a]) })
}
