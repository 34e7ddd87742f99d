package main

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// report is what a run showed.
type report struct {
	machine machine
	targets []*target
	size    extent
	results []*result
}

// print writes it in Markdown.
func (r report) print(out io.Writer) error {
	var text strings.Builder
	names := make([]string, len(r.targets))
	for i, t := range r.targets {
		names[i] = t.name
	}
	fmt.Fprintf(&text, "%s. Medians of %s of %s, in which %s took turns.\n\n",
		r.machine, people(r.size.rounds, "round"), r.size.look, strings.Join(names, ", "))
	r.rates(&text)
	fmt.Fprintf(&text, "\nWhat counts is how many times better Hearth is, round by round: for times and sizes the inverse. "+
		"Where many streams exist %s has a tenth of them.\n", published)
	text.WriteString("\nWhat it took: memory at the end, and how many cores the server and the load generator kept busy.\n\n")
	r.costs(&text)
	text.WriteString("\nThe targets:\n\n")
	r.verdicts(&text)
	_, err := io.WriteString(out, text.String())
	return err
}

// row writes a row of a table.
func row(out *strings.Builder, cells ...string) {
	out.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

// ruler writes the line below a table's head: the first column is words, the
// others are numbers.
func ruler(out *strings.Builder, columns int) {
	out.WriteString("|---|" + strings.Repeat("---:|", columns-1) + "\n")
}

// none is what stands for a figure that there is none of.
const none = "–"

// rates writes how fast or large everything was.
func (r report) rates(out *strings.Builder) {
	cells := []string{"work", "unit"}
	for _, t := range r.targets {
		cells = append(cells, t.kind.String(), "p99 ms")
	}
	cells = append(cells, "against "+published.String(), "of the ceiling")
	row(out, cells...)
	ruler(out, len(cells))
	for _, s := range r.scenarios() {
		cells := []string{s.title, s.unit.name}
		for _, t := range r.targets {
			of := r.of(s.name, t.kind)
			if of == nil {
				cells = append(cells, none, none)
				continue
			}
			p99 := none
			if d := of.p99(); d > 0 {
				p99 = inMilliseconds(d)
			}
			cells = append(cells, number(of.value(), s.unit.decimals), p99)
		}
		versus, share := none, none
		if times := r.ratio(s.name, published); times > 0 {
			versus = number(times, 2) + " ×"
		}
		if times := r.ratio(s.name, ceiling); times > 0 {
			share = number(100*times, 0) + " %"
		}
		row(out, append(cells, versus, share)...)
	}
}

// costs writes what everything took of the machine.
func (r report) costs(out *strings.Builder) {
	cells := []string{"work"}
	for _, t := range r.targets {
		cells = append(cells, t.kind.String()+" MiB", "cores", "generator")
	}
	row(out, cells...)
	ruler(out, len(cells))
	for _, s := range r.scenarios() {
		if len(r.of(s.name, hearth).served()) == 0 {
			continue // no server ran
		}
		cells := []string{s.title}
		for _, t := range r.targets {
			of := r.of(s.name, t.kind)
			if of == nil {
				cells = append(cells, none, none, none)
				continue
			}
			cells = append(cells,
				number(of.middle(func(l seen) float64 { return float64(l.memory) / (1 << 20) }), 0),
				number(of.middle(func(l seen) float64 { return l.server.Seconds() / l.took.Seconds() }), 2),
				number(of.middle(func(l seen) float64 { return l.generator.Seconds() / l.took.Seconds() }), 2))
		}
		row(out, cells...)
	}
}

// scenarios lists those that happened.
func (r report) scenarios() []scenario {
	var all []scenario
	for _, of := range r.results {
		if of.target.kind == hearth {
			all = append(all, of.scenario)
		}
	}
	return all
}

// of returns the result of a scenario with a kind of target, nil if there is none.
func (r report) of(scenario string, k kind) *result {
	for _, of := range r.results {
		if of.scenario.name == scenario && of.target.kind == k {
			return of
		}
	}
	return nil
}

// ratio returns how many times better Hearth is than another at a scenario: the
// median of the rounds, in each of which they met the same machine. It is 0 if
// that was not measured.
func (r report) ratio(scenario string, other kind) float64 {
	mine, theirs := r.of(scenario, hearth), r.of(scenario, other)
	if mine == nil || theirs == nil {
		return 0
	}
	ratios := make([]float64, len(mine.looks))
	for i := range ratios {
		ratios[i] = mine.looks[i].value / theirs.looks[i].value
		if mine.scenario.unit.less {
			ratios[i] = 1 / ratios[i]
		}
	}
	return median(ratios)
}

// value is the median of the rounds.
func (of *result) value() float64 {
	return of.middle(func(l seen) float64 { return l.value })
}

func (of *result) p99() time.Duration {
	return time.Duration(of.middle(func(l seen) float64 { return float64(l.p99) }))
}

// middle returns the median of what the rounds showed of something.
func (of *result) middle(figure func(seen) float64) float64 {
	values := make([]float64, len(of.looks))
	for i, l := range of.looks {
		values[i] = figure(l)
	}
	return median(values)
}

// served returns the looks in which a server ran.
func (of *result) served() []seen {
	var ran []seen
	for _, l := range of.looks {
		if l.took > 0 {
			ran = append(ran, l)
		}
	}
	return ran
}
