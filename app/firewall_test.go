package main

import (
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"
)

// The firewall that is active is told from the system's files, and each one's
// rule names the port.
func TestFirewallOf(t *testing.T) {
	const ufw, nft = "etc/ufw/ufw.conf", "etc/systemd/system/sysinit.target.wants/nftables.service"
	for name, test := range map[string]struct {
		system string
		files  fstest.MapFS
		want   string
		rule   string
	}{
		"none":      {system: "linux"},
		"ufw":       {"linux", fstest.MapFS{ufw: {Data: []byte("# on or off\nENABLED=yes\n")}}, "ufw", "ufw allow 2451/tcp"},
		"ufw off":   {"linux", fstest.MapFS{ufw: {Data: []byte("#ENABLED=yes\nENABLED=no\n")}}, "", ""},
		"firewalld": {"linux", fstest.MapFS{"sys/fs/cgroup/system.slice/firewalld.service/cgroup.procs": {}}, "firewalld", "--add-port=2451/tcp"},
		"nftables":  {"linux", fstest.MapFS{nft: {Mode: fs.ModeSymlink, Data: []byte("/lib/systemd/system/nftables.service")}}, "nftables", "tcp dport 2451 accept"},
		"ufw on nftables": {
			"linux", fstest.MapFS{nft: {}, ufw: {Data: []byte("ENABLED=yes")}}, "ufw", "ufw allow 5353/udp",
		},
		"windows": {"windows", nil, "the Windows firewall", "localport=2451"},
		"macOS":   {"darwin", nil, "the macOS firewall", "Local Network"},
		"other":   {system: "plan9"},
	} {
		f, ok := firewallOf(test.system, test.files)
		if ok != (test.want != "") || f.name != test.want {
			t.Errorf("%s: it is %q", name, f.name)
			continue
		}
		if !ok {
			continue
		}
		todo, command := f.rule(2451)
		if !strings.Contains(todo+"\n"+command, test.rule) {
			t.Errorf("%s: the rule is %q, %q", name, todo, command)
		}
	}
}
