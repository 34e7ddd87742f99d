package reflex

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	// maxErrors is how many mistakes a rejection names: whoever made more will come
	// again anyway.
	maxErrors = 100

	// maxLoc is how many steps lead to a mistake at the most: those into an event
	// that nests too deep, through a command or an array.
	maxLoc = maxDepth + 4

	// maxStep is how many bytes of a member's name a mistake repeats.
	maxStep = 64

	// keepDecoder is up to how many bytes of a body its decoder is used again: to
	// tell names apart it takes up to fourteen times as much memory, and keeps that.
	keepDecoder = 64 << 10
)

// The types of mistakes, as clients of this protocol know them, and one of ours
// for what most readers of JSON let pass.
const (
	badJSON      = "json_invalid"
	badMember    = "duplicate_member"
	badDepth     = "too_deep"
	badValue     = "value_error"
	badString    = "string_type"
	badNumber    = "int_type"
	badRange     = "out_of_range"
	badBool      = "bool_type"
	badObject    = "model_type"
	badList      = "list_type"
	badLiteral   = "literal_error"
	missing      = "missing"
	unknown      = "extra_forbidden"
	tooShort     = "string_too_short"
	tooLong      = "string_too_long"
	tooManyItems = "too_long"
)

// tooDeep is said of what nests deeper than an event may.
var tooDeep = fmt.Sprintf("an event nests at most %d levels deep", maxDepth)

// reading reads a message out of a JSON text and notes what is wrong with it.
type reading struct {
	scanner
	path []step
	errs []FieldError
}

// step leads from a value to one inside it.
type step struct {
	name  string // of a member
	index int    // of an element, if there is no name
}

// decoders are those that are used again.
var decoders = sync.Pool{New: func() any { return jsontext.NewDecoder(new(bytes.Buffer)) }}

// read begins to read a body, which has to be sound as a whole: one JSON value in
// UTF-8, without a name that comes twice in an object, and nothing behind it. The
// body is changed and shared by what is read of it. The error is a *Rejection.
func read(body []byte) (*reading, error) {
	d := decoders.Get().(*jsontext.Decoder)
	d.Reset(bytes.NewBuffer(body))
	defer func() {
		if len(body) <= keepDecoder {
			d.Reset(new(bytes.Buffer)) // it is not to keep the body
			decoders.Put(d)
		}
	}()
	_, err := d.ReadValue()
	if err == nil {
		if _, err = d.ReadToken(); errors.Is(err, io.EOF) {
			return &reading{scanner: scanner{text: body}}, nil
		}
		if err == nil {
			return nil, invalid("", fieldError("there is something behind the end of the message", badJSON))
		}
	}
	return nil, unsound(err)
}

// unsound returns the rejection of a text that is no JSON, or not of the strict
// kind.
func unsound(err error) *Rejection {
	e, ok := errors.AsType[*jsontext.SyntacticError](err)
	if !ok {
		return invalid("", fieldError("the message is empty", badJSON))
	}
	loc := locOf(e.JSONPointer)
	if len(loc) == maxLoc {
		return invalid("", fieldError(tooDeep, badDepth, loc...))
	}
	if errors.Is(e, jsontext.ErrDuplicateName) {
		return invalid("", fieldError("the member is there twice", badMember, loc...))
	}
	return invalid("", fieldError(fmt.Sprintf("not JSON at byte %d: %.200v", e.ByteOffset, e.Err), badJSON, loc...))
}

// locOf returns the steps of a JSON pointer.
func locOf(p jsontext.Pointer) []string {
	loc := []string{}
	for token := range p.Tokens() {
		if len(loc) == maxLoc {
			break
		}
		loc = append(loc, shortened(token))
	}
	return loc
}

// shortened returns as much of a member's name as a mistake repeats.
func shortened(name string) string { return cut(name, maxStep) }

// fail notes a mistake in the value at which the reading is, or in the member of
// it to which more leads.
func (r *reading) fail(kind, msg string, more ...string) {
	if len(r.errs) == maxErrors {
		return
	}
	loc := make([]string, 0, len(r.path)+len(more))
	for _, s := range r.path {
		if s.name == "" {
			s.name = strconv.Itoa(s.index)
		}
		loc = append(loc, s.name)
	}
	for _, name := range more {
		loc = append(loc, shortened(name))
	}
	r.errs = append(r.errs, FieldError{Loc: loc, Msg: msg, Type: kind})
}

// enter goes on to a member, or to an element if there is no name.
func (r *reading) enter(name string, index int) { r.path = append(r.path, step{name, index}) }

// leave goes back to where the last enter was.
func (r *reading) leave() { r.path = r.path[:len(r.path)-1] }

// rejection returns the rejection for what is wrong; nil if nothing is.
func (r *reading) rejection() error {
	if len(r.errs) == 0 {
		return nil
	}
	return invalid("", r.errs...)
}

// isObject says whether the next value is an object. If not it is passed over.
func (r *reading) isObject() bool {
	if r.peek() == '{' {
		return true
	}
	r.value()
	r.fail(badObject, "an object is expected here")
	return false
}

// unknown passes over a member that is none of the message's.
func (r *reading) unknown(name []byte) {
	r.fail(unknown, "there is no such member here", string(name))
	r.value()
}

// missing notes that a member is not there.
func (r *reading) missing(name string) { r.fail(missing, "this member has to be there", name) }

// str reads a string of up to limit bytes; ok says that it is one.
func (r *reading) str(limit int, loc ...string) (text string, ok bool) {
	value := r.value()
	if value[0] != '"' {
		r.fail(badString, "a string is expected here", loc...)
		return "", false
	}
	said := unquoted(value)
	if len(said) > limit {
		r.fail(tooLong, fmt.Sprintf("at most %d bytes are allowed here", limit), loc...)
		return "", false
	}
	return string(said), true
}

// id reads an id; null and the empty string are none.
func (r *reading) id(name string) string {
	if r.peek() == 'n' {
		r.value()
		return ""
	}
	text, _ := r.str(maxID, name)
	if strings.IndexByte(text, 0) >= 0 {
		r.fail(badValue, "NUL is not allowed here", name)
	}
	return text
}

// literal reads a string that can only be one.
func (r *reading) literal(name, want string) {
	if value := r.value(); value[0] != '"' || string(unquoted(value)) != want {
		r.fail(badLiteral, fmt.Sprintf("only %q is allowed here", want), name)
	}
}

// boolean reads true or false.
func (r *reading) boolean(name string) bool {
	value := r.value()
	if value[0] != 't' && value[0] != 'f' {
		r.fail(badBool, "true or false is expected here", name)
	}
	return value[0] == 't'
}

// position reads a position in a stream.
func (r *reading) position(name string) uint64 {
	n, err := strconv.ParseUint(string(r.value()), 10, 64)
	if err != nil {
		r.fail(badNumber, "a whole number from 0 on is expected here", name)
	}
	return n
}

// typeName checks the name of a type of events.
func (r *reading) typeName(name string, loc ...string) {
	switch {
	case name == "":
		r.fail(tooShort, "the type is empty", loc...)
	case len(name) > MaxTypeName:
		r.fail(tooLong, fmt.Sprintf("a type has at most %d bytes", MaxTypeName), loc...)
	case !validType(name):
		r.fail(badValue, "a type has no control characters", loc...)
	}
}
