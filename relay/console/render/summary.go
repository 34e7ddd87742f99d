package render

import (
	"bytes"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	// summaryRead is how many bytes of an event are read for its summary: what tells
	// something stands in front of what is large, or is large itself.
	summaryRead = 8 << 10

	// summaryMost is how many letters a summary has: more than a row of any window
	// has room for.
	summaryMost = 240

	// summaryValue is how many letters of one value are in it, if it is not the one
	// that tells most, and summaryName how many of what that is called.
	summaryValue = 60
	summaryName  = 40
)

// telling are the members that say what an event is about, the best first. Their
// values need no name.
var telling = []string{"message", "title", "summary", "text", "subject", "description", "name", "error", "reason"}

// member is one of an event's members, as it is shown.
type member struct {
	name, value string
	plain       bool // a string, number or boolean
}

// Summary says in one line what an event is about, which is a JSON object with its
// type first: the value that tells most, and then the others that are short. What
// is no event has no summary.
func Summary(event []byte) string {
	members := membersOf(event)
	lead := -1
	for _, name := range telling {
		if lead = slices.IndexFunc(members, func(m member) bool { return m.name == name && m.plain }); lead >= 0 {
			break
		}
	}
	var parts, names, nested []string
	if lead >= 0 {
		parts = append(parts, members[lead].value)
	}
	for i, m := range members {
		switch {
		case i == lead:
		case !m.plain:
			nested = append(nested, Line(m.name, summaryName))
		case m.name == "id" || strings.HasSuffix(m.name, "_id"): // which tell machines more than people
			names = append(names, m.shown())
		default:
			parts = append(parts, m.shown())
		}
	}
	return Line(strings.Join(slices.Concat(parts, names, nested), " · "), summaryMost)
}

func (m member) shown() string { return Line(m.name, summaryName) + " " + Line(m.value, summaryValue) }

// membersOf reads the members behind the type, as far as summaryRead goes. What says
// nothing, null and empty, is left out.
func membersOf(event []byte) (members []member) {
	event = event[:min(len(event), summaryRead)]
	d := jsontext.NewDecoder(bytes.NewReader(event), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if t, err := d.ReadToken(); err != nil || t.Kind() != jsontext.KindBeginObject {
		return nil
	}
	for d.PeekKind() == jsontext.KindString {
		name, err := d.ReadToken()
		if err != nil {
			break
		}
		m := member{name: name.String()}
		if nested := d.PeekKind(); nested == jsontext.KindBeginObject || nested == jsontext.KindBeginArray {
			members = append(members, m)
			if d.SkipValue() != nil {
				break
			}
			continue
		}
		at := d.InputOffset()
		value, err := d.ReadToken()
		m.value, m.plain = value.String(), true
		if err != nil || d.InputOffset() == int64(len(event)) { // a number may have been cut, as no object ends with one
			m.value = begun(event[at:])
		}
		if value.Kind() != jsontext.KindNull && m.value != "" && m.name != "type" {
			members = append(members, m)
		}
		if err != nil {
			break
		}
	}
	return members
}

// begun is what a string says that does not end, behind the colon; of other values
// it is nothing.
func begun(rest []byte) string {
	_, rest, ok := bytes.Cut(rest, []byte(`"`))
	if !ok {
		return ""
	}
	return string(plain(rest[:len(rest)-broken(rest)]))
}
