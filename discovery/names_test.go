package discovery

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/miekg/dns"
	"pgregory.net/rapid"
)

// Promise: any name for people survives the way through a message: no escapes are ever shown.
func TestInstanceNameRoundTrip(t *testing.T) {
	const typ = testType + "." + domain
	rapid.Check(t, func(t *rapid.T) {
		label := clean(rapid.String().Draw(t, "label"), longestLabel)
		if label == "" {
			t.Skip("nothing to name")
		}
		name := instanceName(label, typ)
		sent := &dns.Msg{Answer: []dns.RR{&dns.PTR{Hdr: dns.RR_Header{Name: typ, Rrtype: dns.TypePTR, Class: dns.ClassINET}, Ptr: name}}}
		got := overTheWire(t, sent).Answer[0].(*dns.PTR).Ptr
		if got != name {
			t.Fatalf("sent %q, arrived %q", name, got)
		}
		if back, ok := instanceLabel(got, typ); !ok || back != label {
			t.Fatalf("%q became %q (%v)", label, back, ok)
		}
	})
}

// Promise: TXT pairs arrive as they were given, whatever text is in them.
func TestPairsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.StringMatching(`[a-z]{1,9}`).Draw(t, "key")
		value := rapid.StringN(0, 50, 200).Draw(t, "value")
		txt := &dns.TXT{Hdr: dns.RR_Header{Name: domain, Rrtype: dns.TypeTXT, Class: dns.ClassINET}, Txt: escaped([]string{key + "=" + value})}
		got := pairs(overTheWire(t, &dns.Msg{Answer: []dns.RR{txt}}).Answer[0].(*dns.TXT).Txt)
		if d := cmp.Diff(map[string]string{key: strings.ToValidUTF8(value, "")}, got); d != "" {
			t.Fatal(d)
		}
	})
}

func overTheWire(t interface{ Fatal(...any) }, m *dns.Msg) *dns.Msg {
	b, err := m.Pack()
	if err != nil {
		t.Fatal(err)
	}
	got := new(dns.Msg)
	if err := got.Unpack(b); err != nil {
		t.Fatal(err)
	}
	return got
}

// Promise: a name from the network is safe to show and fits into what DNS allows.
func TestClean(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := string(rapid.SliceOf(rapid.Byte()).Draw(t, "bytes"))
		got := clean(s, longestLabel)
		if !utf8.ValidString(got) || len(got) > longestLabel || strings.ContainsFunc(got, unicode.IsControl) || got != clean(got, longestLabel) {
			t.Fatalf("%q became %q", s, got)
		}
	})
}

// Promise: only names of one label before the type are instances of it.
func TestInstanceLabel(t *testing.T) {
	const typ = "_efema._tcp.local."
	for name, want := range map[string]string{
		`My\ Relay._efema._tcp.local.`:        "My Relay",
		`My\ Relay._EFEMA._tcp.Local.`:        "My Relay",
		`a\.b\\c\"d._efema._tcp.local.`:       `a.b\c"d`,
		`K\195\164the._efema._tcp.local.`:     "Käthe",
		`bad\255\007bytes._efema._tcp.local.`: "badbytes",
		`two.labels._efema._tcp.local.`:       "",
		`other._http._tcp.local.`:             "",
		`\007._efema._tcp.local.`:             "",
		typ:                                   "",
		".":                                   "",
		"":                                    "",
	} {
		if got, ok := instanceLabel(name, typ); got != want || ok != (want != "") {
			t.Errorf("%s: got %q, %v; want %q", name, got, ok, want)
		}
	}
}
