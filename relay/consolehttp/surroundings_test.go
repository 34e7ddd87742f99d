package consolehttp_test

import (
	"context"
	"errors"
	"net/http"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearth/relay/console"
	"hearth/relay/consolehttp"
)

// surroundings is what a console has beside its relay, as plain values.
type surroundings struct {
	neighbourhood console.Neighbourhood
	checks        []console.Check
	values        console.Values
	changed       console.Change
	log           []console.LogLine
	err           error
	testing       chan struct{} // a test says that it goes on, and waits
}

func (s *surroundings) Neighbourhood(context.Context) (console.Neighbourhood, error) {
	return s.neighbourhood, s.err
}

func (s *surroundings) SelfTest(ctx context.Context) ([]console.Check, error) {
	if s.testing != nil {
		s.testing <- struct{}{}
		<-ctx.Done()
	}
	return s.checks, s.err
}

func (s *surroundings) Ask(_ context.Context, address string) (console.Check, error) {
	return console.Check{Title: address, Outcome: console.OutcomeUnknown}, s.err
}

func (s *surroundings) Settings(context.Context) (console.Values, error) { return s.values, s.err }

func (s *surroundings) Change(_ context.Context, c console.Change) (string, error) {
	s.changed = c
	return "It is done.", s.err
}

func (s *surroundings) Log(context.Context) ([]console.LogLine, error) { return s.log, s.err }

// surrounded is a whole console.
type surrounded struct {
	console.Relay
	*surroundings
}

// fill puts something else than nothing into every field of a value, so that one
// which is not carried over shows.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fill(v.Elem())
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)))
			return
		}
		for _, field := range v.Fields() {
			fill(field)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(v.Index(0))
		fill(v.Index(1))
	case reflect.String:
		v.SetString("“a\n\x01<b>”")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(5) // as a level it is one between two names
	case reflect.Uint32, reflect.Uint64:
		v.SetUint(1<<32 - 1)
	default:
		panic(v.Type())
	}
}

func filled[T any]() (value T) {
	fill(reflect.ValueOf(&value).Elem())
	return value
}

// The network, the settings and the log come over HTTP to the last field, and so
// does a change the other way.
func TestSameAround(t *testing.T) {
	r, url := start(t)
	around := &surroundings{
		neighbourhood: filled[console.Neighbourhood](), checks: filled[[]console.Check](),
		values: filled[console.Values](), log: filled[[]console.LogLine](),
	}
	r.ShowOwner(surrounded{r.Console(), around})
	c, ctx := client(t, r, url), t.Context()
	for _, empty := range []bool{false, true} {
		if empty {
			*around = surroundings{}
		}
		neighbourhood, err := c.Neighbourhood(ctx)
		wantSame(t, around.neighbourhood, neighbourhood, err)
		checks, err := c.SelfTest(ctx)
		wantSame(t, around.checks, checks, err)
		check, err := c.Ask(ctx, "nas.local:2451")
		wantSame(t, console.Check{Title: "nas.local:2451", Outcome: console.OutcomeUnknown}, check, err)
		values, err := c.Settings(ctx)
		wantSame(t, around.values, values, err)
		lines, err := c.Log(ctx)
		wantSame(t, around.log, lines, err)

		var change console.Change
		if !empty {
			change = filled[console.Change]()
		}
		said, err := c.Change(ctx, change)
		wantSame(t, "It is done.", said, err)
		wantSame(t, change, around.changed, nil)
	}
}

func wantSame(t *testing.T, want, got any, err error) {
	t.Helper()
	if err != nil {
		t.Error(err)
	}
	empty := cmp.FilterValues(func(a, b []string) bool { return len(a) == 0 && len(b) == 0 }, cmp.Ignore())
	lists := cmp.FilterPath(func(p cmp.Path) bool { return p.Last().Type().Kind() == reflect.Slice }, cmp.FilterValues(func(a, b any) bool {
		return reflect.ValueOf(a).Len() == 0 && reflect.ValueOf(b).Len() == 0
	}, cmp.Ignore()))
	if diff := cmp.Diff(want, got, empty, lists); diff != "" {
		t.Errorf("over HTTP (-here +there):\n%s", diff)
	}
}

// A change that is not taken is told in the words in which it was refused, and
// nothing that is no change gets as far as to be one.
func TestChangeRefused(t *testing.T) {
	r, url := start(t)
	around := &surroundings{err: errors.New("a port is a number from 1 to 65535")}
	r.ShowOwner(surrounded{r.Console(), around})
	_, err := client(t, r, url).Change(t.Context(), console.Change{Port: new(70000)})
	if refusal, ok := errors.AsType[*consolehttp.Refusal](err); !ok || refusal.Status != http.StatusConflict || err.Error() != around.err.Error() {
		t.Errorf("the error is %v", err)
	}
	*around = surroundings{}
	for name, body := range map[string]string{
		"empty": "", "no object": "[]", "unknown key": `{"naem": "x"}`, "wrong type": `{"port": "1"}`, "two": "{} {}",
		"cut off": `{"port": 1`, "too large": `{"name": "` + strings.Repeat("x", 70000) + `"}`,
	} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/admin/change", strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+r.OwnerToken())
		request.Header.Set("Content-Type", "application/json")
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode/100 != 4 {
			t.Errorf("%s: answered %s", name, response.Status)
		}
	}
	if around.changed != (console.Change{}) {
		t.Errorf("%+v was changed", around.changed)
	}
}

// A page of another site changes nothing, even if it had got hold of the token.
func TestChangeFromAfar(t *testing.T) {
	r, url := start(t)
	around := new(surroundings)
	r.ShowOwner(surrounded{r.Console(), around})
	for name, value := range map[string]string{"Origin": "https://elsewhere.example", "Sec-Fetch-Site": "cross-site"} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url+"/admin/change", strings.NewReader(`{"open": true}`))
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+r.OwnerToken())
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set(name, value)
		response, err := http.DefaultClient.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		if response.StatusCode != http.StatusForbidden || around.changed.Open != nil {
			t.Errorf("%s: answered %s, changed %+v", name, response.Status, around.changed)
		}
	}
}

// Of a log that is too large for an answer the latest lines are told.
func TestLargeLog(t *testing.T) {
	r, url := start(t)
	around := new(surroundings)
	for n := range 1000 {
		around.log = append(around.log, console.LogLine{Number: uint64(n + 1), Text: strings.Repeat("\x01", 8<<10)})
	}
	r.ShowOwner(surrounded{r.Console(), around})
	lines, err := client(t, r, url).Log(t.Context())
	if err != nil || len(lines) < 100 || len(lines) == 1000 || lines[len(lines)-1].Number != 1000 {
		t.Errorf("%d lines, %v", len(lines), err)
	}
}

// Self-tests at once are few.
func TestSelfTestBusy(t *testing.T) {
	r, url := start(t)
	around := &surroundings{testing: make(chan struct{})}
	r.ShowOwner(surrounded{r.Console(), around})
	c := client(t, r, url)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 2)
	for range 2 {
		go func() { _, err := c.SelfTest(ctx); ended <- err }()
		<-around.testing
	}
	_, err := c.SelfTest(t.Context())
	if refusal, ok := errors.AsType[*consolehttp.Refusal](err); !ok || refusal.Code != "busy" {
		t.Errorf("the third says %v", err)
	}
	cancel()
	for range 2 {
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	}
}
