package rules

import (
	"regexp"
	"strings"
)

// The bounds of a rule. They leave room for more than people write, and none for
// one rule to take the memory or the time of all others.
const (
	// MaxRule is the largest rule, and the largest schedule, in bytes of JSON.
	MaxRule = 64 << 10

	MaxName        = 100    // letters of a rule's or an action's name, as known implementations have it
	MaxDescription = 4000   // letters: a page
	MaxField       = 256    // letters of the path of a field
	MaxFields      = 16     // of a scope or a key
	MaxTypes       = 200    // of an on
	MaxType        = 128    // letters of a type, as events may have
	MaxFilters     = 200    // in a rule, those in others counted, too
	MaxExpressions = 20     // of CEL in a rule: reading one may take a tenth of a second
	MaxSteps       = 32     // of a sequence
	MaxExpression  = 1000   // letters of a regular expression, of CEL, or of cron
	MaxMembers     = 10_000 // envelopes that a count waits for, and firings that a throttle counts: the state holds each
	MaxAttempts    = 1000   // of a run
	MaxMultiplier  = 100    // of the backoff
)

// Parse reads a rule. The error is an *InvalidError.
func Parse(text []byte) (Rule, error) {
	rule, err := parse("rule", text, place.rule)
	if err == nil {
		rule.types = rule.possible()
	}
	return rule, err
}

// parse reads what a text says.
func parse[T any](what string, text []byte, read func(place) T) (result T, err error) {
	r := new(reader)
	root := place{r: r, known: true}
	if len(text) > MaxRule {
		root.fail("too_long", "it is larger than %d bytes", MaxRule)
	} else if root.value, err = Decode(text); err != nil {
		root.fail("json", "it cannot be read as JSON: %s", strings.TrimPrefix(err.Error(), "jsontext: "))
	} else {
		root.finite()
		result = read(root)
	}
	if len(r.errors) > 0 {
		var none T
		return none, &InvalidError{What: what, Errors: r.errors}
	}
	return result, nil
}

func (p place) rule() Rule {
	rule := defaults()
	member, ok := p.object("name", "description", "streams", "when", "scope", "then", "retry", "ordering", "on_dead_letter",
		"start", "timeout", "enabled")
	if !ok {
		return rule
	}
	rule.Name = member("name").name()
	if m := member("description"); m.known {
		rule.Description = m.text(MaxDescription)
	}
	rule.Streams = member("streams").streams()
	rule.When = member("when").when()
	if m := member("scope"); m.known {
		if of, ok := m.object("fields"); ok {
			rule.Scope.Fields = of("fields").texts(0, MaxFields, MaxField)
		}
	}
	rule.Then = member("then").action()
	if m := member("retry"); m.known {
		rule.Retry = m.retry(rule.Retry)
	}
	if m := member("ordering"); m.known {
		rule.Ordering = m.oneOf(OrderScope, OrderNone)
	}
	if m := member("on_dead_letter"); m.known {
		rule.OnDeadLetter = m.oneOf(Continue, Block)
	}
	if m := member("start"); m.known {
		rule.Start = m.oneOf(StartNow, StartBeginning)
	}
	if m := member("timeout"); m.value != nil {
		rule.Timeout = new(m.duration())
	}
	if m := member("enabled"); m.known {
		rule.Enabled = m.flag()
	}
	return rule
}

// streams reads names of streams; nil if there are none.
func (p place) streams() []string {
	if p.value == nil {
		return nil
	}
	return p.texts(1, MaxStreams, MaxStreamName)
}

func (p place) when() When {
	w := When{Pattern: Each{}}
	member, ok := p.object("filter", "dedupe", "pattern", "throttle")
	if !ok {
		return w
	}
	w.Filter = member("filter").filter()
	if m := member("dedupe"); m.value != nil {
		if of, ok := m.object("key", "within"); ok {
			w.Dedupe = &Dedupe{Key: of("key").texts(1, MaxFields, MaxField), Within: of("within").duration()}
		}
	}
	if m := member("pattern"); m.known {
		w.Pattern = m.pattern()
	}
	if m := member("throttle"); m.value != nil {
		if of, ok := m.object("at_most", "per"); ok {
			w.Throttle = &Throttle{AtMost: of("at_most").count(MaxMembers), Per: of("per").duration()}
		}
	}
	return w
}

func (p place) pattern() Pattern {
	switch p.kind("each", "count", "sequence", "absence") {
	case "count":
		if of, ok := p.object("kind", "at_least", "within"); ok {
			return Count{AtLeast: of("at_least").count(MaxMembers), Within: of("within").duration()}
		}
	case "sequence":
		if of, ok := p.object("kind", "steps", "within"); ok {
			s := Sequence{Within: of("within").duration()}
			for _, step := range of("steps").list(2, MaxSteps) {
				s.Steps = append(s.Steps, step.filter())
			}
			return s
		}
	case "absence":
		if of, ok := p.object("kind", "within"); ok {
			return Absence{Within: of("within").duration()}
		}
	case "each":
		p.object("kind")
	}
	return Each{}
}

// kind reads what an object says it is; "" if that is none of the kinds.
func (p place) kind(kinds ...string) string {
	o, ok := p.value.(Object)
	if !ok {
		p.wrong("an object whose kind is one of " + strings.Join(kinds, ", "))
		return ""
	}
	v, known := o["kind"]
	before := len(p.r.errors)
	kind := p.at("kind", v, known).oneOf(kinds...)
	if len(p.r.errors) > before {
		return ""
	}
	return kind
}

func (p place) filter() Filter {
	if p.r.nodes++; p.r.nodes > MaxFilters {
		p.fail("too_long", "the rule has more than %d filters", MaxFilters)
		return All{}
	}
	switch p.kind("on", "where", "all", "any", "not", "cel") {
	case "on":
		if of, ok := p.object("kind", "types"); ok {
			return On{Types: of("types").texts(1, MaxTypes, MaxType)}
		}
	case "where":
		return p.where()
	case "all":
		return All{Of: p.filters()}
	case "any":
		return Any{Of: p.filters()}
	case "not":
		if of, ok := p.object("kind", "filter"); ok {
			return Not{Filter: of("filter").filter()}
		}
	case "cel":
		return p.cel()
	}
	return All{}
}

func (p place) filters() []Filter {
	of, ok := p.object("kind", "of")
	if !ok {
		return nil
	}
	var filters []Filter
	for _, f := range of("of").list(1, MaxFilters) {
		filters = append(filters, f.filter())
	}
	return filters
}

// FieldPattern is what the field of a filter is: names with dots between them.
const FieldPattern = `^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$`

var path = regexp.MustCompile(FieldPattern)

func (p place) where() Filter {
	of, ok := p.object("kind", "field", "op", "value")
	if !ok {
		return All{}
	}
	field := of("field")
	w := Where{Field: field.text(MaxField), Value: of("value").value}
	if text, ok := field.value.(string); ok && !path.MatchString(text) {
		field.fail("field", "it is no field: write names of letters, digits and _, with dots between them")
	}
	w.Op = of("op").oneOf(ops...)
	switch value := of("value"); w.Op {
	case "in":
		value.list(0, MaxMembers)
	case "exists":
		value.flag()
	case "matches":
		text := value.text(MaxExpression)
		if letters(text) > MaxExpression {
			break
		}
		var err error
		if w.pattern, err = compilePattern(text); err != nil {
			value.fail("pattern", "%v", err)
		}
	}
	return w
}

func (p place) action() Action {
	a := Action{Params: Object{}}
	of, ok := p.object("action", "params")
	if !ok {
		return a
	}
	a.Name = of("action").name()
	if m := of("params"); m.known {
		if a.Params, ok = m.value.(Object); !ok {
			m.wrong("an object")
		}
	}
	return a
}

func (p place) retry(r Retry) Retry {
	of, ok := p.object("max_attempts", "backoff", "multiplier", "max_backoff")
	if !ok {
		return r
	}
	if m := of("max_attempts"); m.known {
		r.MaxAttempts = m.count(MaxAttempts)
	}
	if m := of("backoff"); m.known {
		r.Backoff = m.duration()
	}
	if m := of("max_backoff"); m.known {
		r.MaxBackoff = m.duration()
	}
	if m := of("multiplier"); m.known {
		n, ok := m.value.(Number)
		if !ok {
			m.wrong("a number")
			return r
		}
		r.Multiplier = n.Float64()
		if r.Multiplier < 1 || r.Multiplier > MaxMultiplier {
			m.fail("range", "it is not between 1 and %d", MaxMultiplier)
		}
	}
	return r
}
