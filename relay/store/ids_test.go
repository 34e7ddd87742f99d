package store

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

// An id that is drawn tells its position, in one spelling only.
func TestLocated(t *testing.T) {
	mark := Mark{0, 1, 2, 0xa, 0xb, 0xff}
	for id, want := range map[string]uint64{
		"evt_0001020a0bff_1":                    1,
		"evt_0001020a0bff_18446744073709551615": math.MaxUint64,
		"evt_0001020a0bff_18446744073709551616": 0,
		"evt_0001020a0bff_0":                    0,
		"evt_0001020a0bff_01":                   0,
		"evt_0001020a0bff_+1":                   0,
		"evt_0001020a0bff_":                     0,
		"evt_0001020a0bff":                      0,
		"evt_0001020a0bff-1":                    0,
		"evt_0001020A0BFF_1":                    0,
		"evt_0001020a0bf_1":                     0,
		"evt_0001020a0bfg_1":                    0,
		"EVT_0001020a0bff_1":                    0,
		"evt_0001020a0bff_1x":                   0,
		"order-7":                               0,
		"":                                      0,
	} {
		seq, m, ok := Located(id)
		if ok != (want > 0) || ok && (seq != want || m != mark) {
			t.Errorf("%q is at %d with %x, %v", id, seq, m, ok)
		}
		if LocatesItself(id, 1) != (want == 1) {
			t.Errorf("%q does not know whether it is at 1", id)
		}
	}
	rapid.Check(t, func(rt *rapid.T) {
		m := Mark(rapid.SliceOfN(rapid.Byte(), 6, 6).Draw(rt, "mark"))
		seq := rapid.Uint64Min(1).Draw(rt, "seq")
		id := string(m.AppendID(nil, seq))
		if at, of, ok := Located(id); at != seq || of != m || !ok || !ValidID(id) {
			rt.Fatalf("%s is at %d with %x, %v", id, at, of, ok)
		}
	})
}
