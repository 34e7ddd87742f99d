package main

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearth/relay/console"
)

// Addresses that the relay had before are remembered, the last first, until it
// has them again; that it is announced nowhere for a while is no change.
func TestPast(t *testing.T) {
	var p past
	beginning := time.Now()
	for i, step := range []struct {
		is   []string
		want []string
	}{
		{[]string{"10.0.0.1", "fd00::1"}, nil},
		{nil, nil},
		{[]string{"10.0.0.1", "fd00::1"}, nil},
		{[]string{"10.0.0.2", "fd00::1"}, []string{"10.0.0.1"}},
		{[]string{"10.0.0.3", "fd00::1"}, []string{"10.0.0.2", "10.0.0.1"}},
		{[]string{"10.0.0.1", "fd00::1"}, []string{"10.0.0.3", "10.0.0.2"}},
	} {
		var announced []console.Announcement
		for _, addr := range step.is {
			announced = append(announced, console.Announcement{Addresses: []string{addr}})
		}
		p.note(announced, beginning.Add(time.Duration(i)*time.Minute))
		if diff := cmp.Diff(step.want, p.addresses()); diff != "" {
			t.Errorf("after %d: %s", i, diff)
		}
	}
	for i := range 3 * maxPast {
		p.note([]console.Announcement{{Addresses: []string{fmt.Sprintf("10.1.0.%d", i)}}}, beginning.Add(time.Hour+time.Duration(i)*time.Minute))
	}
	if all := p.addresses(); len(all) != maxPast || all[0] != fmt.Sprintf("10.1.0.%d", 3*maxPast-2) {
		t.Errorf("remembered %v", all)
	}
}
