package reflex

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

const (
	// baseSteps is how many steps the check of any event may take: fifty times
	// what a schema takes that says something of a hundred members, and well below
	// a tenth of a second.
	baseSteps = 100_000

	// maxSteps is how many steps the check of the largest event may take, and that
	// of all events that are published at once: a few seconds. Each byte of an event
	// allows for one, of which there may be as many again.
	maxSteps = 4_000_000

	// maxPattern is the length of the longest pattern, in bytes.
	maxPattern = 1 << 10

	// maxPatterns is how many instructions all patterns of a schema come to at the
	// most, some MB: repeated groups make many of few characters.
	maxPatterns = 50_000

	// stepSize is how many instructions times characters of a pattern's work count
	// as a step.
	stepSize = 128
)

// errTooMuch says that the check of an event takes too long.
var errTooMuch = errors.New("this event would take too long to check: the schema of its type asks too much of events like it")

// meter counts the steps that the check of an event takes, and ends it when they
// are too many. Schemas are small, but they can refer to themselves, so that one
// of a few lines may ask for more steps than anybody has time for.
type meter struct {
	left     int
	patterns map[string]*pattern
	size     int // of all patterns
}

func newMeter() *meter { return &meter{patterns: make(map[string]*pattern)} }

// errTooMany says that the check of many events takes too long.
var errTooMany = errors.New("these events would take too long to check together: publish fewer of them at once")

// allowed returns how many steps the check of an event of so many bytes may take.
func allowed(size int) int { return min(baseSteps+size, maxSteps) }

// start allows for the check of an event of so many bytes.
func (m *meter) start(size int) { m.left = allowed(size) }

// taken returns how many steps were taken since.
func (m *meter) taken(size int) int { return allowed(size) - m.left }

// spent says whether the check was ended.
func (m *meter) spent() bool { return m.left < 0 }

// take counts steps. The error says that there were too many.
func (m *meter) take(steps int) error {
	if m.left >= 0 {
		m.left -= steps
	}
	if m.spent() {
		return errTooMuch
	}
	return nil
}

// count makes a schema count its steps whenever it is applied to a value: before
// it goes on to others, which is when its format is looked at.
func (m *meter) count(s *jsonschema.Schema) {
	own := 1 + len(s.Required)
	if s.Enum != nil {
		own += len(s.Enum.Values)
	}
	for _, names := range s.DependentRequired {
		own += len(names)
	}
	s.Format = &jsonschema.Format{Name: "steps", Validate: func(v any) error {
		steps := own
		switch v := v.(type) {
		case map[string]any:
			steps += len(v)
		case []any:
			steps += len(v)
		}
		return m.take(steps)
	}}
}

// pattern is a regular expression that counts its steps.
type pattern struct {
	*regexp.Regexp
	meter *meter
	size  int // in instructions
}

// compile returns a pattern, the same one for the same text. They are Go's (RE2), which take no more time than the
// text and the pattern are long. The error says why it is none.
func (m *meter) compile(text string) (jsonschema.Regexp, error) {
	if known, ok := m.patterns[text]; ok {
		return known, nil
	}
	if len(text) > maxPattern {
		return nil, fmt.Errorf("a pattern has at most %d bytes", maxPattern)
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf("patterns are those of RE2, which this one is not: %w", err)
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return nil, fmt.Errorf("patterns are those of RE2, which this one is not: %w", err)
	}
	if m.size += len(program.Inst); m.size > maxPatterns {
		return nil, errors.New("its patterns are too large, once what they repeat is written out")
	}
	compiled, err := regexp.Compile(text)
	if err != nil {
		return nil, fmt.Errorf("patterns are those of RE2, which this one is not: %w", err)
	}
	p := &pattern{Regexp: compiled, meter: m, size: len(program.Inst)}
	m.patterns[text] = p
	return p, nil
}

// MatchString says whether the pattern matches a text, or false if there were too
// many steps already.
func (p *pattern) MatchString(text string) bool {
	return p.meter.take(1+len(text)*p.size/stepSize) == nil && p.Regexp.MatchString(text)
}
