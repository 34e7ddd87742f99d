package reflex

import "hearth/relay/guard"

// Options are what a [Service] works with.
type Options struct {
	Store Store
	Hub   Hub
	Pages guard.Room // bounds the memory of what is being read for those who follow
}

// Service does what is asked of it over REST, WebSocket and whatever comes later:
// one handler for all. Its methods may be called from any goroutine.
type Service struct {
	store Store
	types *types
	feeds *feeds
}

// New returns a service.
func New(o Options) *Service {
	return &Service{
		store: o.Store,
		types: &types{store: o.Store, spaces: make(map[string]map[string]*typed)},
		feeds: &feeds{store: o.Store, hub: o.Hub, pages: o.Pages},
	}
}
