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

// joining reckons with what CEL takes for nothing where it does not know the types
// before: x + x of texts or lists, which doubles what there is each time.
type joining struct{}

// lettersPerCost is how many letters of a text cost as much as a comparison, as
// elsewhere in CEL's measure.
const lettersPerCost = 10

// CallCost implements the interface that [cel.CostTracking] takes.
func (joining) CallCost(function, _ string, _ []ref.Val, result ref.Val) *uint64 {
	if function != operators.Add {
		return nil
	}
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
	return nil
}

// searches are the calls of matches, as a function and as a method. Their regular
// expressions are made once, and bounded like those of [Where].
var searches = []*interpreter.RegexOptimization{
	{Function: overloads.Matches, OverloadID: overloads.Matches, RegexIndex: 1, Factory: search},
	{Function: overloads.Matches, OverloadID: overloads.MatchesString, RegexIndex: 1, Factory: search},
}

func search(call interpreter.InterpretableCall, text string) (interpreter.InterpretableCall, error) {
	p, err := compilePattern(text)
	if err != nil {
		return nil, err
	}
	return interpreter.NewCall(call.ID(), call.Function(), call.OverloadID(), call.Args(), func(values ...ref.Val) ref.Val {
		in, ok := values[0].(types.String)
		if !ok {
			return types.NoSuchOverloadErr()
		}
		found, err := p.find(string(in))
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
