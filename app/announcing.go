package main

import (
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"hearth/discovery"
)

const (
	// maxInterfaces bounds how many interfaces may be named. A machine at home
	// has a handful.
	maxInterfaces = 32

	// maxInterfaceName is the longest name of an interface, in bytes, on any
	// system that Hearth runs on: that of Windows.
	maxInterfaceName = 256

	// maxAdvertised is how many addresses fit into one announcement.
	maxAdvertised = 8

	// exceptMark stands before the name of an interface that is left out.
	exceptMark = "!"
)

// announcing is what to announce of the relay, and where.
type announcing struct {
	name       string
	before     string // the name under which the network knew it, if it had to be another
	place      place  // where it listens
	interfaces []string
	advertise  []string
}

// service is the relay with an id as the network is told of it.
func (a announcing) service(id string) discovery.Service {
	s := discovery.Service{
		Type: serviceType, Name: a.name, Instance: a.before, ID: id, Port: int(a.place.port), At: a.place.addr,
		TXT: []string{"v=1", txtID + "=" + id, txtName + "=" + a.name, txtKey + "=" + txtNoKey},
	}
	for _, text := range a.advertise {
		if addr, err := netip.ParseAddr(text); err == nil { // it was checked
			s.Addresses = append(s.Addresses, addr)
		}
	}
	return s
}

// optionsFor says where to announce and to look, as the owner named interfaces.
func optionsFor(interfaces []string) (o discovery.Options) {
	for _, name := range interfaces {
		if except, ok := strings.CutPrefix(name, exceptMark); ok {
			o.Except = append(o.Except, except)
		} else {
			o.Interfaces = append(o.Interfaces, name)
		}
	}
	return o
}

// trimmed returns what a person listed without blanks around and repeats.
func trimmed(texts []string) []string {
	list := make([]string, 0, len(texts))
	for _, text := range texts {
		if text = strings.TrimSpace(text); !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	return list
}

func checkInterfaces(names []string) error {
	if len(names) > maxInterfaces {
		return fmt.Errorf("more than %d interfaces cannot be named", maxInterfaces)
	}
	for _, name := range names {
		name = strings.TrimPrefix(name, exceptMark)
		switch {
		case name == "":
			return errors.New("an interface has a name")
		case len(name) > maxInterfaceName, !utf8.ValidString(name), strings.ContainsFunc(name, unicode.IsControl):
			return fmt.Errorf("%.20q is not the name of an interface", name)
		}
	}
	return nil
}

func checkAdvertised(texts []string) error {
	if len(texts) > maxAdvertised {
		return fmt.Errorf("at most %d addresses can be announced", maxAdvertised)
	}
	for _, text := range texts {
		addr, err := netip.ParseAddr(text)
		switch {
		case err != nil:
			return fmt.Errorf("%.60q is not an address: it takes an IP address, such as 192.168.1.5", text)
		case addr.IsUnspecified(), addr.IsMulticast(), addr.Zone() != "":
			return fmt.Errorf("%s is not an address that other machines can reach", text)
		}
	}
	return nil
}
