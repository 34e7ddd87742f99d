package main

import (
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"hearth/discovery"
	"hearth/relay/console"
)

// Interfaces and addresses that cannot be are refused.
func TestCheckAnnouncing(t *testing.T) {
	for text, ok := range map[string]bool{
		"eth0": true, "!eth0": true, "Ethernet 2": true, "vEthernet (Küche)": true,
		"": false, "!": false, "a\nb": false, "\xff": false, strings.Repeat("x", maxInterfaceName+1): false,
	} {
		if err := checkInterfaces([]string{text}); (err == nil) != ok {
			t.Errorf("interface %q: %v", text, err)
		}
	}
	for text, ok := range map[string]bool{
		"192.0.2.1": true, "2001:db8::1": true,
		"": false, "nas.local": false, "192.0.2.1:80": false, "0.0.0.0": false, "::": false, "224.0.0.251": false, "fe80::1%eth0": false,
	} {
		if err := checkAdvertised([]string{text}); (err == nil) != ok {
			t.Errorf("address %q: %v", text, err)
		}
	}
	if checkInterfaces(make([]string, maxInterfaces+1)) == nil || checkAdvertised(make([]string, maxAdvertised+1)) == nil {
		t.Error("there is no bound")
	}
}

// The network is told the name, where the relay listens, and the addresses that
// the owner gave; interfaces are allowed or left out.
func TestAnnouncing(t *testing.T) {
	got := announcing{
		name: "Home", place: place{netip.MustParseAddr("10.0.0.1"), 2451}, advertise: []string{"192.0.2.1", "2001:db8::1"},
	}.service("0123456789")
	want := discovery.Service{
		Type: serviceType, Name: "Home", ID: "0123456789", Port: 2451, TXT: []string{"v=1", "id=0123456789", "name=Home", "key=0"},
		At: netip.MustParseAddr("10.0.0.1"), Addresses: []netip.Addr{netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("2001:db8::1")},
	}
	if diff := cmp.Diff(want, got, cmp.Comparer(func(a, b netip.Addr) bool { return a == b })); diff != "" {
		t.Error(diff)
	}
	o := optionsFor([]string{"eth0", "!eth1", "wlan0"})
	if diff := cmp.Diff([][]string{{"eth0", "wlan0"}, {"eth1"}}, [][]string{o.Interfaces, o.Except}); diff != "" {
		t.Error(diff)
	}
}

// Interfaces and addresses come from the strongest of their sources, are kept
// when the owner changes them, and cannot be changed when they were given.
func TestAnnouncingSettings(t *testing.T) {
	s := settings{kept: keptSettings{Interfaces: &[]string{"eth0"}}}
	if v := s.values().Interfaces; v.Origin != console.OriginFile || !cmp.Equal(v.Value, []string{"eth0"}) {
		t.Errorf("from the file: %+v", v)
	}
	after, err := s.with(console.Change{Interfaces: &[]string{" !eth1 ", "eth2", "eth2"}, Advertise: &[]string{"192.0.2.1 "}})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"!eth1", "eth2"}, after.values().Interfaces.Value) + cmp.Diff([]string{"192.0.2.1"}, after.values().Advertise.Value); diff != "" {
		t.Error(diff)
	}
	if s.values().Advertise.Value != nil || s.values().Interfaces.Value[0] != "eth0" {
		t.Error("the settings of before changed too")
	}
	for name, change := range map[string]console.Change{
		"interface": {Interfaces: &[]string{""}},
		"address":   {Advertise: &[]string{"elsewhere"}},
	} {
		if _, err := s.with(change); err == nil {
			t.Errorf("%s: taken", name)
		}
	}
	s.faces = several([]string{"wlan0"}, console.OriginEnvironment)
	if v := s.values().Interfaces; v.Origin != console.OriginEnvironment || !cmp.Equal(v.Value, []string{"wlan0"}) {
		t.Errorf("from the environment: %+v", v)
	}
	if _, err := s.with(console.Change{Interfaces: &[]string{"eth0"}}); err == nil || !strings.Contains(err.Error(), "the environment") {
		t.Errorf("changed for this run: %v", err)
	}
}

// Interfaces that the owner names while the relay runs are used at once, and
// the network shows what became of them.
func TestChangeInterfaces(t *testing.T) {
	h := open(t, keptSettings{Port: new(0), Open: new(true)})
	missing := console.UnusedInterface{Interface: "hearth-none", Reason: "this machine has no interface of that name"}
	for _, names := range [][]string{{missing.Interface}, {}} {
		change(t, h, console.Change{Interfaces: &names})
		for deadline := time.Now().Add(patience); ; time.Sleep(10 * time.Millisecond) {
			around, err := h.Neighbourhood(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			named := len(names) > 0
			if len(around.Unused) > 0 && slices.Contains(around.Unused, missing) == named && strings.Contains(around.Quiet, missing.Interface) == named {
				break
			}
			if time.Now().After(deadline) {
				t.Fatalf("with %q the network shows %+v", names, around)
			}
		}
	}
}
