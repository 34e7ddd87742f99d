package rules

import (
	"errors"
	"fmt"
	"sync"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/ext"
	"cel.dev/cel-go/interpreter"
)

// maxCost is how much an expression may cost for one event, in CEL's own measure,
// in which a comparison is one: some milliseconds. An event is what others send, so
// that its size is not the rule's to choose.
const maxCost = 100_000

// CEL passes events for which an expression of the Common Expression Language is
// true. It knows the variables event, type and ts. A field that is missing makes it
// false, as for [Where].
type CEL struct {
	Expression string

	program cel.Program
}

// environment is what expressions know. It is made when the first one is read.
var environment = sync.OnceValues(func() (*cel.Env, error) {
	return cel.NewEnv(
		cel.Variable("event", cel.MapType(cel.StringType, cel.DynType)),
		cel.Variable("type", cel.StringType),
		cel.Variable("ts", cel.TimestampType),
		cel.DefaultUTCTimeZone(true),
		ext.Strings(),
	)
})

func (p place) cel() Filter {
	of, ok := p.object("kind", "expression")
	if !ok {
		return All{}
	}
	m := of("expression")
	f := CEL{Expression: m.name(maxPattern)}
	if f.Expression == "" {
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
	if err := issues.Err(); err != nil {
		return nil, err
	}
	if kind := tree.OutputType(); !kind.IsEquivalentType(cel.BoolType) && !kind.IsEquivalentType(cel.DynType) {
		return nil, fmt.Errorf("it is of the type %s", kind)
	}
	return env.Program(tree, cel.CostLimit(maxCost), cel.EvalOptions(cel.OptOptimize))
}

func (f CEL) matches(e *Envelope) (bool, error) {
	if e.native == nil {
		e.native = make(map[string]any, len(e.Event))
		for name, v := range e.Event {
			e.native[name] = native(v)
		}
	}
	v, _, err := f.program.Eval(map[string]any{"event": e.native, "type": e.Type, "ts": e.Time()})
	if v == types.True {
		return true, nil
	}
	if stopped, ok := errors.AsType[interpreter.EvalCancelledError](err); ok {
		return false, stopped
	}
	return false, nil // a field is missing, or of another type
}

// native returns a value as CEL takes it: a whole number that fits as an int, any
// other one as a double.
func native(v any) any {
	switch v := v.(type) {
	case Number:
		if v.whole != nil && v.whole.IsInt64() {
			return v.whole.Int64()
		}
		f, _ := v.exact().Float64()
		return f
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

func (f CEL) canonical() Object { return Object{"kind": "cel", "expression": f.Expression} }
