package engine

import (
	"context"
	"time"

	"hearth/relay/notify"
	"hearth/relay/store"
)

// Store is what the engine needs of a store; see [store.Store] for what its
// operations do.
type Store interface {
	Page(ctx context.Context, r store.Read) (store.Page, error)
	Stream(ctx context.Context, ref store.Ref) (store.Stream, error)

	React(ctx context.Context, r store.Reaction) (store.Reacted, error)
	Rules(ctx context.Context, space string) (list []store.Rule, revision uint64, err error)
	RuleHistory(ctx context.Context, space, rule string, before uint64, limit int) ([]store.Rule, error)
	Standing(ctx context.Context, ref store.Ref) (store.Standing, error)
	ScopeState(ctx context.Context, ref store.Ref, rule, scope string) (store.ScopeState, error)
	DueStates(ctx context.Context, ref store.Ref, rule string, at time.Time, limit int) ([]store.ScopeState, error)
}

// Hub is what is needed of the notifier; see [notify.Hub].
type Hub interface {
	Subscribe(refs ...store.Ref) *notify.Subscription
}
