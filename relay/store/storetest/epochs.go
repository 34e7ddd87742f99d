package storetest

import (
	"errors"
	"fmt"
	"testing"

	"hearth/relay/store"
)

// Where the epochs of a stream begin is told, the newest first.
func testEpochs(t *testing.T, open Open) {
	s := start(t, open)
	var want []store.EpochStart
	seq := uint64(1)
	for i, epoch := range []uint32{0, 1, 2, 70_000, 1<<32 - 1} {
		want = append([]store.EpochStart{{Epoch: epoch, Seq: seq}}, want...)
		for n := range 1 + 3*i {
			s.write(t, named("notes"), batch(epoch, fmt.Sprint(n), "more"))
			seq += 2
		}
	}
	for _, limit := range []int{0, 1, 3, 5, 100} {
		got, err := s.Epochs(t.Context(), named("notes"), limit)
		if err != nil {
			t.Fatal(err)
		}
		if len(got) == 0 {
			got = []store.EpochStart{}
		}
		equal(t, fmt.Sprintf("up to %d epochs", limit), want[:min(limit, len(want))], got)
	}
	if _, err := s.Epochs(t.Context(), named("none"), 1); !errors.As(err, new(*store.NotFoundError)) {
		t.Errorf("the epochs of a stream that is not there: %v", err)
	}
}
