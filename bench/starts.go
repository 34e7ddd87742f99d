package main

import "context"

// starts is how often a relay is started in a look.
const starts = 3

// startScenarios take the time from a relay's start until it answers.
func startScenarios(size extent, history, many *fixture) []scenario {
	run := func(ctx context.Context, l *look) (outcome, error) {
		var took []float64
		for range starts {
			_, err := l.serve(ctx, func(s *server) (outcome, error) {
				took = append(took, s.took.Seconds()*1e3)
				return outcome{}, nil
			})
			if err != nil {
				return outcome{}, err
			}
		}
		return outcome{value: median(took)}, nil
	}
	return []scenario{{
		name: "start-entries", title: "start with " + count(size.entries) + " entries", unit: milliseconds,
		data: history, run: run,
	}, {
		name: "start-streams", title: "start with " + count(size.streams) + " streams", unit: milliseconds,
		data: many, run: run,
	}}
}
