package reflexhttp_test

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// A command has one result, whoever asks for it again and with whatever in it, and
// also after a restart.
func TestCommandIsRemembered(t *testing.T) {
	dir := t.TempDir()
	h := open(t, dir, options)
	first, status := h.command(t, "house", publishFrame("c1", `{"type":"a"}`))
	if status != http.StatusOK || !first.OK || *first.CommandID != "c1" || first.Outcome.Seq != 1 || first.Outcome.Type != "published" {
		t.Fatalf("%d %+v", status, first)
	}
	refused, status := h.command(t, "house", publishFrame("c2", `{"type":"tick"}`))
	if status != http.StatusForbidden || refused.Rejection.Type != "forbidden" || *refused.CommandID != "c2" {
		t.Fatalf("%d %+v", status, refused)
	}
	again := func() {
		t.Helper()
		if got, status := h.command(t, "house", publishFrame("c1", `{"type":"b"}`)); status != http.StatusOK || !cmp.Equal(got, first) {
			t.Errorf("%d %s", status, cmp.Diff(first, got))
		}
		if got, status := h.command(t, "house", publishFrame("c2", `{"type":"b"}`)); status != http.StatusForbidden || !cmp.Equal(got, refused) {
			t.Errorf("%d %s", status, cmp.Diff(refused, got))
		}
	}
	again()
	// In another stream, space or by another actor it is another command.
	if got, _ := h.command(t, "garden", publishFrame("c1", `{"type":"a"}`)); !got.OK || got.Outcome.Seq != 1 {
		t.Errorf("in another stream: %+v", got)
	}
	a := h.do(t, http.MethodPost, commandsOf("house"), with("Hearth-Space", "other"), strings.NewReader(publishFrame("c1", `{"type":"a"}`)))
	if got := decode[result](t, a.body); !got.OK || got.Outcome.Seq != 1 {
		t.Errorf("in another space: %+v", got)
	}
	a = h.do(t, http.MethodPost, commandsOf("house"), with("Authorization", "Bearer "+h.OwnerToken()), strings.NewReader(publishFrame("c1", `{"type":"a"}`)))
	if got := decode[result](t, a.body); !got.OK || got.Outcome.Seq != 2 {
		t.Errorf("by the owner: %+v", got)
	}
	h.stop()
	h = open(t, dir, options)
	again()
	list, _ := h.page(t, "house", "")
	var actors []string
	for _, e := range list {
		actors = append(actors, e.Actor.Kind+":"+e.Actor.ID)
	}
	if diff := cmp.Diff([]string{"user:local", "user:owner"}, actors); diff != "" {
		t.Error(diff)
	}
}

// Copies of a command that come at the same time run once, and all get its one
// result.
func TestCopiesOfACommand(t *testing.T) {
	h := start(t)
	const copies, rounds = 16, 20
	for round := range rounds {
		results := make([]result, copies)
		begin := make(chan struct{})
		var sending sync.WaitGroup
		for i := range copies {
			sending.Go(func() {
				<-begin
				results[i], _ = h.command(t, "copies", publishFrame(fmt.Sprint("c", round), fmt.Sprintf(`{"type":"copy","n":%d}`, i)))
			})
		}
		close(begin)
		sending.Wait()
		for _, r := range results {
			if !cmp.Equal(r, results[0]) || !r.OK {
				t.Fatalf("round %d: %s", round, cmp.Diff(results[0], r))
			}
		}
	}
	if list, _ := h.page(t, "copies", ""); len(list) != rounds {
		t.Errorf("%d events of %d commands", len(list), rounds)
	}
}

// A result says the same whether the command publishes something new or an event
// that is there.
func TestCommandWithAnID(t *testing.T) {
	h := start(t)
	h.publish(t, "house", `{"event":{"type":"a"},"id":"e1"}`)
	got, _ := h.command(t, "house", `{"command_id":"c1","command":{"type":"publish","event":{"type":"b"},"id":"e1"}}`)
	if diff := cmp.Diff(&published{"published", 1, "e1", true}, got.Outcome); diff != "" {
		t.Error(diff)
	}
	got, _ = h.command(t, "house", `{"command_id":"c2","command":{"type":"publish","event":{"type":"b"},"correlation_id":"nowhere"}}`)
	if r := got.Rejection; r == nil || r.Type != "not_found" || r.Entity != "chain" || r.ID != "nowhere" {
		t.Errorf("%+v", got)
	}
}
