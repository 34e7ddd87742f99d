package main

import (
	"bufio"
	"fmt"
	"io/fs"
	"strings"
)

// letIn is what there is to do where one command does it.
const letIn = "If devices do not reach the relay, let it in."

// mdnsPort is where machines ask for each other (RFC 6762, section 3).
const mdnsPort = 5353

// firewall is a program that may keep other machines from this one.
type firewall struct {
	name string
	// active says whether it runs, from the files of the system; nil for one
	// that cannot be seen, but is there on every machine of its kind.
	active func(root fs.FS) bool
	// rule tells how to let the relay's port and mDNS in: in words, by a command
	// for a terminal, or in words what to do before it.
	rule func(port uint16) (todo, command string)
}

// firewalls has those of each system, the ones that manage others first.
var firewalls = map[string][]firewall{
	"linux": {
		{
			name:   "ufw",
			active: func(root fs.FS) bool { return hasLine(root, "etc/ufw/ufw.conf", "ENABLED=yes") },
			rule: func(port uint16) (todo, command string) {
				return letIn, fmt.Sprintf("sudo ufw allow %d/tcp && sudo ufw allow %d/udp", port, mdnsPort)
			},
		},
		{
			name: "firewalld",
			active: func(root fs.FS) bool {
				return exists(root, "sys/fs/cgroup/system.slice/firewalld.service") ||
					exists(root, "sys/fs/cgroup/systemd/system.slice/firewalld.service")
			},
			rule: func(port uint16) (todo, command string) {
				return letIn, fmt.Sprintf("sudo firewall-cmd --permanent --add-port=%d/tcp --add-service=mdns && sudo firewall-cmd --reload", port)
			},
		},
		{
			name: "nftables",
			active: func(root fs.FS) bool {
				return exists(root, "etc/systemd/system/sysinit.target.wants/nftables.service") ||
					exists(root, "etc/systemd/system/multi-user.target.wants/nftables.service") ||
					exists(root, "etc/runlevels/default/nftables")
			},
			rule: func(port uint16) (todo, command string) {
				return fmt.Sprintf("Add to the chain of incoming packets in /etc/nftables.conf: “tcp dport %d accept” and “udp dport %d accept”. Then load it.", port, mdnsPort), "sudo nft -f /etc/nftables.conf"
			},
		},
	},
	"windows": {{
		name: "the Windows firewall",
		rule: func(port uint16) (todo, command string) {
			return "Set the network to “private” in the Windows settings, and allow Hearth when Windows asks. If it does not ask any more, let the relay in from a command prompt opened as administrator.",
				fmt.Sprintf(`netsh advfirewall firewall add rule name="Hearth" dir=in action=allow protocol=TCP localport=%d profile=private && netsh advfirewall firewall add rule name="Hearth (finding)" dir=in action=allow protocol=UDP localport=%d profile=private`, port, mdnsPort)
		},
	}},
	"darwin": {{
		name: "the macOS firewall",
		rule: func(uint16) (todo, command string) {
			return "Open the System Settings. Under Network, Firewall, Options, allow incoming connections for Hearth; under Privacy & Security, Local Network, switch Hearth on.", ""
		},
	}},
}

// firewallOf returns the firewall that is active on a system with these files.
func firewallOf(system string, root fs.FS) (f firewall, ok bool) {
	for _, f := range firewalls[system] {
		if f.active == nil || f.active(root) {
			return f, true
		}
	}
	return firewall{}, false
}

func exists(root fs.FS, path string) bool {
	_, err := fs.Lstat(root, path)
	return err == nil
}

// hasLine says whether a file has a line, whatever the case and blanks around.
func hasLine(root fs.FS, path, line string) bool {
	f, err := root.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if strings.EqualFold(strings.TrimSpace(lines.Text()), line) {
			return true
		}
	}
	return false
}
