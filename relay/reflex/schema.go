package reflex

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"
)

const (
	// MaxSchema is the largest schema of a type, in bytes: some thousand lines.
	MaxSchema = 64 << 10

	// dialect is the only kind of schemas that are taken.
	dialect = "https://json-schema.org/draft/2020-12/schema"

	// schemaURL is what a schema is called while it is compiled. Nobody sees it.
	schemaURL = "urn:hearth:type"
)

// english words what validation says.
var english = message.NewPrinter(language.English)

// schema is what events of a type have to be like. Its methods may be called from
// any goroutine; one event is checked at a time.
type schema struct {
	mu       sync.Mutex
	compiled *jsonschema.Schema
	meter    *meter
}

// newSchema compiles a schema. The error is a *Rejection.
func newSchema(text []byte) (*schema, error) {
	doc, err := schemaDocument(text)
	if err != nil {
		return nil, err
	}
	m := newMeter()
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	c.UseLoader(noLoader{})
	c.UseRegexpEngine(m.compile)
	if err := c.AddResource(schemaURL, doc); err != nil {
		return nil, badSchema(err)
	}
	compiled, err := c.Compile(schemaURL)
	if err != nil {
		return nil, badSchema(err)
	}
	if err := m.meterAll(compiled); err != nil {
		return nil, badSchema(err)
	}
	return &schema{compiled: compiled, meter: m}, nil
}

// schemaDocument reads a schema's text as strictly as events are.
func schemaDocument(text []byte) (any, error) {
	if len(text) > MaxSchema {
		return nil, &Rejection{
			Type: TooLarge, Limit: MaxSchema,
			Message: fmt.Sprintf("a schema of %d bytes is longer than %d", len(text), MaxSchema),
		}
	}
	text = bytes.Clone(text)
	r, err := read(text)
	if err != nil {
		return nil, err
	}
	if r.peek() != '{' {
		return nil, badSchema(errors.New("a schema is an object"))
	}
	if nestsDeeper(text, maxDepth) {
		return nil, badSchema(fmt.Errorf("a schema nests at most %d levels deep", maxDepth))
	}
	doc, err := document(text)
	if err != nil {
		return nil, badSchema(err)
	}
	if named, ok := doc.(map[string]any)["$schema"]; ok && named != dialect && named != dialect+"#" {
		return nil, badSchema(fmt.Errorf("only schemas of the draft 2020-12 are taken: %s", dialect))
	}
	for _, part := range doc.(map[string]any) {
		if hasID(part) {
			return nil, badSchema(errors.New("only a schema as a whole has an $id: what is in it cannot be another one"))
		}
	}
	return doc, nil
}

// hasID says whether a schema of its own is in a part of one. Where $dynamicRef
// leads could not be known before an event comes, were there several.
func hasID(v any) bool {
	switch v := v.(type) {
	case []any:
		return slices.ContainsFunc(v, hasID)
	case map[string]any:
		if _, ok := v["$id"].(string); ok {
			return true
		}
		for _, part := range v {
			if hasID(part) {
				return true
			}
		}
	}
	return false
}

// nestsDeeper says whether sound JSON nests deeper than so many levels.
func nestsDeeper(text []byte, levels int) bool {
	depth := 0
	for at := 0; at < len(text); {
		switch text[at] {
		case '"':
			at = stringEnd(text, at)
			continue
		case '{', '[':
			if depth++; depth > levels {
				return true
			}
		case '}', ']':
			depth--
		}
		at++
	}
	return false
}

// noLoader is the loader of schemas from elsewhere: there are none.
type noLoader struct{}

var errRemote = errors.New("a schema refers only to itself: put what it needs into its $defs")

func (noLoader) Load(string) (any, error) { return nil, errRemote }

// badSchema returns the rejection of a schema.
func badSchema(err error) *Rejection {
	if e, ok := errors.AsType[*jsonschema.SchemaValidationError](err); ok {
		if v, ok := errors.AsType[*jsonschema.ValidationError](e.Err); ok {
			errs := fieldErrors(nil, v)
			return invalid("this is no JSON Schema: "+errs[0].Error(), errs...)
		}
	}
	text := err.Error()
	switch e := err.(type) { //nolint:errorlint // The compiler wraps nothing.
	case *jsonschema.LoadURLError:
		text = errRemote.Error()
	case *jsonschema.InvalidRegexError:
		text = fmt.Sprintf("the pattern %q: %v", shortened(e.Regex), e.Err)
	}
	text = strings.ReplaceAll(text, schemaURL, "")
	return invalid("this is no JSON Schema: "+text, fieldError(text, badValue))
}

// check checks an event and returns what is wrong with it; nothing if it is as
// the schema has it. What leads to the event is put before what leads on from there.
// It also says how many steps it took.
func (s *schema) check(event []byte, loc []string) (errs []FieldError, steps int) {
	doc, err := document(event)
	if err != nil {
		return []FieldError{fieldError(err.Error(), badNumber, loc...)}, 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.meter.start(len(event))
	err = s.compiled.Validate(doc)
	steps = s.meter.taken(len(event))
	if s.meter.spent() {
		return []FieldError{fieldError(errTooMuch.Error(), badValue, loc...)}, steps
	}
	if v, ok := errors.AsType[*jsonschema.ValidationError](err); ok {
		return fieldErrors(loc, v), steps
	}
	return nil, steps
}

// fieldErrors returns what a validation found, place by place.
func fieldErrors(loc []string, found *jsonschema.ValidationError) (errs []FieldError) {
	for e := range leaves(found) {
		at := slices.Clone(loc)
		for _, step := range e.InstanceLocation {
			at = append(at, shortened(step))
		}
		add := func(keyword, msg string, more ...string) {
			errs = append(errs, fieldError(cut(msg, maxMessage), keyword, append(slices.Clip(at), more...)...))
		}
		switch k := e.ErrorKind.(type) {
		case *kind.Required:
			for _, name := range k.Missing {
				add("required", "this member has to be there", shortened(name))
			}
		case *kind.AdditionalProperties:
			for _, name := range k.Properties {
				add("additionalProperties", "there is no such member here", shortened(name))
			}
		case *kind.Format:
			add("format", k.Err.Error()) // without the text, which may be long
		default:
			keyword := badValue
			if path := k.KeywordPath(); len(path) > 0 {
				keyword = path[len(path)-1]
			}
			add(keyword, strings.ReplaceAll(k.LocalizedString(english), schemaURL, ""))
		}
		if len(errs) >= maxErrors {
			errs = errs[:maxErrors]
			break
		}
	}
	slices.SortStableFunc(errs, func(a, b FieldError) int { return slices.Compare(a.Loc, b.Loc) }) // the validator goes through members in any order
	return errs
}

// maxMessage is how many bytes of what a validation says are repeated: it may
// quote all of a value.
const maxMessage = 300

// leaves goes through what was found wrong first: all else follows from that.
func leaves(e *jsonschema.ValidationError) iter.Seq[*jsonschema.ValidationError] {
	return func(yield func(*jsonschema.ValidationError) bool) {
		if len(e.Causes) == 0 {
			yield(e)
			return
		}
		for _, cause := range e.Causes {
			for leaf := range leaves(cause) {
				if !yield(leaf) {
					return
				}
			}
		}
	}
}
