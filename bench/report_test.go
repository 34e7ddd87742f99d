package main

import (
	"strings"
	"testing"
	"time"
)

func TestNumber(t *testing.T) {
	for _, test := range []struct {
		value    float64
		decimals int
		want     string
	}{
		{0, 0, "0"},
		{999, 0, "999"},
		{1000, 0, "1,000"},
		{1234567.8, 0, "1,234,568"},
		{-1234, 0, "-1,234"},
		{-123, 0, "-123"},
		{1234.567, 2, "1,234.57"},
		{0.05, 1, "0.1"},
	} {
		if got := number(test.value, test.decimals); got != test.want {
			t.Errorf("number(%v, %d) is %q, not %q", test.value, test.decimals, got, test.want)
		}
	}
}

func TestP99(t *testing.T) {
	var took []time.Duration
	for i := range 200 {
		took = append(took, time.Duration(200-i))
	}
	if got := p99(took); got != 198 {
		t.Errorf("the 99th of 1 to 200 is %d", got)
	}
	if got := p99(nil); got != 0 {
		t.Errorf("the 99th of none is %d", got)
	}
}

// looks returns what rounds showed.
func looks(values ...float64) []seen {
	var all []seen
	for _, v := range values {
		all = append(all, seen{outcome: outcome{value: v}})
	}
	return all
}

// Ratios are taken round by round, so that a slow minute does not tell on one side
// alone, and always say how many times better Hearth is.
func TestRatio(t *testing.T) {
	speed, memory := scenario{name: "append-large", unit: requestRate}, scenario{name: "idle", unit: kibibytes}
	r := report{results: []*result{
		{scenario: speed, target: &target{kind: hearth}, looks: looks(300, 30, 3000)},
		{scenario: speed, target: &target{kind: published}, looks: looks(100, 10, 1000)},
		{scenario: memory, target: &target{kind: hearth}, looks: looks(10, 10, 10)},
		{scenario: memory, target: &target{kind: published}, looks: looks(40, 40, 40)},
	}}
	for _, test := range []struct {
		scenario string
		other    kind
		want     float64
	}{
		{"append-large", published, 3}, {"idle", published, 4}, {"idle", ceiling, 0}, {"unknown", published, 0},
	} {
		if got := r.ratio(test.scenario, test.other); got != test.want {
			t.Errorf("%s against %s: %v, not %v", test.scenario, test.other, got, test.want)
		}
	}
	var text strings.Builder
	r.verdicts(&text)
	for _, line := range []string{"≥ 2.0 × efema-server | 3.00 × | met", "≤ 20 KiB | 10.0 KiB | met"} {
		if !strings.Contains(text.String(), line) {
			t.Errorf("the verdicts do not say %q:\n%s", line, text.String())
		}
	}
}

// Each target is about a scenario that there is.
func TestPromises(t *testing.T) {
	names := make(map[string]bool)
	for _, s := range scenarios(short) {
		if names[s.name] {
			t.Errorf("two scenarios are called %s", s.name)
		}
		names[s.name] = true
	}
	for _, p := range promises {
		if !names[p.scenario] {
			t.Errorf("there is no scenario %s", p.scenario)
		}
	}
}
