package ui

import (
	"slices"
	"testing"

	"hearth/relay/console"
)

// What needs a person is told once, and again only if it was well in between.
func TestAlerts(t *testing.T) {
	full := console.Overview{Problem: "The disk is nearly full."}
	refusals := []console.Refusal{
		{Code: "epoch_behind", Stream: "notes"},
		{Code: "internal", Stream: "notes", Message: "this stream is damaged"},
		{Code: "internal", Stream: "notes", Message: "this stream is damaged", Client: "10.0.0.2"},
		{Code: "internal", Message: "about no stream"},
	}
	found := console.Overview{Damaged: []console.Damage{{StreamRef: console.StreamRef{Name: "notes"}, Reason: "a link is not what it should be"}}}
	away := console.Overview{BackupFailed: "the share is away"}
	var a alerts
	for i, step := range []struct {
		overview console.Overview
		refusals []console.Refusal
		want     []string
	}{
		{full, nil, []string{"Hearth needs you"}},
		{full, refusals, []string{"The stream notes needs you"}},
		{full, refusals, nil},
		{console.Overview{}, refusals, nil},
		{full, refusals, []string{"Hearth needs you"}},
		{full, nil, nil},
		{full, []console.Refusal{{Code: "storage_full"}}, nil}, // the same matter
		{console.Overview{}, []console.Refusal{{Code: "storage_full"}}, []string{"Hearth has no room left"}},
		{found, nil, []string{"The stream notes needs you"}}, // found by a check
		{found, refusals, nil}, // and met by a client
		{away, nil, []string{"Hearth made no new backup"}},
		{away, nil, nil},
	} {
		var got []string
		for _, alert := range a.fresh(alertsOf(step.overview, step.refusals)) {
			got = append(got, alert.title)
			if alert.text == "" {
				t.Errorf("%q says nothing", alert.title)
			}
		}
		if !slices.Equal(got, step.want) {
			t.Errorf("step %d tells %q, not %q", i, got, step.want)
		}
	}
}
