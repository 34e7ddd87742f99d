package reflex

import (
	"context"

	"hearth/relay/store"
)

// Store is what the service needs of a store; see [store.Store] for what its
// operations do.
type Store interface {
	Publish(ctx context.Context, p store.Publish) (store.Publication, error)
	Settle(ctx context.Context, c store.Command, result []byte) (first []byte, err error)

	Page(ctx context.Context, r store.Read) (store.Page, error)
	Back(ctx context.Context, ref store.Ref, before uint64, limit int) ([]store.Record, error)
	Stream(ctx context.Context, ref store.Ref) (store.Stream, error)
	Record(ctx context.Context, ref store.Ref, seq uint64) (store.Record, error)

	Types(ctx context.Context, space string) ([]store.Type, error)
	PutType(ctx context.Context, t store.Type) error
	DropType(ctx context.Context, space, name string) error
}
