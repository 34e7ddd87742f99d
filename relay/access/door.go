package access

import (
	"fmt"
	"net/http"
	"strings"

	"hearth/relay/protocol"
)

// SpaceHeader is the header in which a visitor from this machine names a space.
const SpaceHeader = "Hearth-Space"

// Door lets visitors in or turns them away. There are no access keys yet:
// visitors from this machine need none, and others come in only while the door
// is open.
type Door struct {
	// Open says whether the network may come in without keys.
	Open func() bool

	// OwnerToken is the token that makes a visitor from this machine the owner;
	// empty if nothing does.
	OwnerToken string
}

// Enter says who a request comes from, or why it may not come in. The errors:
// *UnauthorizedError, *ForbiddenError, one that wraps a
// *protocol.NameError if the space's name is none.
func (d *Door) Enter(r *http.Request) (Visitor, error) {
	v := Stranger(r)
	v.Space = DefaultSpace
	// What is presented is checked, also where nothing would have been needed: a
	// client with a wrong key has to learn of it.
	if shown := r.Header.Values("Authorization"); len(shown) > 0 {
		if len(shown) > 1 || !v.Loopback || !d.isOwner(shown[0]) {
			return v, errUnknownKey
		}
		v.Owner = true
	}
	if !v.Loopback && !d.Open() {
		return v, &ForbiddenError{"this relay is for its own machine only: its owner can open it to the network"}
	}
	spaces := r.Header.Values(SpaceHeader)
	if len(spaces) == 0 {
		return v, nil
	}
	if !v.Loopback {
		return v, &ForbiddenError{"only clients on the relay's own machine may name a space"}
	}
	// Of several headers one is made (RFC 9110, section 5.3), which is no name.
	space, err := protocol.ParseName(strings.Join(spaces, ", "))
	if err != nil {
		return v, fmt.Errorf("the header %s names no space: %w", SpaceHeader, err)
	}
	v.Space = string(space)
	return v, nil
}

// Show says who a visitor is once it has shown a key, which not everybody can do
// in a header: pages in browsers cannot where they follow live. What comes of it
// counts in the place of what Enter said. The error: *UnauthorizedError.
func (d *Door) Show(v Visitor, key string) (Visitor, error) {
	if !v.Loopback || !d.isOwnerToken(key) {
		return v, errUnknownKey
	}
	v.Owner = true
	return v, nil
}

// Handler passes requests on to next with their Visitor in the context, and to
// refuse those that may not come in, with the error of Enter.
func (d *Door) Handler(next http.Handler, refuse func(w http.ResponseWriter, r *http.Request, why error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		v, err := d.Enter(r)
		if err != nil {
			refuse(w, r, err)
			return
		}
		next.ServeHTTP(w, r.WithContext(NewContext(r.Context(), v)))
	})
}
