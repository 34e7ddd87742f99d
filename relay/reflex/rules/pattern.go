package rules

import (
	"fmt"
	"regexp"
	"regexp/syntax"
)

const (
	// maxProgram is how many instructions a regular expression may become. x{1000}
	// is a thousand, from seven letters; what people write to find something is a
	// few dozen.
	maxProgram = 1000

	// maxSearch is how much all searches of a rule at one event may cost: letters of
	// texts times instructions of expressions, which is what RE2 promises to need at
	// most. It is some tenths of a second. A text is what others send, so that its
	// size is not the rule's to choose.
	maxSearch = 1 << 24
)

// pattern is a regular expression of RE2 whose cost is known.
type pattern struct {
	expression *regexp.Regexp
	size       int // in instructions
}

// compilePattern reads a regular expression. The error is a sentence for who wrote
// it.
func compilePattern(text string) (*pattern, error) {
	tree, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return nil, fmt.Errorf("it is no regular expression as RE2 has it: %w", err)
	}
	size := instructions(tree)
	if size > maxProgram {
		return nil, fmt.Errorf("it is too large: what repeats counts as often as it may, which makes %d, and %d are allowed", size, maxProgram)
	}
	expression, err := regexp.Compile(text)
	return &pattern{expression, size}, err
}

// instructions returns about how many instructions an expression becomes, without
// making them.
func instructions(e *syntax.Regexp) int {
	n := 1 + len(e.Rune)
	if e.Op == syntax.OpCharClass {
		n = 1
	}
	for _, part := range e.Sub {
		n += instructions(part)
	}
	if e.Op == syntax.OpRepeat {
		n *= max(1, e.Min, e.Max)
	}
	return n
}

// cost returns what it costs to search a text.
func (p *pattern) cost(text string) int { return (len(text) + 1) * p.size }

// find says whether the expression is found in a text, and adds what that costs to
// what is spent. The error is a *tooLongError.
func (p *pattern) find(text string, spent *int) (bool, error) {
	if *spent += p.cost(text); *spent > maxSearch {
		return false, &tooLongError{len(text), maxSearch / p.size}
	}
	return p.expression.MatchString(text), nil
}

// tooLongError says that a text is not searched, for it is too long.
type tooLongError struct {
	size, most int
}

func (e *tooLongError) Error() string {
	return fmt.Sprintf("a text of %d bytes is too long to be searched: for this regular expression it may have %d, "+
		"and less behind other searches of the rule", e.size, e.most)
}
