package reflex

// Options are what a [Service] works with.
type Options struct {
	Store Store
}

// Service does what is asked of it over REST, WebSocket and whatever comes later:
// one handler for all. Its methods may be called from any goroutine.
type Service struct {
	store Store
	types *types
}

// New returns a service.
func New(o Options) *Service {
	return &Service{
		store: o.Store,
		types: &types{store: o.Store, spaces: make(map[string]map[string]*schema)},
	}
}
