package main

import (
	"slices"
	"testing"

	"hearth/discovery"
)

// --listen takes addresses of this machine, and says of everything else what it
// takes. Only loopback addresses are private.
func TestPlace(t *testing.T) {
	tests := []struct {
		text       string
		want       string // as it is spelled; empty if it is refused
		private    bool
		everywhere bool
	}{
		{text: "127.0.0.1:2451", want: "127.0.0.1:2451", private: true},
		{text: "127.9.9.9:0", want: "127.9.9.9:0", private: true},
		{text: "localhost:80", want: "127.0.0.1:80", private: true},
		{text: "[::1]:80", want: "[::1]:80", private: true},
		{text: "[::ffff:127.0.0.1]:80", want: "127.0.0.1:80", private: true},
		{text: ":2451", want: ":2451", everywhere: true},
		{text: "0.0.0.0:2451", want: "0.0.0.0:2451", everywhere: true},
		{text: "[::]:65535", want: "[::]:65535", everywhere: true},
		{text: "192.0.2.1:2451", want: "192.0.2.1:2451"},
		{text: "[fe80::1%eth0]:2451", want: "[fe80::1%eth0]:2451"},
		{text: ""},
		{text: "2451"},
		{text: "127.0.0.1"},
		{text: "127.0.0.1:"},
		{text: "127.0.0.1:65536"},
		{text: "127.0.0.1:-1"},
		{text: "127.0.0.1:http"},
		{text: "127.0.0.1:+1"},
		{text: "::1:80"},
		{text: "example.invalid:80"},
		{text: "http://127.0.0.1:80"},
		{text: "127.1:80"},
	}
	for _, test := range tests {
		t.Run(test.text, func(t *testing.T) {
			var p place
			err := p.UnmarshalText([]byte(test.text))
			if (err == nil) != (test.want != "") {
				t.Fatalf("the error is %v", err)
			}
			if err != nil {
				return
			}
			if p.String() != test.want || p.private() != test.private || p.everywhere() != test.everywhere {
				t.Errorf("got %v, private %t, everywhere %t", p, p.private(), p.everywhere())
			}
		})
	}
}

// An address of the network never stands alone: the owner's commands come over
// the loopback, at the same port.
func TestListenBeside(t *testing.T) {
	addrs := discovery.Addresses(discovery.Options{})
	if len(addrs) == 0 {
		t.Skip("this machine is on no network")
	}
	listeners, err := listen(t.Context(), place{addr: addrs[0]})
	if err != nil {
		t.Fatal(err)
	}
	defer closeAll(listeners)
	places := placesOf(listeners)
	want := []place{{addrs[0], places[0].port}, {loopback, places[0].port}}
	if !slices.Equal(places, want) {
		t.Errorf("listening at %v, not %v", places, want)
	}
	if got, want := urls(places, nil, discovery.Options{}), []string{urlOf(want[0]), urlOf(want[1])}; !slices.Equal(got, want) {
		t.Errorf("reached at %v, not %v", got, want)
	}
}
