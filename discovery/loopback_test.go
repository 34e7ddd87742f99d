package discovery

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/netip"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/miekg/dns"
	"golang.org/x/net/ipv4"
)

// ownType and ownID belong to this process alone: the loopback interface may be shared with another run of these tests.
var ownType = fmt.Sprintf("_hearth%d._tcp", os.Getpid())

func ownID(four string) string { return fmt.Sprintf("%s%04x", four, os.Getpid()&0xffff) }

// patience is how long a test waits for what has to happen: long, since a loaded machine only makes it late.
const patience = 40 * time.Second

// loopback is the one interface that every machine has. Named, it is used although it leads to nobody.
func loopback(t *testing.T) Options {
	t.Helper()
	o := Options{Logger: slog.New(slog.DiscardHandler)}
	interfaces, err := net.Interfaces()
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range interfaces {
		if i.Flags&net.FlagLoopback != 0 {
			o.Interfaces = []string{i.Name}
		}
	}
	there, _, err := o.links()
	if err != nil {
		t.Skip("the loopback interface is not up here: ", err)
	}
	c, err := open(there[0], make(chan packet))
	if err != nil {
		t.Skip("the loopback interface takes no multicast here: ", err)
	}
	c.close()
	return o
}

// eventually waits for pulses until what they tell of is so.
func eventually(t *testing.T, changes <-chan struct{}, what string, so func() bool) {
	t.Helper()
	late := time.After(patience)
	for !so() {
		select {
		case <-changes:
		case <-late:
			t.Fatalf("not in %v: %s", patience, what)
		}
	}
}

func announce(t *testing.T, s Service, o Options) *Announcer {
	t.Helper()
	a := Announce(s, o)
	t.Cleanup(func() { a.Close() })
	return a
}

func browse(t *testing.T, o Options) *Browser {
	t.Helper()
	b, err := Browse(t.Context(), ownType, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

func instances(b *Browser) []string {
	var names []string
	for _, f := range b.Found() {
		names = append(names, f.Instance)
	}
	return names
}

func standsAs(a *Announcer, label string) func() bool {
	return func() bool {
		s := a.Status()
		return len(s.Announced) == 1 && s.Announced[0].Instance == label
	}
}

// Promise: what is announced is found with all its data, renamed at once when it is, and gone after Close.
func TestAnnouncedIsFoundAndTakenBack(t *testing.T) {
	o := loopback(t)
	s := Service{Type: ownType, Name: `Käthe's "Küche". 1`, ID: ownID("1111"), Port: 2451, TXT: []string{"v=1", `path=C:\x`, "empty"}}
	a := announce(t, s, o)
	eventually(t, a.Changes(), "announced", standsAs(a, s.Name))

	found, err := Find(t.Context(), ownType, 2*time.Second, o)
	if err != nil || len(found) != 1 {
		t.Fatalf("Find: %v, %v; want one", found, err)
	}
	got := found[0]
	if age := time.Since(got.SeenAt); age < 0 || age > time.Minute {
		t.Errorf("heard %v ago", age)
	}
	got.SeenAt = time.Time{}
	want := Found{
		Instance: s.Name, Host: "hearth-" + ownID("1111") + ".local", Port: 2451, Addresses: a.Status().Announced[0].Addresses,
		TXT: map[string]string{"id": s.ID, "v": "1", "path": `C:\x`, "empty": ""},
	}
	if d := cmp.Diff(want, got, cmp.Comparer(func(x, y netip.Addr) bool { return x == y })); d != "" {
		t.Error(d)
	}

	b := browse(t, o)
	eventually(t, b.Changes(), "browsed", func() bool { return cmp.Equal(instances(b), []string{s.Name}) })
	s.Name = "Flur"
	a.Update(s)
	eventually(t, b.Changes(), "renamed, and the old name gone", func() bool { return cmp.Equal(instances(b), []string{"Flur"}) })
	s.Port = 2452
	a.Update(s)
	eventually(t, b.Changes(), "the new port", func() bool { return len(b.Found()) == 1 && b.Found()[0].Port == 2452 })
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	eventually(t, b.Changes(), "gone", func() bool { return len(b.Found()) == 0 })
	if q := a.Status(); q.Quiet == "" || len(q.Announced) > 0 {
		t.Errorf("after Close: %+v", q)
	}
	a.Update(s) // must not hang
	if err := a.Close(); err != nil {
		t.Error(err)
	}
}

// Promise: of two services with one name and different ids the later one takes another name, and both are found.
func TestTakenName(t *testing.T) {
	o := loopback(t)
	first := announce(t, Service{Type: ownType, Name: "Home", ID: ownID("bbbb"), Port: 1001}, o)
	eventually(t, first.Changes(), "announced", standsAs(first, "Home"))
	// The id is the lesser one: it still does not take a name that another has.
	second := announce(t, Service{Type: ownType, Name: "Home", ID: ownID("aaaa"), Port: 1002}, o)
	eventually(t, second.Changes(), "announced by another name", standsAs(second, "Home (2)"))
	b := browse(t, o)
	eventually(t, b.Changes(), "both found", func() bool { return cmp.Equal(instances(b), []string{"Home", "Home (2)"}) })
	if !standsAs(first, "Home")() {
		t.Errorf("the first one lost its name: %+v", first.Status())
	}
}

// Promise: a name with a number stays a service's own over restarts, whoever has started first, until it gets another name.
func TestNameIsKept(t *testing.T) {
	o := loopback(t)
	s := Service{Type: ownType, Name: "Kept", ID: ownID("7777"), Port: 1001, Instance: "Kept (2)"}
	a := announce(t, s, o)
	eventually(t, a.Changes(), "announced by its name of before", standsAs(a, "Kept (2)"))
	if got := a.Status().Announced[0].Name; got != s.Name {
		t.Errorf("the name told is %q", got)
	}
	other := announce(t, Service{Type: ownType, Name: "Kept", ID: ownID("6666"), Port: 1002}, o)
	eventually(t, other.Changes(), "the other one has its own", standsAs(other, "Kept"))
	s.Name = "New"
	a.Update(s)
	eventually(t, a.Changes(), "announced by its new name", standsAs(a, "New"))
}

// Promise: two that start at the same moment with the same name end up with different ones, whoever hears whom first.
func TestSameNameAtTheSameTime(t *testing.T) {
	o := loopback(t)
	first := announce(t, Service{Type: ownType, Name: "Twin", ID: ownID("cccc"), Port: 1001}, o)
	second := announce(t, Service{Type: ownType, Name: "Twin", ID: ownID("dddd"), Port: 1002}, o)
	eventually(t, second.Changes(), "one gives way", standsAs(second, "Twin (2)"))
	eventually(t, first.Changes(), "the other stays", standsAs(first, "Twin"))
	b := browse(t, o)
	eventually(t, b.Changes(), "both found", func() bool { return cmp.Equal(instances(b), []string{"Twin", "Twin (2)"}) })
}

// Promise: the same service heard from elsewhere, as on a second card in one network, is not taken for another.
func TestNeverRenamedForItself(t *testing.T) {
	o := loopback(t)
	s := Service{Type: ownType, Name: "Echo", ID: ownID("eeee"), Port: 1001}
	first := announce(t, s, o)
	eventually(t, first.Changes(), "announced", standsAs(first, "Echo"))
	again := announce(t, s, o)
	eventually(t, again.Changes(), "announced by its name", standsAs(again, "Echo"))
}

// Promise: a simple resolver, which knows nothing of multicast DNS but where to ask, gets an answer of its own.
func TestSimpleResolver(t *testing.T) {
	o := loopback(t)
	a := announce(t, Service{Type: ownType, Name: "Simple", ID: ownID("9999"), Port: 1001}, o)
	eventually(t, a.Changes(), "announced", standsAs(a, "Simple"))

	lo, err := net.InterfaceByName(o.Interfaces[0])
	if err != nil {
		t.Fatal(err)
	}
	udp, err := net.ListenUDP("udp4", nil)
	if err != nil {
		t.Fatal(err)
	}
	defer udp.Close()
	if err := ipv4.NewPacketConn(udp).SetMulticastInterface(lo); err != nil {
		t.Fatal(err)
	}
	question, err := asked("hearth-"+ownID("9999")+".local.", dns.TypeA).Pack()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := udp.WriteTo(question, group4); err != nil {
		t.Fatal(err)
	}
	if err := udp.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, longestPacket)
	n, err := udp.Read(b)
	if err != nil {
		t.Fatal(err)
	}
	answer := new(dns.Msg)
	if err := answer.Unpack(b[:n]); err != nil {
		t.Fatal(err)
	}
	if got, ok := answer.Answer[0].(*dns.A); !ok || got.A.String() != "127.0.0.1" {
		t.Errorf("got %v", answer)
	}
}

// Promise: what cannot be announced is said in a sentence, and comes right with the next Update.
func TestQuiet(t *testing.T) {
	o := loopback(t)
	good := Service{Type: ownType, Name: "Quiet", ID: ownID("ffff"), Port: 1001}
	bad := good
	bad.Port = 0
	a := announce(t, bad, o)
	eventually(t, a.Changes(), "why", func() bool { return a.Status().Quiet == "0 is not a port." })
	a.Update(good)
	eventually(t, a.Changes(), "announced", standsAs(a, "Quiet"))
	a.Update(bad)
	eventually(t, a.Changes(), "why", func() bool { return a.Status().Quiet == "0 is not a port." })

	nowhere := Options{Interfaces: []string{"hearth-none"}}
	n := announce(t, good, nowhere)
	eventually(t, n.Changes(), "why", func() bool {
		return n.Status().Quiet == "No network: none of the interfaces named (hearth-none) is up with an address."
	})
}

// Promise: a first look that finds no network says so instead of finding nothing.
func TestFindWithoutNetwork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		_, err := Find(t.Context(), ownType, time.Second, Options{Interfaces: []string{"hearth-none"}})
		if !errors.Is(err, ErrNoNetwork) {
			t.Errorf("got %v, want ErrNoNetwork", err)
		}
	})
	if _, err := Browse(t.Context(), "efema", Options{}); err == nil {
		t.Error("a type without a protocol was taken")
	}
}
