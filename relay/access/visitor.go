// Package access decides who comes in: as whom, and into which space. It also
// keeps the key by which a relay is known.
package access

import (
	"context"
	"net/http"
	"net/netip"
)

// DefaultSpace is the space of all who name none.
const DefaultSpace = "default"

// Visitor is who a request comes from.
type Visitor struct {
	Space    string     // where its streams are
	Key      string     // the id of the key it showed; empty if none
	Remote   netip.Addr // where it comes from
	Loopback bool       // whether that is this machine
	Owner    bool       // whether it showed the owner's token
}

type visitorKey struct{}

// NewContext returns a context that carries a visitor.
func NewContext(ctx context.Context, v Visitor) context.Context {
	return context.WithValue(ctx, visitorKey{}, v)
}

// FromContext returns the visitor that a context carries, if it does.
func FromContext(ctx context.Context) (v Visitor, ok bool) {
	v, ok = ctx.Value(visitorKey{}).(Visitor)
	return v, ok
}

// Stranger returns what is known of a visitor before it is let in: where it
// comes from.
func Stranger(r *http.Request) Visitor {
	remote, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return Visitor{} // not from a TCP connection: it is not from this machine
	}
	addr := remote.Addr().Unmap()
	return Visitor{Remote: addr, Loopback: addr.IsLoopback()}
}
