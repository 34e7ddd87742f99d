package sqlite_test

import (
	"context"
	"testing"

	"hearth/relay/store"
	"hearth/relay/store/sqlite"
)

// BenchmarkVerify checks stores of which each holds its entries in another way.
func BenchmarkVerify(b *testing.B) {
	for _, c := range []struct {
		name                   string
		batches, entries, size int
	}{
		{"1x256B", 5000, 1, 256},
		{"100x256B", 5000, 100, 256},
		{"1x1MiB", 128, 1, 1 << 20},
	} {
		path := place(b)
		s := open(b, path, sqlite.Options{})
		for range c.batches {
			a := store.Append{Ref: named("notes"), Batch: sealedBatch(c.entries, c.size)}
			if _, err := s.Append(context.Background(), a); err != nil {
				b.Fatal(err)
			}
		}
		shut(b, s)
		r, err := sqlite.OpenReader(path)
		if err != nil {
			b.Fatal(err)
		}
		for _, way := range []struct {
			name string
			ask  store.Verify
		}{
			{"alone", store.Verify{}},
			{"workers=2", store.Verify{Workers: 2}},
			{"stream/workers=2", store.Verify{Workers: 2, Only: named("notes")}},
		} {
			b.Run(c.name+"/"+way.name, func(b *testing.B) {
				b.SetBytes(int64(c.batches * c.entries * c.size))
				for b.Loop() {
					if v := verified(b, r, way.ask); !v.Sound() {
						b.Fatalf("%+v", v)
					}
				}
			})
		}
		if err := r.Close(); err != nil {
			b.Error(err)
		}
	}
}
