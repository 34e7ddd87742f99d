package rules

import (
	"errors"
	"fmt"
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/interpreter"
)

// maxCost is how much an expression may cost for one event, in CEL's own measure, in
// which a comparison is one: some ten milliseconds. All expressions of a rule together
// may cost twice as much. An event is what others send, so that its size is not the
// rule's to choose.
const maxCost = 100_000

// CEL passes events for which an expression of the Common Expression Language is
// true. It knows the variables event, type and ts, and the standard functions. A
// field that is missing makes it false, as for [Where].
type CEL struct {
	Expression string

	program cel.Program
}

// maxExpressionDepth is how deep the parts of an expression may lie in each other.
// What a list of lists of lists holds takes its reader more than the square of their
// depth to find out: hours, at two hundred.
const maxExpressionDepth = 30

// environment is what expressions know. It is made when the first one is read.
var environment = sync.OnceValues(func() (*cel.Env, error) {
	return cel.NewEnv(
		cel.Variable("event", cel.MapType(cel.StringType, cel.DynType)),
		cel.Variable("type", cel.StringType),
		cel.Variable("ts", cel.TimestampType),
		cel.DefaultUTCTimeZone(true),
		cel.ParserRecursionLimit(maxExpressionDepth),
	)
})

func (p place) cel() Filter {
	of, ok := p.object("kind", "expression")
	if !ok {
		return All{}
	}
	if p.r.expressions++; p.r.expressions > MaxExpressions {
		p.fail("too_long", "the rule has more than %d expressions of CEL", MaxExpressions)
		return All{}
	}
	m := of("expression")
	f := CEL{Expression: m.text(MaxExpression)}
	if letters(f.Expression) > MaxExpression || m.value == nil {
		return f
	}
	var err error
	if f.program, err = compile(f.Expression); err != nil {
		m.fail("expression", "it is no expression of CEL that is true or false: %v", err)
	}
	return f
}

func compile(expression string) (cel.Program, error) {
	env, err := environment()
	if err != nil {
		return nil, err
	}
	tree, issues := env.Compile(expression)
	if issues.Err() != nil {
		first := issues.Errors()[0]
		if first.Location.Line() < 1 { // it is about all of it
			return nil, errors.New(first.Message)
		}
		return nil, fmt.Errorf("line %d, letter %d: %s", first.Location.Line(), first.Location.Column()+1, first.Message)
	}
	if kind := tree.OutputType(); !kind.IsEquivalentType(cel.BoolType) && !kind.IsEquivalentType(cel.DynType) {
		return nil, fmt.Errorf("it is of the type %s", kind)
	}
	if searchesForUnknown(tree) {
		return nil, errUnknownPattern
	}
	return env.Program(tree, append(make(bounds).options(), cel.EvalOptions(cel.OptOptimize))...)
}

func (f CEL) matches(e *Envelope) (bool, error) {
	if err := e.Event.makeNative(); err != nil {
		return false, err
	}
	if e.cost > maxCost {
		return false, errCost
	}
	v, details, err := f.program.Eval(activation{e})
	if cost := details.ActualCost(); cost != nil {
		e.cost += *cost
	}
	if v == types.True {
		return true, nil
	}
	if _, ok := errors.AsType[interpreter.EvalCancelledError](err); ok {
		return false, errCost
	}
	if long, ok := errors.AsType[*tooLongError](err); ok {
		return false, long
	}
	return false, nil // a field is missing, or of another type
}

var errCost = errors.New("the expression costs too much for this event")

// activation is an envelope as an expression sees it.
type activation struct{ *Envelope }

// ResolveName implements [cel.Activation].
func (a activation) ResolveName(name string) (any, bool) {
	switch name {
	case "event":
		return a.Event.native, true
	case "type":
		return a.Type, true
	case "ts":
		return a.Time(), true
	}
	return nil, false
}

// Parent implements [cel.Activation].
func (activation) Parent() cel.Activation { return nil }

// makeNative reads all of an event as CEL takes it, if that was not done.
func (e *Event) makeNative() error {
	if e.native != nil {
		return nil
	}
	all := make(map[string]any, len(e.members))
	values := 0
	for i := range e.members {
		m := &e.members[i]
		m.decode()
		if values += m.values; m.err == nil && values > maxValues {
			return errMany
		}
		if m.err != nil {
			return m.err
		}
		all[m.name] = native(m.value)
	}
	e.native = all
	return e.err
}

// native returns a value as CEL takes it: a whole number that fits as an int, any
// other one as a double.
func native(v any) any {
	switch v := v.(type) {
	case Number:
		if v.small() {
			return v.whole
		}
		return v.Float64()
	case List:
		list := make([]any, len(v))
		for i, element := range v {
			list[i] = native(element)
		}
		return list
	case Object:
		object := make(map[string]any, len(v))
		for name, member := range v {
			object[name] = native(member)
		}
		return object
	}
	return v
}

func (f CEL) canonical() record { return record{{"kind", "cel"}, {"expression", f.Expression}} }
