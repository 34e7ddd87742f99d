package guard

import (
	"net"
	"net/netip"
	"os"
	"strings"
	"sync"
	"time"
)

// machineAge is how long the machine's names and addresses are taken for true.
// Asking costs some system calls, and strangers could make us ask each time; a
// laptop that joins another network answers under its new address this soon.
const machineAge = 5 * time.Second

// machine knows by which names and addresses this machine goes. The zero value
// is ready to use.
type machine struct {
	mu    sync.Mutex
	asked time.Time
	addrs map[netip.Addr]struct{}
	names map[string]struct{}
}

func (m *machine) hasAddr(addr netip.Addr) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refresh()
	_, ok := m.addrs[addr]
	return ok
}

func (m *machine) hasName(name string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.refresh()
	_, ok := m.names[name]
	return ok
}

// refresh asks the system again if it is time. What it does not tell stays
// unknown, which only refuses more.
func (m *machine) refresh() {
	if !m.asked.IsZero() && time.Since(m.asked) < machineAge {
		return
	}
	m.asked = time.Now()
	m.addrs = make(map[netip.Addr]struct{})
	if addrs, err := net.InterfaceAddrs(); err == nil {
		for _, a := range addrs {
			if prefix, err := netip.ParsePrefix(a.String()); err == nil {
				m.addrs[prefix.Addr().Unmap().WithZone("")] = struct{}{}
			}
		}
	}
	m.names = make(map[string]struct{})
	host, err := os.Hostname()
	if err != nil {
		return
	}
	full, ok := hostName(host)
	if !ok {
		return
	}
	label, _, _ := strings.Cut(full, ".")
	for _, name := range []string{full, label, label + ".local"} {
		m.names[name] = struct{}{}
	}
}
