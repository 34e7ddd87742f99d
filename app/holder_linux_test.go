package main

import (
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
)

// Who holds a port is told by name and process, over IPv4 as over IPv6; nobody
// holds a free one.
func TestPortHolder(t *testing.T) {
	for _, address := range []string{"127.0.0.1:0", "[::1]:0"} {
		l, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		port := placeOf(l).port
		if got, want := portHolder(port), fmt.Sprintf("(process %d)", os.Getpid()); !strings.HasSuffix(got, want) {
			t.Errorf("%s is held by %q, not %s", address, got, want)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if got := portHolder(port); got != "" {
			t.Errorf("%s, free again, is held by %q", address, got)
		}
	}
}
