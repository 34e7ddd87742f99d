package reflexhttp

import (
	"hearth/relay/access"
	"hearth/relay/reflex"
)

// callerOf says as whom a visitor acts: the owner and those who show no key are
// people, each key belongs to a device or a program.
func callerOf(v access.Visitor) reflex.Caller {
	c := reflex.Caller{Space: v.Space, Owner: v.Owner, Key: v.Key}
	switch {
	case v.Owner:
		c.Actor = reflex.Actor{Kind: reflex.User, ID: "owner"}
	case v.Key != "":
		c.Actor = reflex.Actor{Kind: reflex.Source, Name: v.Key}
	default:
		c.Actor = reflex.Actor{Kind: reflex.User, ID: "local"}
	}
	return c
}
