package rules

import (
	"errors"

	"cel.dev/cel-go/cel"
	"cel.dev/cel-go/common/ast"
	"cel.dev/cel-go/common/operators"
	"cel.dev/cel-go/common/overloads"
	"cel.dev/cel-go/common/types"
	"cel.dev/cel-go/common/types/ref"
	"cel.dev/cel-go/common/types/traits"
	"cel.dev/cel-go/interpreter"
)

// What CEL leaves without bounds gets them here. Its own limit of costs is looked at
// behind each call, which is too late for a search of many megabytes. Functions that
// make much of little, as join and replace of its extensions, are left out.

// bounds are those of one expression: the regular expressions in it, by their texts.
type bounds map[string]*pattern

const (
	// lettersPerCost is how many letters of a text cost as much as a comparison, as
	// elsewhere in CEL's measure.
	lettersPerCost = 10

	// stepsPerCost is how many steps of a search do: CEL's own reckons with the letters
	// of a regular expression, of which a few may become a thousand instructions.
	stepsPerCost = 100
)

// options bound a program.
func (b bounds) options() []cel.ProgramOption {
	return []cel.ProgramOption{
		cel.CostTracking(b),
		cel.CostLimit(maxCost),
		cel.OptimizeRegex( // as a function and as a method
			&interpreter.RegexOptimization{Function: overloads.Matches, OverloadID: overloads.Matches, RegexIndex: 1, Factory: b.search},
			&interpreter.RegexOptimization{Function: overloads.Matches, OverloadID: overloads.MatchesString, RegexIndex: 1, Factory: b.search},
		),
	}
}

// CallCost implements the interface that [cel.CostTracking] takes; nil leaves the cost
// to CEL. That takes x + x for nothing where it does not know the types before, of texts
// or lists, which doubles what there is each time.
func (b bounds) CallCost(function, _ string, args []ref.Val, result ref.Val) *uint64 {
	switch function {
	case operators.Add:
		switch result := result.(type) {
		case types.String:
			return new(1 + uint64(len(result))/lettersPerCost)
		case types.Bytes:
			return new(1 + uint64(len(result))/lettersPerCost)
		case traits.Lister:
			if size, ok := result.Size().(types.Int); ok {
				return new(1 + uint64(size))
			}
		}
	case overloads.Matches:
		in, isText := args[0].(types.String)
		text, _ := args[1].(types.String)
		if p := b[string(text)]; p != nil && isText {
			return new(1 + uint64(p.cost(string(in)))/stepsPerCost)
		}
	}
	return nil
}

// search makes a search of a call of matches, whose regular expression is made once,
// and is bounded like those of [Where].
func (b bounds) search(call interpreter.InterpretableCall, text string) (interpreter.InterpretableCall, error) {
	p, err := compilePattern(text)
	if err != nil {
		return nil, err
	}
	b[text] = p
	return interpreter.NewCall(call.ID(), call.Function(), call.OverloadID(), call.Args(), func(values ...ref.Val) ref.Val {
		in, ok := values[0].(types.String)
		if !ok {
			return types.NoSuchOverloadErr()
		}
		found, err := p.find(string(in), new(int))
		if err != nil {
			return types.WrapErr(err)
		}
		return types.Bool(found)
	}), nil
}

var errUnknownPattern = errors.New("what matches looks for has to be written down in it, not reckoned out")

// searchesForUnknown says whether a regular expression comes from somewhere else,
// perhaps from an event.
func searchesForUnknown(tree *cel.Ast) (unknown bool) {
	ast.PreOrderVisit(tree.NativeRep().Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() != ast.CallKind || e.AsCall().FunctionName() != overloads.Matches {
			return
		}
		args := e.AsCall().Args()
		unknown = unknown || len(args) == 0 || args[len(args)-1].Kind() != ast.LiteralKind
	}))
	return unknown
}
