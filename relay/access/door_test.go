package access

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"go.uber.org/goleak"

	"hearth/relay/protocol"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// Who comes from this machine needs no key and may name a space; who comes from
// elsewhere gets in only while the door is open; a key that is shown is always
// checked.
func TestDoor(t *testing.T) {
	token := NewOwnerToken()
	const here, there = "127.0.0.1:5000", "198.51.100.9:5000"
	bearer := func(token string) http.Header { return http.Header{"Authorization": {"Bearer " + token}} }
	local := Visitor{Space: "default", Remote: netip.MustParseAddr("127.0.0.1"), Loopback: true}
	remote := Visitor{Space: "default", Remote: netip.MustParseAddr("198.51.100.9")}
	with := func(v Visitor, change func(*Visitor)) Visitor {
		change(&v)
		return v
	}
	for name, tt := range map[string]struct {
		remote string
		header http.Header
		open   bool
		want   Visitor
		err    any // a pointer to the error that is wanted
	}{
		"here":                     {here, nil, false, local, nil},
		"here, IPv6":               {"[::1]:5000", nil, false, with(local, func(v *Visitor) { v.Remote = netip.IPv6Loopback() }), nil},
		"here, IPv4 as IPv6":       {"[::ffff:127.0.0.1]:5000", nil, false, local, nil},
		"here, space":              {here, http.Header{SpaceHeader: {"family"}}, false, with(local, func(v *Visitor) { v.Space = "family" }), nil},
		"here, owner":              {here, bearer(token), false, with(local, func(v *Visitor) { v.Owner = true }), nil},
		"here, owner, lower case":  {here, http.Header{"Authorization": {"bearer " + token}}, false, with(local, func(v *Visitor) { v.Owner = true }), nil},
		"there, open":              {there, nil, true, remote, nil},
		"there, closed":            {there, nil, false, Visitor{}, new(*ForbiddenError)},
		"there, space":             {there, http.Header{SpaceHeader: {"family"}}, true, Visitor{}, new(*ForbiddenError)},
		"there, default space":     {there, http.Header{SpaceHeader: {"default"}}, true, Visitor{}, new(*ForbiddenError)},
		"there, owner's token":     {there, bearer(token), true, Visitor{}, new(*UnauthorizedError)},
		"there, a key":             {there, bearer("efema_12"), true, Visitor{}, new(*UnauthorizedError)},
		"here, a key":              {here, bearer("efema_12"), false, Visitor{}, new(*UnauthorizedError)},
		"here, nearly the token":   {here, bearer(token + "0"), false, Visitor{}, new(*UnauthorizedError)},
		"here, part of the token":  {here, bearer(token[:len(token)-1]), false, Visitor{}, new(*UnauthorizedError)},
		"here, no token":           {here, bearer(""), false, Visitor{}, new(*UnauthorizedError)},
		"here, empty":              {here, http.Header{"Authorization": {""}}, false, Visitor{}, new(*UnauthorizedError)},
		"here, another scheme":     {here, http.Header{"Authorization": {"Basic " + token}}, false, Visitor{}, new(*UnauthorizedError)},
		"here, twice":              {here, http.Header{"Authorization": {"Bearer " + token, "Bearer " + token}}, false, Visitor{}, new(*UnauthorizedError)},
		"here, bad space":          {here, http.Header{SpaceHeader: {"Family"}}, false, Visitor{}, new(*protocol.NameError)},
		"here, hidden space":       {here, http.Header{SpaceHeader: {"_relay"}}, false, Visitor{}, new(*protocol.NameError)},
		"here, empty space":        {here, http.Header{SpaceHeader: {""}}, false, Visitor{}, new(*protocol.NameError)},
		"here, two spaces":         {here, http.Header{SpaceHeader: {"a", "b"}}, false, Visitor{}, new(*protocol.NameError)},
		"from nowhere":             {"@", nil, false, Visitor{}, new(*ForbiddenError)},
		"from nowhere, with space": {"@", http.Header{SpaceHeader: {"a"}}, true, Visitor{}, new(*ForbiddenError)},
	} {
		t.Run(name, func(t *testing.T) {
			door := Door{Open: func() bool { return tt.open }, OwnerToken: token}
			r := httptest.NewRequest(http.MethodGet, "/", http.NoBody)
			r.RemoteAddr, r.Header = tt.remote, tt.header
			got, err := door.Enter(r)
			if tt.err != nil {
				if !errors.As(err, tt.err) {
					t.Errorf("error %v, want %T", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got, cmpopts.EquateComparable(netip.Addr{})); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// Without a token nobody is the owner, also not who shows none.
func TestNoOwnerToken(t *testing.T) {
	door := Door{Open: func() bool { return true }}
	r := httptest.NewRequest(http.MethodGet, "/", http.NoBody)
	r.RemoteAddr = "127.0.0.1:5000"
	r.Header.Set("Authorization", "Bearer ")
	if v, err := door.Enter(r); err == nil {
		t.Errorf("let in as %+v", v)
	}
}

// A key that is shown later makes the owner of whoever shows the owner's token on
// this machine, and turns everyone else away.
func TestShow(t *testing.T) {
	token := NewOwnerToken()
	here := Visitor{Space: "family", Remote: netip.MustParseAddr("127.0.0.1"), Loopback: true}
	there := Visitor{Space: DefaultSpace, Remote: netip.MustParseAddr("198.51.100.9")}
	owner := here
	owner.Owner = true
	for name, tt := range map[string]struct {
		door Door
		who  Visitor
		key  string
		want Visitor // who it is; the zero value if it is turned away
	}{
		"the owner":              {Door{OwnerToken: token}, here, token, owner},
		"the owner, from afar":   {Door{OwnerToken: token}, there, token, Visitor{}},
		"nearly the token":       {Door{OwnerToken: token}, here, token + "0", Visitor{}},
		"as in a header":         {Door{OwnerToken: token}, here, "Bearer " + token, Visitor{}},
		"nothing":                {Door{OwnerToken: token}, here, "", Visitor{}},
		"nothing, without owner": {Door{}, here, "", Visitor{}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := tt.door.Show(tt.who, tt.key)
			if tt.want == (Visitor{}) {
				if _, ok := errors.AsType[*UnauthorizedError](err); !ok {
					t.Errorf("let in as %+v, with the error %v", got, err)
				}
				return
			}
			if err != nil || got != tt.want {
				t.Errorf("%+v, error %v; want %+v", got, err, tt.want)
			}
		})
	}
}

// Behind the door a request carries its visitor; in front of it nothing passes.
func TestDoorHandler(t *testing.T) {
	door := Door{Open: func() bool { return false }}
	var passed []Visitor
	var refused []error
	h := door.Handler(
		http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			v, ok := FromContext(r.Context())
			if !ok {
				t.Error("no visitor in the context")
			}
			passed = append(passed, v)
		}),
		func(_ http.ResponseWriter, _ *http.Request, why error) { refused = append(refused, why) },
	)
	for _, remote := range []string{"127.0.0.1:5000", "198.51.100.9:5000"} {
		r := httptest.NewRequest(http.MethodGet, "/", http.NoBody)
		r.RemoteAddr = remote
		h.ServeHTTP(httptest.NewRecorder(), r)
	}
	if len(passed) != 1 || !passed[0].Loopback || len(refused) != 1 {
		t.Errorf("passed %v, refused %v", passed, refused)
	}
	if _, ok := FromContext(t.Context()); ok {
		t.Error("a visitor comes from nowhere")
	}
}

// Tokens are long, recognisable and never the same.
func TestNewOwnerToken(t *testing.T) {
	a, b := NewOwnerToken(), NewOwnerToken()
	if a == b || !strings.HasPrefix(a, "hearth_owner_") || len(a) != len("hearth_owner_")+64 {
		t.Errorf("tokens %q and %q", a, b)
	}
}
