package streamhttp

import (
	"hearth/relay/access"
)

// metrics shows the relay's figures to whoever is on its machine. They tell what
// a household does and when.
func (x *exchange) metrics() error {
	metrics := x.handler.options.Metrics
	switch {
	case metrics == nil:
		return errNotFound
	case !x.visitor.Loopback:
		return &access.ForbiddenError{Reason: "the relay's figures are for its own machine only"}
	}
	x.begun = true
	x.w.Header().Set("Cache-Control", "no-store")
	metrics.ServeHTTP(x.w, x.r)
	return nil
}
