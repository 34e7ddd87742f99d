package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// portHolder says which program listens at a port, or nothing: only root sees
// the sockets of other users' programs.
func portHolder(port uint16) string {
	sockets := make(map[string]bool)
	for _, table := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		addListening(sockets, table, port)
	}
	if len(sockets) == 0 {
		return ""
	}
	descriptors, err := filepath.Glob("/proc/[0-9]*/fd/*")
	if err != nil {
		return ""
	}
	for _, d := range descriptors {
		target, err := os.Readlink(d)
		if err != nil || !sockets[target] {
			continue
		}
		process := filepath.Dir(filepath.Dir(d))
		name, err := os.ReadFile(filepath.Join(process, "comm"))
		if err != nil {
			return ""
		}
		return fmt.Sprintf("%s (process %s)", strings.TrimSpace(string(name)), filepath.Base(process))
	}
	return ""
}

// addListening adds the sockets that listen at a port, as the links to them in
// /proc name them (proc_net_tcp in the kernel's documentation).
func addListening(sockets map[string]bool, table string, port uint16) {
	// The columns of a line.
	const (
		local  = 1 // address:port in hexadecimal
		state  = 3
		inode  = 9
		listen = "0A" // the state of a socket that listens
	)
	f, err := os.Open(table)
	if err != nil {
		return
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		columns := strings.Fields(lines.Text())
		if len(columns) <= inode || columns[state] != listen {
			continue
		}
		_, hex, _ := strings.Cut(columns[local], ":")
		if n, err := strconv.ParseUint(hex, 16, 16); err == nil && uint16(n) == port {
			sockets["socket:["+columns[inode]+"]"] = true
		}
	}
}
