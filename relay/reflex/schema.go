package reflex

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v6"
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
	m := &meter{patterns: maxPatterns}
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
	if err := newWalk(m).walk(compiled); err != nil {
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
	if kind, ok := doc.(map[string]any)["$schema"]; ok && kind != dialect && kind != dialect+"#" {
		return nil, badSchema(fmt.Errorf("only schemas of the draft 2020-12 are taken: %s", dialect))
	}
	return doc, nil
}

// document reads JSON, which is known to be sound, for a schema. The error says
// that a number in it is none to calculate with.
func document(text []byte) (doc any, err error) {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	if err := d.Decode(&doc); err != nil {
		return nil, fmt.Errorf("reading JSON that is sound: %w", err)
	}
	return doc, checkNumbers(doc)
}

const (
	// maxDigits is how many characters a number has at the most that a schema is
	// to check: to calculate exactly with larger ones takes long.
	maxDigits = 400

	// maxExponent is the largest exponent of such a number, either way: a little
	// past what most programs know.
	maxExponent = 400
)

// checkNumbers looks for numbers that take long to calculate with.
func checkNumbers(v any) error {
	switch v := v.(type) {
	case json.Number:
		text := string(v)
		_, exponent, _ := strings.Cut(strings.ToLower(text), "e")
		exponent = strings.TrimLeft(exponent, "+-0")
		if len(text) > maxDigits || len(exponent) > 3 || len(exponent) == 3 && exponent > fmt.Sprint(maxExponent) {
			return fmt.Errorf("the number %s is too large, too small or too exact to be checked", shortened(text))
		}
	case []any:
		for _, element := range v {
			if err := checkNumbers(element); err != nil {
				return err
			}
		}
	case map[string]any:
		for _, member := range v {
			if err := checkNumbers(member); err != nil {
				return err
			}
		}
	}
	return nil
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
func (s *schema) check(event []byte, loc []string) []FieldError {
	doc, err := document(event)
	if err != nil {
		return []FieldError{fieldError(err.Error(), badNumber, loc...)}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.meter.start(len(event))
	err = s.compiled.Validate(doc)
	if s.meter.spent() {
		return []FieldError{fieldError(errTooMuch.Error(), badValue, loc...)}
	}
	if v, ok := errors.AsType[*jsonschema.ValidationError](err); ok {
		return fieldErrors(loc, v)
	}
	return nil
}

// fieldErrors returns what a validation found, place by place.
func fieldErrors(loc []string, found *jsonschema.ValidationError) (errs []FieldError) {
	var add func(*jsonschema.ValidationError)
	add = func(e *jsonschema.ValidationError) {
		if len(errs) == maxErrors {
			return
		}
		for _, cause := range e.Causes {
			add(cause)
		}
		if len(e.Causes) > 0 {
			return
		}
		at := slices.Clone(loc)
		for _, step := range e.InstanceLocation {
			at = append(at, shortened(step))
		}
		kind := badValue
		if path := e.ErrorKind.KeywordPath(); len(path) > 0 {
			kind = path[len(path)-1]
		}
		msg := strings.ReplaceAll(e.ErrorKind.LocalizedString(english), schemaURL, "")
		errs = append(errs, fieldError(cut(msg), kind, at...))
	}
	add(found)
	slices.SortStableFunc(errs, func(a, b FieldError) int { return slices.Compare(a.Loc, b.Loc) }) // the validator goes through members in any order
	return errs
}

// maxMessage is how many bytes of what a validation says are repeated: it may
// quote all of a value.
const maxMessage = 300

func cut(msg string) string {
	if len(msg) <= maxMessage {
		return msg
	}
	return strings.ToValidUTF8(msg[:maxMessage], "") + "…"
}

// walk goes through all parts of a compiled schema.
type walk struct {
	meter *meter
	seen  map[*jsonschema.Schema]bool // false: on the way to where the walk is, in the same place of an event
}

func newWalk(m *meter) *walk { return &walk{meter: m, seen: make(map[*jsonschema.Schema]bool)} }

// walk makes a part of a schema, and what it leads to, count its steps. The error
// says that it leads to itself without going on into the event, or to another
// schema.
func (w *walk) walk(s *jsonschema.Schema) error {
	if s == nil {
		return nil
	}
	if done, ok := w.seen[s]; ok {
		if !done {
			return fmt.Errorf("%s leads back to itself", strings.TrimPrefix(s.Location, schemaURL))
		}
		return nil
	}
	if !strings.HasPrefix(s.Location, schemaURL) {
		return errRemote
	}
	w.seen[s] = false
	for _, part := range inPlace(s) {
		if err := w.walk(part); err != nil {
			return err
		}
	}
	w.seen[s] = true
	w.meter.count(s)
	for _, part := range inside(s) {
		if err := w.walk(part); err != nil {
			return err
		}
	}
	return nil
}

// inPlace returns the parts of a schema that are applied to the same value as it
// is.
func inPlace(s *jsonschema.Schema) []*jsonschema.Schema {
	parts := slices.Concat(s.AllOf, s.AnyOf, s.OneOf, slices.Collect(maps.Values(s.DependentSchemas)))
	parts = append(parts, s.Ref, s.RecursiveRef, s.Not, s.If, s.Then, s.Else)
	if s.DynamicRef != nil {
		parts = append(parts, s.DynamicRef.Ref)
	}
	return parts
}

// inside returns the parts of a schema that are applied to what is inside a value.
func inside(s *jsonschema.Schema) []*jsonschema.Schema {
	parts := slices.Concat(
		s.PrefixItems, slices.Collect(maps.Values(s.Properties)), slices.Collect(maps.Values(s.PatternProperties)))
	if more, ok := s.AdditionalProperties.(*jsonschema.Schema); ok {
		parts = append(parts, more)
	}
	return append(parts, s.PropertyNames, s.UnevaluatedProperties, s.Contains, s.Items2020, s.UnevaluatedItems, s.ContentSchema)
}
