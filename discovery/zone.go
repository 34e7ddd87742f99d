package discovery

import (
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/miekg/dns"
)

const (
	// domain is where multicast DNS names live.
	domain = "local."
	// everyType is the name under which all types of services are listed (RFC 6763, section 9).
	everyType = "_services._dns-sd._udp." + domain
	// hostTTL, in seconds, is for records that name a host or an address, otherTTL for the others (RFC 6762, section 10).
	hostTTL, otherTTL = 120, 4500
	// legacyTTL is the most that a simple resolver may be told (RFC 6762, section 6.7).
	legacyTTL = 10
	// flush marks, in the class, records that replace all earlier ones of that name and type (RFC 6762, section 10.2).
	flush = 1 << 15
	// mostText keeps a whole announcement in one packet of 1,500 bytes.
	mostText = 900
)

// kinds is a set of records of a service.
type kinds uint8

const (
	kindType  kinds = 1 << iota // everyType → the type
	kindName                    // the type → the instance
	kindWhere                   // the instance's SRV
	kindText                    // the instance's TXT
	kindHost                    // the host's addresses

	nothing    kinds = 0
	ours             = kindName | kindWhere | kindText | kindHost // what a goodbye takes back; the type may have others
	everything       = kindType | ours
)

// A zone is the names and the data of one announced service. A link's addresses complete it.
type zone struct {
	id, label           string
	typ, instance, host string // full names, spelled as the dns package reads them
	port                uint16
	txt                 []string
	at                  netip.Addr   // as in Service
	instead             []netip.Addr // of the links' own addresses
}

// addresses are what the zone says of its host on a link. Where there is none the service is not there.
func (z *zone) addresses(l link) []netip.Addr {
	if len(z.instead) > 0 {
		return z.instead
	}
	return l.addresses(z.listens)
}

// listens tells whether the service is there at an address of this machine.
func (z *zone) listens(a netip.Addr) bool {
	switch {
	case !z.at.IsValid() || z.at == netip.IPv6Unspecified():
		return true
	case z.at == netip.IPv4Unspecified():
		return a.Is4()
	default:
		return a == z.at.WithZone("")
	}
}

var (
	typeForm   = regexp.MustCompile(`^_[A-Za-z0-9](?:-?[A-Za-z0-9])*\._(?:tcp|udp)$`)
	notLetters = regexp.MustCompile(`[^a-z0-9]`)
)

// checkType refuses what is not a type of service (RFC 6335, section 5.1, and RFC 6763, section 7).
func checkType(typ string) error {
	const longest = len("_") + 15 + len("._tcp")
	if len(typ) > longest || !typeForm.MatchString(typ) {
		return fmt.Errorf("%q is not a type of service like _name._tcp", typ)
	}
	return nil
}

// mostNumbered is how many names with a number are tried. With the plain one and the last one all are tried in fewer than fifteen
// conflicts, after which each would have to wait (RFC 6762, section 8.1).
const mostNumbered = 12

// labels are the names to try, in this order, while others hold them: numbered as RFC 6762, section 9, has it, and at last one that
// is nobody else's by chance.
func (s Service) labels() []string {
	all := []string{clean(s.Name, longestLabel)}
	with := func(what string) {
		suffix := " (" + what + ")"
		all = append(all, clean(s.Name, longestLabel-len(suffix))+suffix)
	}
	for n := range mostNumbered {
		with(strconv.Itoa(n + 2))
	}
	id := notLetters.ReplaceAllString(strings.ToLower(s.ID), "")
	with(id[:min(16, len(id))])
	return all
}

// first is which of the labels to begin with.
func (s Service) first() int { return max(0, slices.Index(s.labels(), s.Instance)) }

// zone checks the service and gives it the n-th of its labels.
func (s Service) zone(n int) (*zone, error) {
	if err := checkType(s.Type); err != nil {
		return nil, err
	}
	host := HostName(s.ID)
	switch {
	case clean(s.Name, longestLabel) == "":
		return nil, errors.New("a service without a name cannot be announced")
	case host == "":
		return nil, fmt.Errorf("the id %q is too short to be unique", s.ID)
	case s.Port < 1 || s.Port > 65535:
		return nil, fmt.Errorf("%d is not a port", s.Port)
	}
	z := &zone{
		id:    s.ID,
		label: s.labels()[n],
		typ:   strings.ToLower(s.Type) + "." + domain,
		host:  host + ".",
		port:  uint16(s.Port),
		at:    s.At.Unmap(),
	}
	for _, a := range s.Addresses {
		if a = a.Unmap().WithZone(""); !a.IsValid() || a.IsUnspecified() || a.IsMulticast() {
			return nil, fmt.Errorf("%v is not an address of a host", a)
		}
		if !slices.Contains(z.instead, a) {
			z.instead = append(z.instead, a)
		}
	}
	if len(z.instead) > mostAddresses {
		return nil, fmt.Errorf("more than %d addresses cannot be announced", mostAddresses)
	}
	z.instance = instanceName(z.label, z.typ)
	text, size := s.TXT, 0
	if pairs(escaped(text))["id"] != s.ID {
		text = append([]string{"id=" + s.ID}, text...)
	}
	for _, pair := range text {
		if size += len(pair) + 1; len(pair) > 255 || size > mostText {
			return nil, errors.New("the description is too long to be announced")
		}
	}
	z.txt = escaped(text)
	return z, nil
}

// escaped spells strings as the dns package takes them.
func escaped(txt []string) []string {
	out := make([]string, len(txt))
	for i, s := range txt {
		out[i] = strings.ReplaceAll(s, `\`, `\\`)
	}
	return out
}

// records are those of one kind, with full lifetimes.
func (z *zone) records(k kinds, addresses []netip.Addr) []dns.RR {
	head := func(name string, typ uint16, class uint16, ttl uint32) dns.RR_Header {
		return dns.RR_Header{Name: name, Rrtype: typ, Class: class, Ttl: ttl}
	}
	const shared, unique = dns.ClassINET, dns.ClassINET | flush
	switch k {
	case kindType:
		return []dns.RR{&dns.PTR{Hdr: head(everyType, dns.TypePTR, shared, otherTTL), Ptr: z.typ}}
	case kindName:
		return []dns.RR{&dns.PTR{Hdr: head(z.typ, dns.TypePTR, shared, otherTTL), Ptr: z.instance}}
	case kindWhere:
		return []dns.RR{&dns.SRV{Hdr: head(z.instance, dns.TypeSRV, unique, hostTTL), Port: z.port, Target: z.host}}
	case kindText:
		return []dns.RR{&dns.TXT{Hdr: head(z.instance, dns.TypeTXT, unique, otherTTL), Txt: z.txt}}
	}
	// NSEC says which types there are, so that nobody waits for the others (RFC 6762, section 6.1).
	nsec := &dns.NSEC{Hdr: head(z.host, dns.TypeNSEC, unique, hostTTL), NextDomain: z.host}
	var all []dns.RR
	for _, a := range addresses {
		if a.Is4() {
			all = append(all, &dns.A{Hdr: head(z.host, dns.TypeA, unique, hostTTL), A: a.AsSlice()})
			nsec.TypeBitMap = append(nsec.TypeBitMap, dns.TypeA)
		} else {
			all = append(all, &dns.AAAA{Hdr: head(z.host, dns.TypeAAAA, unique, hostTTL), AAAA: a.AsSlice()})
			nsec.TypeBitMap = append(nsec.TypeBitMap, dns.TypeAAAA)
		}
	}
	slices.Sort(nsec.TypeBitMap)
	nsec.TypeBitMap = slices.Compact(nsec.TypeBitMap)
	return append(all, nsec)
}

func (z *zone) collect(want kinds, addresses []netip.Addr) (all []dns.RR) {
	for k := kindType; k <= kindHost; k <<= 1 {
		if want&k != 0 {
			all = append(all, z.records(k, addresses)...)
		}
	}
	return all
}

// response answers with the kinds wanted, and adds what a reader would ask for next (RFC 6763, section 12).
func (z *zone) response(want kinds, addresses []netip.Addr) *dns.Msg {
	var next kinds
	if want&kindName != 0 {
		next |= kindWhere | kindText | kindHost
	}
	if want&kindWhere != 0 {
		next |= kindHost
	}
	m := new(dns.Msg)
	m.Response, m.Authoritative = true, true
	m.Answer = z.collect(want, addresses)
	m.Extra = z.collect(next&^want, addresses)
	return m
}

// legacy makes a response into one for a simple resolver that asked from a port of its own (RFC 6762, section 6.7).
func legacy(m, question *dns.Msg) *dns.Msg {
	m.Id, m.Question = question.Id, question.Question
	for _, rr := range slices.Concat(m.Answer, m.Extra) {
		h := rr.Header()
		h.Class &^= flush
		h.Ttl = min(h.Ttl, legacyTTL)
	}
	return m
}

// goodbye takes records back (RFC 6762, section 10.1).
func (z *zone) goodbye(what kinds, addresses []netip.Addr) *dns.Msg {
	m := new(dns.Msg)
	m.Response, m.Authoritative = true, true
	for _, rr := range z.collect(what, addresses) {
		if _, ok := rr.(*dns.NSEC); !ok {
			rr.Header().Ttl = 0
			m.Answer = append(m.Answer, rr)
		}
	}
	return m
}

// probe asks whether anybody has the instance's or the host's name, and says what it is wanted for (RFC 6762, section 8.1).
func (z *zone) probe(addresses []netip.Addr) *dns.Msg {
	m := new(dns.Msg)
	m.Question = []dns.Question{
		{Name: z.instance, Qtype: dns.TypeANY, Qclass: dns.ClassINET},
		{Name: z.host, Qtype: dns.TypeANY, Qclass: dns.ClassINET},
	}
	for _, rr := range z.collect(kindWhere|kindText|kindHost, addresses) {
		if _, ok := rr.(*dns.NSEC); !ok {
			rr.Header().Class &^= flush
			m.Ns = append(m.Ns, rr)
		}
	}
	return m
}

// wanted is what a query asks of this zone and does not know yet (RFC 6762, section 7.1).
func (z *zone) wanted(q *dns.Msg, addresses []netip.Addr) (want kinds) {
	for _, question := range q.Question {
		if class := question.Qclass &^ flush; class != dns.ClassINET && class != dns.ClassANY {
			continue
		}
		is := func(name string, types ...uint16) bool {
			return strings.EqualFold(question.Name, name) &&
				(question.Qtype == dns.TypeANY || len(types) == 0 || slices.Contains(types, question.Qtype))
		}
		if is(everyType, dns.TypePTR) {
			want |= kindType
		}
		if is(z.typ, dns.TypePTR) {
			want |= kindName
		}
		if is(z.instance, dns.TypeSRV) {
			want |= kindWhere
		}
		if is(z.instance, dns.TypeTXT) {
			want |= kindText
		}
		if is(z.host) { // whatever the type: NSEC answers for those that there are not
			want |= kindHost
		}
	}
	if len(q.Answer) == 0 {
		return want
	}
	for k := kindType; k <= kindHost; k <<= 1 {
		unknown := func(rr dns.RR) bool { return rr.Header().Rrtype != dns.TypeNSEC && !known(rr, q.Answer) }
		if want&k != 0 && !slices.ContainsFunc(z.records(k, addresses), unknown) {
			want &^= k
		}
	}
	return want
}

// known tells whether an asker has a record for at least half of its lifetime still.
func known(rr dns.RR, answers []dns.RR) bool {
	own := dns.Copy(rr)
	own.Header().Class &^= flush
	return slices.ContainsFunc(answers, func(answer dns.RR) bool {
		return answer.Header().Ttl >= own.Header().Ttl/2 && dns.IsDuplicate(own, answer)
	})
}

// rival looks for another's TXT of the same instance name and tells that one's id, "" if it has none. By the id a service knows
// itself, on a second interface in the same network or repeated by a router.
func (z *zone) rival(rrs []dns.RR) (id string, found bool) {
	for _, rr := range rrs {
		txt, ok := rr.(*dns.TXT)
		if ok && txt.Hdr.Ttl > 0 && strings.EqualFold(txt.Hdr.Name, z.instance) {
			if id := pairs(txt.Txt)["id"]; id != z.id {
				return id, true
			}
		}
	}
	return "", false
}
