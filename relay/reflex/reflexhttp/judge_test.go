package reflexhttp_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// judgement is what testdata/follow.py saw.
type judgement struct {
	Subprotocol string            `json:"subprotocol"`
	Welcome     [2]any            `json:"welcome"`
	Replayed    []uint64          `json:"replayed"`
	Complete    [3]any            `json:"complete"`
	Live        [][3]uint64       `json:"live"`    // positions, what was published, and its length
	Results     [][3]any          `json:"results"` // ids, whether accepted, and positions
	Closed      int               `json:"closed"`
	Codes       map[string][2]any `json:"codes"` // and whether both sides said goodbye
}

// A client in another language, which knows WebSockets better than we do, follows
// a stream, gives commands in one piece and in several, offers compression, pings,
// and is closed properly whatever it does wrong.
func TestFollowJudged(t *testing.T) {
	python := os.Getenv("HEARTH_PYTHON")
	if python == "" {
		t.Skip("HEARTH_PYTHON does not name a Python with the package websockets; make test does")
	}
	h := start(t)
	h.publishMany(t, "judged", 5)
	out, err := exec.CommandContext(t.Context(), python, "testdata/follow.py", h.address).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var got judgement
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	want := judgement{
		Subprotocol: "reflexr.v1", Welcome: [2]any{5.0, false}, Replayed: []uint64{3, 4, 5},
		Complete: [3]any{"replay_complete", 5.0, true}, Closed: 1000,
		Codes: map[string][2]any{
			"hello": {4400.0, true}, "protocol": {4400.0, true}, "stream": {4400.0, true}, "key": {4401.0, true},
		},
	}
	for i := range uint64(20) {
		want.Live = append(want.Live, [3]uint64{6 + i, i, 0})
		want.Results = append(want.Results, [3]any{fmt.Sprint("c", i), true, float64(6 + i)})
	}
	want.Live = append(want.Live, [3]uint64{26, 20, 300_000})
	want.Results = append(want.Results, [3]any{"long", true, 26.0})
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}
