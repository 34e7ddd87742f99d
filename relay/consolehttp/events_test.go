package consolehttp_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"hearth/relay/console"
	"hearth/relay/consolehttp"
)

// publish puts events into a stream the way an app does, as one chain.
func publish(t *testing.T, url, stream string, events ...string) {
	t.Helper()
	chain := ""
	for _, event := range events {
		body := fmt.Sprintf(`{"events":[{"event":%s}]%s}`, event, chain)
		response, err := http.Post(url+"/reflex/v1/streams/"+stream+"/events", "application/json", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		var published []struct{ ID string }
		err = errors.Join(json.NewDecoder(response.Body).Decode(&published), response.Body.Close())
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatalf("publishing answered %s, %v", response.Status, err)
		}
		if chain == "" {
			chain = fmt.Sprintf(`,"correlation_id":%q`, published[0].ID)
		}
	}
}

// Events and chains come over HTTP as they are told in the relay's own process, and
// so does which of them are looked for.
func TestSameEvents(t *testing.T) {
	r, url := start(t)
	write(t, url, "notes", "one")
	publish(t, url, "house",
		`{"type":"a","message":"<first> \u202e"}`, `{"type":"b & c","n":1.50}`, `{"type":"a","text":"third"}`, `{"type":"d"}`)
	here, there, ctx := r.Console(), client(t, r, url), t.Context()
	house := console.StreamRef{Space: "default", Name: "house"}
	for _, name := range []string{"house", "notes", "none"} {
		ref := console.StreamRef{Space: "default", Name: name}
		for i, q := range []console.EventQuery{
			{Limit: 10},
			{Limit: 1, Before: 3},
			{Limit: 10, Scan: 2},
			{Limit: 10, Scan: 1 << 40},
			{Limit: 10, Types: []string{"b & c", "d"}},
			{Limit: 10, Text: "FIRST> "},
			{Limit: 10, Actor: "user:local"},
			{Limit: 10, Actor: "user:nobody"},
			{},
		} {
			same(t, fmt.Sprint("Events ", name, i), func(c console.Relay) (any, error) {
				list, err := c.Events(ctx, ref, q)
				slices.Sort(list.Types)
				return list, withoutText(err)
			}, here, there)
		}
		for position := range uint64(6) {
			same(t, fmt.Sprint("Chain ", name, position), func(c console.Relay) (any, error) {
				chain, err := c.Chain(ctx, ref, position, 2)
				return chain, withoutText(err)
			}, here, there)
		}
	}
	if list, err := there.Events(ctx, house, console.EventQuery{Limit: 10}); err != nil || len(list.Events) != 4 {
		t.Errorf("%d events, %v", len(list.Events), err)
	}
	if chain, err := there.Chain(ctx, house, 2, console.MaxScan); err != nil || len(chain.Causes) != 1 || len(chain.Effects) != 2 {
		t.Errorf("the chain %+v, %v", chain, err)
	}
	if _, err := there.Events(ctx, console.StreamRef{Space: "default", Name: "notes"}, console.EventQuery{Limit: 1}); !errors.Is(err, console.ErrNoEvents) {
		t.Errorf("events among entries: %v", err)
	}
}

// withoutText leaves of an error what it is.
func withoutText(err error) error {
	for _, kind := range []error{console.ErrNoEvents, console.ErrNotFound} {
		if errors.Is(err, kind) {
			return kind
		}
	}
	return err
}

// Every field of a list of events and of a chain is carried over.
func TestEventsToTheLastField(t *testing.T) {
	list := filled[console.EventList]()
	wantSame(t, list, consolehttp.EventListOf(list).Console(), nil)
	chain := filled[console.Chain]()
	wantSame(t, chain, consolehttp.ChainOf(chain).Console(), nil)
}

// What is asked wrongly of events is refused, and so are events of what has none.
func TestEventsRefused(t *testing.T) {
	r, url := start(t)
	write(t, url, "notes", "one")
	publish(t, url, "house", `{"type":"a"}`)
	for path, want := range map[string]struct {
		status int
		code   string
	}{
		"events?space=default&name=house&scan=0":              {400, "bad_request"},
		"events?space=default&name=house&scan=50001":          {400, "bad_request"},
		"events?space=default&name=house&limit=1001":          {400, "bad_request"},
		"events?space=default&name=house&limit=-0":            {400, "bad_request"},
		"events?space=default&name=house&before=x":            {400, "bad_request"},
		"events?space=default&name=house&types=a&types=b":     {400, "bad_request"},
		"chain?space=default&name=house&position=1&scan=many": {400, "bad_request"},
		"chain?space=default&name=house&position=x":           {400, "bad_request"},
		"chain?space=default&name=house":                      {404, "not_found"},
		"events?space=default&name=none":                      {404, "not_found"},
		"events?space=default&name=notes":                     {409, "wrong_kind"},
		"chain?space=default&name=notes&position=1":           {409, "wrong_kind"},
	} {
		response, body := ask(t, "", url+"/admin/"+path, "Bearer "+r.OwnerToken())
		var refusal consolehttp.Refusal
		if err := json.Unmarshal(body, &refusal); err != nil || response.StatusCode != want.status || refusal.Code != want.code {
			t.Errorf("%s: %s with %s, %v", path, response.Status, body, err)
		}
	}
}
