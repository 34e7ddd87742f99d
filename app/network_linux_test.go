package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"hearth/discovery"
)

// Another machine on the network finds a relay that is open to it under its
// name, addresses and host name, comes in through them without a key, and gets
// nowhere that is the owner's; once the relay has stopped it is not found.
func TestFoundAcrossNetwork(t *testing.T) {
	home, guest := machines(t)
	folder := t.TempDir()
	serve := inside(home, filepath.Join(programs, programName), "serve",
		"--data", folder, "--open", "--listen", ":0", "--name", "Küche", "--interface", card,
		"--advertise-address", homeAddr, "--advertise-address", otherAddr)
	stdout, err := serve.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if serve.ProcessState == nil {
			_ = serve.Process.Kill() // it may have ended by now
			_ = serve.Wait()
		}
	})
	var port string
	lines := bufio.NewScanner(stdout)
	for lines.Scan() {
		if _, far, ok := strings.Cut(lines.Text(), "http://"+homeAddr+":"); ok {
			port = far
			break
		}
	}
	url := "http://" + homeAddr + ":" + port

	found := find(t, guest, 1)
	if len(found) != 1 {
		t.Fatalf("found %+v", found)
	}
	relay := found[0]
	if urls := []string{url, "http://" + otherAddr + ":" + port}; relay.Name != "Küche" || relay.NeedsKey == nil || *relay.NeedsKey || !slices.Equal(relay.URLs, urls) {
		t.Errorf("found %+v, not at %v", relay, urls)
	}
	if relay.Host != discovery.HostName(relay.ID) {
		t.Errorf("the host is %s, and the relay would answer to %s", relay.Host, discovery.HostName(relay.ID))
	}

	run, err := readRunFile(folder)
	if err != nil || run == nil {
		t.Fatalf("it does not say that it runs: %v", err)
	}
	for _, test := range []struct {
		path, host, auth string
		want             int
	}{
		{path: "/v1/limits", want: http.StatusOK},
		{path: "/v1/limits", host: relay.Host + ":" + port, want: http.StatusOK},
		{path: "/v1/limits", host: otherAddr + ":" + port, want: http.StatusOK},
		{path: "/v1/limits", host: "elsewhere.local", want: http.StatusForbidden},
		{path: "/v1/limits", host: "203.0.113.1", want: http.StatusForbidden},
		{path: "/metrics", want: http.StatusForbidden},
		{path: "/admin/overview", want: http.StatusUnauthorized},
		{path: "/admin/overview", auth: "Bearer " + run.Token, want: http.StatusUnauthorized},
	} {
		if got := getInside(t, guest, url+test.path, test.host, test.auth); got != test.want {
			t.Errorf("%+v answers %d", test, got)
		}
	}

	if err := serve.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
		continue // until it has ended
	}
	if err := serve.Wait(); err != nil {
		t.Error(err)
	}
	if found := find(t, guest, 0); len(found) > 0 {
		t.Errorf("found after its end: %+v", found)
	}
}

const (
	card = "lan0" // of each machine

	// homeAddr is where the relay's machine is on the network of machines.
	homeAddr = "10.78.0.1"

	// otherAddr is one that it does not have, as a router in front of it may.
	otherAddr = "192.0.2.7"
)

var machineNumber atomic.Int64

// machines makes two machines, as far as the network sees, with a cable between
// them, and returns their names.
func machines(t *testing.T) (home, guest string) {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("network namespaces need root")
	}
	if _, err := exec.LookPath("ip"); err != nil {
		t.Skip("network namespaces need iproute2: ", err)
	}
	n := machineNumber.Add(1)
	home, guest = fmt.Sprintf("app-home-%d-%d", os.Getpid(), n), fmt.Sprintf("app-guest-%d-%d", os.Getpid(), n)
	for _, machine := range []string{home, guest} {
		if out, err := exec.Command("ip", "netns", "add", machine).CombinedOutput(); err != nil {
			if strings.Contains(string(out), "not permitted") {
				t.Skip("this root may not make network namespaces, as in most containers")
			}
			t.Fatalf("%v: %s", err, out)
		}
		t.Cleanup(func() { ip(t, "netns", "del", machine) })
		ip(t, "-n", machine, "link", "set", "lo", "up")
	}
	ip(t, "link", "add", card, "netns", home, "type", "veth", "peer", "name", card, "netns", guest)
	ip(t, "-n", home, "address", "add", homeAddr+"/24", "dev", card)
	ip(t, "-n", guest, "address", "add", "10.78.0.2/24", "dev", card)
	ip(t, "-n", home, "link", "set", card, "up")
	ip(t, "-n", guest, "link", "set", card, "up")
	for _, machine := range []string{home, guest} {
		// The kernel says so at its leisure, up to a second later.
		for deadline := time.Now().Add(patience); !strings.Contains(ip(t, "-n", machine, "link", "show", card), "state UP"); {
			if time.Now().After(deadline) {
				t.Fatal("the cable does not carry anything")
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	return home, guest
}

func ip(t *testing.T, args ...string) string {
	t.Helper()
	out, err := exec.Command("ip", args...).CombinedOutput()
	if err != nil {
		t.Fatalf("ip %s: %v: %s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// inside returns a command that runs on one of the machines.
func inside(machine string, args ...string) *exec.Cmd {
	return exec.Command("ip", append([]string{"netns", "exec", machine}, args...)...)
}

// find looks for relays from a machine until it finds as many as wanted, or has
// had its patience.
func find(t *testing.T, machine string, want int) []foundJSON {
	t.Helper()
	for deadline := time.Now().Add(patience); ; {
		look := inside(machine, filepath.Join(programs, programName), "find", "--json", "--timeout", "2s")
		var errs strings.Builder
		look.Stderr = &errs
		out, err := look.Output()
		if err != nil {
			t.Fatalf("%v: %s", err, errs.String())
		}
		var found []foundJSON
		if err := json.Unmarshal(out, &found); err != nil {
			t.Fatalf("%v in %s", err, out)
		}
		if len(found) == want || time.Now().After(deadline) {
			return found
		}
	}
}

// getInside asks a relay from a machine and returns the status of its answer.
func getInside(t *testing.T, machine, url, host, auth string) int {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	get := inside(machine, self)
	get.Env = append(os.Environ(), getURL+"="+url, getHost+"="+host, getAuth+"="+auth)
	out, err := get.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v: %s", url, err, out)
	}
	var status int
	if _, err := fmt.Sscan(string(out), &status); err != nil {
		t.Fatalf("%s: %v: %s", url, err, out)
	}
	return status
}
