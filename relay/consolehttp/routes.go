package consolehttp

import (
	"errors"
	"maps"
	"net/http"
	"slices"

	"hearth/relay/console"
)

const (
	// defaultLimit is how many streams or entries an answer lists if the client
	// does not say: a few screens full.
	defaultLimit = 100

	// maxLimit is how many it may ask for. A thousand take some 300 kB.
	maxLimit = 1000
)

// relayRoutes look into a relay.
func relayRoutes(c console.Relay) map[string]route {
	f := newFollowers(c)
	// Each of them reads everything: one of a kind at a time.
	verifying, backing := make(chan struct{}, 1), make(chan struct{}, 1)
	routes := map[string]route{
		Prefix + "overview": {answer: func(r *http.Request, _ query) (any, error) {
			overview, err := c.Overview(r.Context())
			return OverviewOf(overview), err
		}},
		Prefix + "streams": {answer: func(r *http.Request, q query) (any, error) {
			after := console.StreamRef{Space: q["after_space"], Name: q["after_name"]}
			limit, err := q.limit()
			if err != nil {
				return nil, err
			}
			streams, err := c.Streams(r.Context(), after, limit)
			return mapped(streams, StreamOf), err
		}, parameters: []string{"after_space", "after_name", "limit"}},
		Prefix + "stream": {answer: func(r *http.Request, q query) (any, error) {
			stream, err := c.Stream(r.Context(), q.ref())
			return StreamOf(stream), err
		}, parameters: []string{"space", "name"}},
		Prefix + "entries": {answer: func(r *http.Request, q query) (any, error) {
			before, err := q.position("before")
			if err != nil {
				return nil, err
			}
			limit, err := q.limit()
			if err != nil {
				return nil, err
			}
			entries, err := c.Entries(r.Context(), q.ref(), before, limit)
			return mapped(entries, EntryOf), err
		}, parameters: []string{"space", "name", "before", "limit"}},
		Prefix + "entry": {answer: func(r *http.Request, q query) (any, error) {
			position, err := q.position("position")
			if err != nil {
				return nil, err
			}
			return c.EntryData(r.Context(), q.ref(), position)
		}, parameters: []string{"space", "name", "position"}},
		Prefix + "epochs": {answer: func(r *http.Request, q query) (any, error) {
			limit, err := q.limit()
			if err != nil {
				return nil, err
			}
			starts, err := c.Epochs(r.Context(), q.ref(), limit)
			return mapped(starts, EpochStartOf), err
		}, parameters: []string{"space", "name", "limit"}},
		Prefix + "check": {answer: func(r *http.Request, q query) (any, error) {
			verdict, err := c.Check(r.Context(), q.ref(), q["cursor"])
			if errors.Is(err, console.ErrCursor) {
				return nil, badRequest("%v", err)
			}
			return VerdictOf(verdict), err
		}, parameters: []string{"space", "name", "cursor"}},
		Prefix + "activity": {answer: func(r *http.Request, _ query) (any, error) {
			activity, err := c.Activity(r.Context())
			return ActivityOf(activity), err
		}},
		Prefix + "refusals": {answer: func(r *http.Request, _ query) (any, error) {
			refusals, err := c.Refusals(r.Context())
			return mapped(refusals, RefusedOf), err
		}},
		Prefix + "verify": {answer: func(_ *http.Request, q query) (any, error) {
			return worker[Verification]{verify(c, q.ref()), verifying, checking}, nil
		}, parameters: []string{"space", "name"}, posted: true},
		Prefix + "backups": {answer: func(r *http.Request, _ query) (any, error) {
			backups, err := c.Backups(r.Context())
			return BackupsOf(backups), err
		}},
		Prefix + "backup": {answer: func(_ *http.Request, q query) (any, error) {
			return worker[Backup]{backUp(c, q["folder"]), backing, backingUp}, nil
		}, parameters: []string{"folder"}, posted: true},
		Prefix + "changes": {answer: func(*http.Request, query) (any, error) { return f, nil }},
	}
	maps.Copy(routes, eventRoutes(c))
	return routes
}

// maxTests is how many self-tests may go on at once: each listens to the network
// for seconds.
const maxTests = 2

// networkRoutes look at the network.
func networkRoutes(c console.Network) map[string]route {
	tests := make(chan struct{}, maxTests)
	return map[string]route{
		Prefix + "neighbourhood": {answer: func(r *http.Request, _ query) (any, error) {
			around, err := c.Neighbourhood(r.Context())
			return NeighbourhoodOf(around), err
		}},
		Prefix + "selftest": {answer: func(r *http.Request, _ query) (any, error) {
			select {
			case tests <- struct{}{}:
				defer func() { <-tests }()
			default:
				return nil, busy("the network is being tested already: try again in a moment")
			}
			checks, err := c.SelfTest(r.Context())
			return mapped(checks, CheckOf), err
		}, posted: true},
		Prefix + "ask": {answer: func(r *http.Request, q query) (any, error) {
			check, err := c.Ask(r.Context(), q["address"])
			return CheckOf(check), err
		}, parameters: []string{"address"}},
	}
}

// settingsRoutes read and change the settings, and read the log.
func settingsRoutes(c console.Settings) map[string]route {
	return map[string]route{
		Prefix + "settings": {answer: func(r *http.Request, _ query) (any, error) {
			values, err := c.Settings(r.Context())
			return ValuesOf(values), err
		}},
		Prefix + "change": {answer: func(r *http.Request, _ query) (any, error) {
			change, err := readChange(r)
			if err != nil {
				return nil, err
			}
			said, err := c.Change(r.Context(), change.Console())
			if err != nil {
				return nil, &Refusal{Status: http.StatusConflict, Code: "change_refused", Message: err.Error()}
			}
			return Changed{said}, nil
		}, posted: true},
		Prefix + "log": {answer: func(r *http.Request, _ query) (any, error) {
			lines, err := c.Log(r.Context())
			return mapped(latest(lines), LogLineOf), err
		}},
	}
}

// maxLog bounds how much of the log an answer holds, in bytes: what the window
// shows is a tenth of it, and written in JSON it stays below maxAnswer.
const maxLog = 2 << 20

// latest returns the last lines that are not too much together.
func latest(lines []console.LogLine) []console.LogLine {
	size := 0
	for i, line := range slices.Backward(lines) {
		if size += len(line.Text); size > maxLog {
			return lines[i+1:]
		}
	}
	return lines
}
