package storetest

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"hearth/relay/store"
)

// A command runs once: with its effect its result is remembered, and that is the
// answer to all that come later, whatever they say and whatever has happened since.
func testCommands(t *testing.T, open Open) {
	s := start(t, open)
	ref := named("orders")
	as := func(c store.Command, e store.Event) store.Publish {
		p := publishTo(store.Ref{Space: c.Space, Name: c.Stream}, e)
		p.Command = &c
		return p
	}
	c := store.Command{Space: "default", Actor: "user:local", Stream: "orders", ID: "cmd_7"}
	done := s.publish(t, as(c, published("a", "1")))
	equal(t, "the first answer", []store.Published{{Seq: 1, ID: "1"}}, done.Events)
	want := `{"outcome":{"type":"published","seq":1,"id":"1","duplicate":false}}`
	again := func(c store.Command, want string) {
		t.Helper()
		done := s.publish(t, as(c, published("b")))
		equal(t, "the answer to a copy", store.Publication{Earlier: []byte(want)}, done)
		first, err := s.Settle(t.Context(), c, []byte(`{"rejection":{}}`))
		if err != nil {
			t.Fatal(err)
		}
		equal(t, "the answer to one that is settled", want, string(first))
		result, found, err := s.Recall(t.Context(), c)
		if err != nil || !found {
			t.Fatalf("not remembered: %v, %v", found, err)
		}
		equal(t, "what is remembered", want, string(result))
	}
	again(c, want)
	s.reopen(t)
	again(c, want)

	for _, other := range []store.Command{
		{Space: "other", Actor: c.Actor, Stream: c.Stream, ID: c.ID},
		{Space: c.Space, Actor: "user:owner", Stream: c.Stream, ID: c.ID},
		{Space: c.Space, Actor: c.Actor, Stream: "order", ID: "s" + c.ID},
		{Space: c.Space, Actor: c.Actor, Stream: c.Stream, ID: "cmd_8"},
	} {
		if _, found, err := s.Recall(t.Context(), other); found || err != nil {
			t.Errorf("%+v is remembered, %v", other, err)
		}
		if done := s.publish(t, as(other, published("c"))); done.First == 0 {
			t.Errorf("%+v came to %+v", other, done)
		}
	}

	rejected := store.Command{Space: "default", Actor: "user:local", Stream: "nowhere", ID: "cmd_7"}
	rejection := `{"rejection":{"type":"forbidden"}}`
	first, err := s.Settle(t.Context(), rejected, []byte(rejection))
	if err != nil || string(first) != rejection {
		t.Fatalf("settled as %s, %v", first, err)
	}
	s.absent(t, named("nowhere"))
	again(rejected, rejection)
	for _, result := range []string{"", strings.Repeat("x", store.MaxResult+1)} {
		if _, err := s.Settle(t.Context(), store.Command{ID: "long"}, []byte(result)); err == nil {
			t.Errorf("a result of %d bytes was taken", len(result))
		}
	}

	// One that was refused is not remembered: it is whoever asked who says how.
	later := c
	later.ID = "later"
	p := as(later, published("d", "first"))
	p.Chain = "first"
	_, err = s.Publish(t.Context(), p)
	refused(t, err, &store.UnknownChainError{Ref: ref, ID: "first"})
	p.Chain = ""
	if done := s.publish(t, p); done.Earlier != nil || done.First != 4 {
		t.Errorf("after a refusal it came to %+v", done)
	}
	p.Events = append(p.Events, published("e"))
	if _, err := s.Publish(t.Context(), p); err == nil {
		t.Error("a command with two events was taken")
	}
	p.Events, p.Name = p.Events[:1], "elsewhere"
	if _, err := s.Publish(t.Context(), p); err == nil {
		t.Error("a command for one stream was taken for another")
	}
}

// Copies of a command that race run once, and all are told the same, also if some
// of them are refused meanwhile.
func testRacingCommands(t *testing.T, open Open) {
	s := start(t, open)
	ref := named("orders")
	for round := range 10 {
		c := store.Command{Space: "default", Actor: "user:local", Stream: "orders", ID: fmt.Sprint(round)}
		var mu sync.Mutex
		ran := 0
		results := make(map[string]bool)
		race(func(racer int) {
			p := publishTo(ref, published(fmt.Sprint(racer)))
			p.Command = &c
			var result []byte
			if racer%4 == 3 {
				first, err := s.Settle(t.Context(), c, []byte(`{"rejection":{}}`))
				if err != nil {
					t.Error(err)
					return
				}
				result = first
			} else {
				done, err := s.Publish(t.Context(), p)
				if err != nil {
					t.Error(err)
					return
				}
				if result = done.Earlier; result == nil {
					result = done.Events[0].Result()
					mu.Lock()
					ran++
					mu.Unlock()
				}
			}
			mu.Lock()
			results[string(result)] = true
			mu.Unlock()
		})
		if ran > 1 || len(results) != 1 || (ran == 1) == results[`{"rejection":{}}`] {
			t.Fatalf("it ran %d times, and came to %v", ran, results)
		}
	}
}

// Types belong to a space, are replaced and dropped, and stay.
func testTypes(t *testing.T, open Open) {
	s := start(t, open)
	names := func(space string) (all []string) {
		t.Helper()
		list, err := s.Types(t.Context(), space)
		if err != nil {
			t.Fatal(err)
		}
		for _, typ := range list {
			if typ.Space != space || typ.ChangedAt.IsZero() {
				t.Errorf("a type is listed as %+v", typ)
			}
			all = append(all, typ.Name+string(typ.Schema))
		}
		return all
	}
	put := func(space, name, schema string) {
		t.Helper()
		if err := s.PutType(t.Context(), store.Type{Space: space, Name: name, Schema: []byte(schema)}); err != nil {
			t.Fatal(err)
		}
	}
	equal(t, "the types of no space", nil, names("default"))
	put("default", "b", "{}")
	put("default", "a", "true")
	put("default", "b", "false")
	put("other", "a", `{"type":"object"}`)
	err := s.DropType(t.Context(), "default", "c")
	refused(t, err, &store.UnknownTypeError{Space: "default", Name: "c"})
	err = s.DropType(t.Context(), "none", "a")
	refused(t, err, &store.UnknownTypeError{Space: "none", Name: "a"})
	for range 2 {
		equal(t, "the types", []string{"atrue", "bfalse"}, names("default"))
		equal(t, "those of another space", []string{`a{"type":"object"}`}, names("other"))
		s.reopen(t)
	}
	if err := s.DropType(t.Context(), "default", "b"); err != nil {
		t.Fatal(err)
	}
	equal(t, "the types that are left", []string{"atrue"}, names("default"))

	var putting sync.WaitGroup
	for i := range store.MaxTypes - 1 {
		putting.Go(func() { put("default", fmt.Sprint(i), "true") })
	}
	putting.Wait()
	err = s.PutType(t.Context(), store.Type{Space: "default", Name: "one more", Schema: []byte("true")})
	refused(t, err, &store.TooManyTypesError{Space: "default"})
	put("default", "a", "false")
	put("third", "a", "true")
	equal(t, "as many as there may be", store.MaxTypes, len(names("default")))
}
