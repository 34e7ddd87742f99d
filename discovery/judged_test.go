package discovery

import (
	"testing"
	"time"
)

const judgedType = testType + "." + domain

var hearth = Service{Type: testType, Name: "Käthe's Haus 1.0", ID: "0123456789abcdef", Port: 2451, TXT: []string{"v=1", "name=Käthe's Haus 1.0"}}

// asSeen is how the service looks from the other machine.
func asSeen(s Service, label string, addresses ...string) sighting {
	return sighting{
		Instance: label, Host: "hearth-" + s.ID[:8] + ".local.", Port: s.Port, Addresses: addresses,
		TXT: map[string]string{"id": s.ID, "v": "1", "name": "Käthe's Haus 1.0"},
	}
}

// withoutIPv6 makes what is seen the same each time: link-local addresses are random.
func withoutIPv6(t *testing.T, l lan) {
	t.Helper()
	for _, ns := range []string{l.home, l.guest} {
		ip(t, "-n", ns, "link", "set", card, "addrgenmode", "none")
		ip(t, "-n", ns, "-6", "address", "flush", "dev", card)
	}
}

// Promise: an independent resolver on another machine sees name, host, port, TXT and address; sees a new address in place of the old
// one, a new name in place of the old one, and the goodbye.
func TestJudgeSeesIt(t *testing.T) {
	t.Parallel()
	l := newLAN(t)
	withoutIPv6(t, l)
	seen := judge(t, l.guest, "watch", judgedType)
	home := announcer(t, l.home, hearth)
	seen.waits(t, "announced", asSeen(hearth, hearth.Name, "10.77.0.1"))

	ip(t, "-n", l.home, "address", "add", "10.77.0.9/24", "dev", card)
	ip(t, "-n", l.home, "address", "del", "10.77.0.1/24", "dev", card)
	ip(t, "-n", l.home, "address", "replace", "10.77.0.9/24", "dev", card)
	seen.waits(t, "at its new address", asSeen(hearth, hearth.Name, "10.77.0.9"))

	renamed := hearth
	renamed.Name = "Sommerhaus"
	home.say(t, renamed)
	seen.waits(t, "by its new name", asSeen(hearth, "Sommerhaus", "10.77.0.9"))

	home.stop()
	seen.waits(t, "gone after its goodbye")
}

// Promise: the host name resolves by itself long after the announcements, as addresses live for two minutes only.
func TestJudgeResolvesHost(t *testing.T) {
	t.Parallel()
	l := newLAN(t)
	withoutIPv6(t, l)
	home := announcer(t, l.home, hearth)
	home.waits(t, "announced", sighting{Instance: hearth.Name, Host: card, Addresses: []string{"10.77.0.1"}})
	host := "hearth-01234567.local."
	judge(t, l.guest, "resolve", host).waits(t, "resolved", sighting{Host: host, Addresses: []string{"10.77.0.1"}})
}

// Promise: started while no link is up, it appears when the link comes, also after the link went away and came back.
func TestJudgeSeesItWhenTheLinkComes(t *testing.T) {
	t.Parallel()
	l := newLAN(t)
	withoutIPv6(t, l)
	ip(t, "-n", l.home, "link", "set", card, "down")
	home := announcer(t, l.home, hearth)
	seen := judge(t, l.guest, "watch", judgedType)
	time.Sleep(3 * time.Second) // long enough to have looked at the interfaces more than once
	if got := append(home.sees(), seen.sees()...); len(got) > 0 {
		t.Errorf("announced without a link: %+v", got)
	}
	ip(t, "-n", l.home, "link", "set", card, "up")
	seen.waits(t, "the link came", asSeen(hearth, hearth.Name, "10.77.0.1"))

	ip(t, "-n", l.home, "link", "set", card, "down")
	home.waits(t, "quiet without a link")
	ip(t, "-n", l.home, "link", "set", card, "up")
	home.waits(t, "the link came back", sighting{Instance: hearth.Name, Host: card, Addresses: []string{"10.77.0.1"}})
	home.stop()
	seen.waits(t, "gone after its goodbye")
}

// Promise: a name that a foreign program has is not taken, and foreign services are found with all their data and seen to go.
func TestForeignServices(t *testing.T) {
	t.Parallel()
	l := newLAN(t)
	withoutIPv6(t, l)
	hearth := hearth
	hearth.Name = "Käthe's Haus" // the judge takes a dot for the end of a label
	foreign := judge(t, l.guest, "announce", judgedType, hearth.Name)
	theirs := sighting{
		Instance: hearth.Name, Host: "judge.local.", Port: 2451, Addresses: []string{"10.77.0.2"},
		TXT: map[string]string{"v": "1", "name": hearth.Name},
	}
	found := browser(t, l.home)
	found.waits(t, "found", theirs)
	home := announcer(t, l.home, hearth)
	ours := asSeen(hearth, hearth.Name+" (0123)", "10.77.0.1")
	found.waits(t, "both", theirs, ours)
	foreign.stop()
	found.waits(t, "the foreign one is gone", ours)
	home.stop()
	found.waits(t, "all are gone")
}

// Promise: what a browser found on a network is gone soon after the machine left it without hearing a goodbye, and back with it.
func TestBrowserFollowsTheNetwork(t *testing.T) {
	t.Parallel()
	l := newLAN(t)
	withoutIPv6(t, l)
	announcer(t, l.home, hearth)
	found := browser(t, l.guest)
	ours := asSeen(hearth, hearth.Name, "10.77.0.1")
	found.waits(t, "found", ours)
	ip(t, "-n", l.guest, "link", "set", card, "down")
	found.waits(t, "forgotten")
	ip(t, "-n", l.guest, "link", "set", card, "up")
	found.waits(t, "found again", ours)
}

// Promise: with two networks each one hears its own address only, and with IPv6 alone it works too.
func TestEachNetworkItsOwnAddresses(t *testing.T) {
	t.Parallel()
	one, two := newLAN(t), newLAN(t)
	withoutIPv6(t, one)
	// The second cable's end moves over: the machine at home is on both networks, and knows only IPv6 on the second.
	ip(t, "-n", two.home, "link", "set", card, "down")
	ip(t, "-n", two.home, "link", "set", card, "name", "hearth1")
	ip(t, "-n", two.home, "link", "set", "hearth1", "netns", one.home)
	ip(t, "-n", one.home, "address", "add", "fd77::1/64", "dev", "hearth1", "nodad")
	ip(t, "-n", one.home, "link", "set", "hearth1", "up")

	announcer(t, one.home, hearth)
	browser(t, one.guest).waits(t, "the first network", asSeen(hearth, hearth.Name, "10.77.0.1"))
	browser(t, two.guest).waits(t, "the second network", asSeen(hearth, hearth.Name, "fd77::1"))
}
