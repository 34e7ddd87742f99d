package reflex

import (
	"fmt"

	"hearth/relay/protocol"
)

const (
	// maxFilter is how many types a filter names at the most: as many as a space
	// may have schemas for.
	maxFilter = 1000

	// maxKey is the length of the longest key that is looked at, in bytes: all are
	// shorter.
	maxKey = 1 << 10
)

// DecodeHello reads the first frame of a live client. The body is changed. The
// error is a *Rejection.
func DecodeHello(body []byte) (Hello, error) {
	r, err := read(body)
	if err != nil {
		return Hello{}, err
	}
	if !r.isObject() {
		return Hello{}, r.rejection()
	}
	h := Hello{Type: helloType}
	has := false
	r.open()
	for r.more() {
		switch name := r.name(); string(name) {
		case "type":
			r.literal("type", helloType)
		case "protocol":
			has = true
			h.Protocol, _ = r.str(maxKey, "protocol")
		case "resume_after_seq":
			h.ResumeAfterSeq = new(r.position("resume_after_seq"))
		case "types":
			r.enter("types", 0)
			h.Types = r.filter()
			r.leave()
		case "from_head":
			h.FromHead = r.boolean("from_head")
		case "key":
			h.Key = r.optional("key", maxKey)
		case "resume_cursor":
			h.ResumeCursor = r.cursor("resume_cursor")
		default:
			r.unknown(name)
		}
	}
	if !has {
		r.missing("protocol")
	}
	if h.FromHead && h.ResumeAfterSeq != nil && *h.ResumeAfterSeq > 0 {
		r.fail(badValue, "who begins at the head does not resume", "from_head")
	}
	if err := r.rejection(); err != nil {
		return Hello{}, err
	}
	if h.Protocol != Protocol {
		return Hello{}, &Rejection{
			Type:    UnsupportedProtocol,
			Message: fmt.Sprintf("this relay speaks %s, not %.80q", Protocol, h.Protocol),
		}
	}
	return h, nil
}

// filter reads the types of events that somebody wants; nil if all.
func (r *reading) filter() *[]string {
	switch r.peek() {
	case 'n':
		r.value()
		return nil
	case '[':
	default:
		r.value()
		r.fail(badList, "a list or null is expected here")
		return nil
	}
	list := []string{}
	r.open()
	for r.more() {
		if len(list) == maxFilter {
			r.fail(tooManyItems, fmt.Sprintf("at most %d types are told apart", maxFilter))
			r.rest()
			break
		}
		r.enter("", len(list))
		name, ok := r.str(len(r.text))
		if ok {
			r.typeName(name)
		}
		list = append(list, name)
		r.leave()
	}
	return &list
}

// optional reads a string of up to limit bytes, or null, which is as good as an
// empty one.
func (r *reading) optional(name string, limit int) string {
	if r.peek() == 'n' {
		r.value()
		return ""
	}
	text, _ := r.str(limit, name)
	return text
}

// cursor reads a cursor in its one spelling, or null.
func (r *reading) cursor(name string) string {
	text := r.optional(name, maxKey)
	if text != "" {
		if _, err := protocol.ParseCursor(text); err != nil {
			r.fail(badValue, err.Error(), name)
		}
	}
	return text
}
