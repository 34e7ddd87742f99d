package discovery

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/miekg/dns"
)

// longestLabel is what DNS allows one label (RFC 1035, section 2.3.4); an instance name is one label.
const longestLabel = 63

// hostPiece is how much of an id makes a host name: 32 bits of a hash, which no two machines of a home share.
const hostPiece = 8

// HostName returns the name under which the host of a service with an id is announced, without the final dot; empty if
// the id is too short to be unique.
func HostName(id string) string {
	letters := notLetters.ReplaceAllString(strings.ToLower(id), "")
	if len(letters) < hostPiece {
		return ""
	}
	return "hearth-" + letters[:hostPiece] + ".local"
}

// instanceName joins a name for people and a type into a full name, spelled as the dns package spells names that it reads
// (dots, blanks and bytes beyond ASCII escaped), so that both can be compared. The label must not be longer than longestLabel.
func instanceName(label, typ string) string {
	wire := append([]byte{byte(len(label))}, label...)
	for _, part := range dns.SplitDomainName(typ) {
		wire = append(wire, byte(len(part)))
		wire = append(wire, part...)
	}
	name, _, _ := dns.UnpackDomainName(append(wire, 0), 0) // well-formed by construction
	return name
}

// instanceLabel is the name for people in a full instance name of that type; not ok if the name is not one.
func instanceLabel(name, typ string) (label string, ok bool) {
	end, last := dns.NextLabel(name, 0)
	if last || !strings.EqualFold(name[end:], typ) {
		return "", false
	}
	label = clean(unescape(name[:end-1]), longestLabel)
	return label, label != ""
}

// unescape takes back the escapes \X and \DDD of the dns package's text form (RFC 1035, section 5.1).
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		switch {
		case s[i] != '\\' || i+1 == len(s):
			b.WriteByte(s[i])
		case i+3 < len(s) && isDigit(s[i+1]) && isDigit(s[i+2]) && isDigit(s[i+3]):
			b.WriteByte((s[i+1]-'0')*100 + (s[i+2]-'0')*10 + s[i+3] - '0')
			i += 3
		default:
			i++
			b.WriteByte(s[i])
		}
	}
	return b.String()
}

func isDigit(b byte) bool { return '0' <= b && b <= '9' }

// clean makes a name safe to show: valid UTF-8, nothing that does not print, no blanks around it, at most so many bytes.
func clean(s string, most int) string {
	s = strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return -1
		}
		return r
	}, strings.ToValidUTF8(s, ""))
	s = strings.TrimSpace(s)
	for len(s) > most {
		_, last := utf8.DecodeLastRuneInString(s)
		s = s[:len(s)-last]
	}
	return strings.TrimSpace(s)
}

// pairs reads the strings of a TXT record (RFC 6763, section 6.4), still escaped by the dns package.
func pairs(txt []string) map[string]string {
	const most = 64 // nobody announces more; a bound against those who would
	m := make(map[string]string)
	for _, s := range txt {
		key, value, _ := strings.Cut(unescape(s), "=")
		key = strings.ToLower(clean(key, longestLabel))
		if _, twice := m[key]; key == "" || twice || len(m) == most {
			continue
		}
		m[key] = strings.ToValidUTF8(value, "")
	}
	return m
}
