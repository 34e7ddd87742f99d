package main

import (
	"strings"
)

// promise is a target of Hearth's. Just one of the last three is set.
type promise struct {
	scenario string
	times    float64 // as good as the published relay, at least
	share    float64 // of the ceiling, at least, in percent
	bound    float64 // in the scenario's unit: at most, or at least where more is better
}

// promises are the targets.
var promises = []promise{
	{scenario: "append-1-one-stream", times: 1.2},
	{scenario: "append-8-one-stream", times: 4},
	{scenario: "append-8-own-streams", times: 4},
	{scenario: "append-64-one-stream", times: 8},
	{scenario: "append-64-one-stream", share: 60},
	{scenario: "append-64-own-streams", times: 8},
	{scenario: "append-64-own-streams", share: 60},
	{scenario: "append-batch-1", times: 3},
	{scenario: "append-batch-8", times: 3},
	{scenario: "append-large", times: 2},
	{scenario: "catch-up-1000", times: 3},
	{scenario: "catch-up-1000", share: 60},
	{scenario: "catch-up-10000", times: 3},
	{scenario: "catch-up-10000", share: 60},
	{scenario: "tail-1-1", times: 3},
	{scenario: "tail-1-8", times: 3},
	{scenario: "tail-100-1", times: 3},
	{scenario: "tail-100-8", times: 3},
	{scenario: "wake-1000", times: 2},
	{scenario: "idle", bound: 20},
	{scenario: "many-streams", bound: 95},
	{scenario: "start-entries", bound: 50},
	{scenario: "disk-batches", bound: 315},
	{scenario: "disk-alone", bound: 400},
	{scenario: "events-publish", bound: 10_000},
	{scenario: "events-publish-100", bound: 150_000},
	{scenario: "events-live", bound: 5},
	{scenario: "events-read", bound: 1_000_000},
}

// verdicts writes which targets are met.
func (r report) verdicts(out *strings.Builder) {
	cells := []string{"work", "target", "measured", "verdict"}
	row(out, cells...)
	ruler(out, len(cells))
	for _, p := range promises {
		of := r.of(p.scenario, hearth)
		if of == nil {
			continue
		}
		target, measured, met := p.judge(r, of)
		verdict := "**missed**"
		switch {
		case measured == "":
			measured, verdict = none, "not measured"
		case met:
			verdict = "met"
		}
		row(out, of.scenario.title, target, measured, verdict)
	}
}

// judge says what the target is, what was measured, "" if it was not, and whether
// the target is met.
func (p promise) judge(r report, of *result) (target, measured string, met bool) {
	unit := of.scenario.unit
	switch {
	case p.times > 0:
		target = "≥ " + number(p.times, 1) + " × " + published.String()
		if times := r.ratio(p.scenario, published); times > 0 {
			measured, met = number(times, 2)+" ×", times >= p.times
		}
	case p.share > 0:
		target = "≥ " + number(p.share, 0) + " % of the ceiling"
		if share := 100 * r.ratio(p.scenario, ceiling); share > 0 {
			measured, met = number(share, 0)+" %", share >= p.share
		}
	default:
		sign, value := "≥ ", of.value()
		met = value >= p.bound
		if unit.less {
			sign, met = "≤ ", value <= p.bound
		}
		target = sign + number(p.bound, 0) + " " + unit.name
		measured = number(value, unit.decimals) + " " + unit.name
	}
	return target, measured, met
}
