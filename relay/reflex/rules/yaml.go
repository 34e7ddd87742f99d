package rules

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v3"
)

// FromYAML returns the JSON of a rule or a schedule that is written as YAML; JSON
// stays as it is. It reads what YAML 1.2 and JSON both have (its section 10.2, "JSON
// Schema"): what looks like a number is one only as JSON writes it, and reaches Parse
// letter for letter, while on, off, yes and dates are texts. What has a meaning that
// readers of YAML differ in is refused, as are aliases, of which a few lines may
// mean gigabytes. The error is a sentence that says in which line.
func FromYAML(text []byte) ([]byte, error) {
	if jsontext.Value(text).IsValid() {
		return text, nil
	}
	if len(text) > MaxRule {
		return nil, fmt.Errorf("it is larger than %d bytes", MaxRule)
	}
	// The tree of nodes, and not values, for those have lost how they were written.
	from := yaml.NewDecoder(bytes.NewReader(text))
	var document, second yaml.Node
	switch err := from.Decode(&document); {
	case errors.Is(err, io.EOF):
		return nil, errors.New("there is nothing in it")
	case err != nil:
		return nil, errors.New(strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if err := from.Decode(&second); !errors.Is(err, io.EOF) {
		return nil, errors.New("there is more in it than one document")
	}
	return appendYAML(nil, document.Content[0], 0)
}

func appendYAML(dst []byte, n *yaml.Node, depth int) ([]byte, error) {
	switch {
	case depth > maxDepth:
		return nil, misread(n, "it is nested too deeply")
	case n.Style&yaml.TaggedStyle != 0 && n.ShortTag() != "!!str":
		return nil, misread(n, "the tag %.100s is not read", n.Tag)
	}
	var err error
	switch n.Kind {
	case yaml.ScalarNode:
		return appendScalar(dst, n)
	case yaml.SequenceNode:
		dst = append(dst, '[')
		for i, element := range n.Content {
			if i > 0 {
				dst = append(dst, ',')
			}
			if dst, err = appendYAML(dst, element, depth+1); err != nil {
				return nil, err
			}
		}
		return append(dst, ']'), nil
	case yaml.MappingNode:
		dst = append(dst, '{')
		known := make(map[string]bool)
		for i := 0; i < len(n.Content); i += 2 {
			name := n.Content[i]
			switch {
			case name.Kind != yaml.ScalarNode:
				return nil, misread(name, "a name has to be a text")
			case known[name.Value]:
				return nil, misread(name, "the name %.100q comes twice", name.Value)
			case i > 0:
				dst = append(dst, ',')
			}
			known[name.Value] = true
			dst = append(quote(dst, name.Value), ':')
			if dst, err = appendYAML(dst, n.Content[i+1], depth+1); err != nil {
				return nil, err
			}
		}
		return append(dst, '}'), nil
	default:
		return nil, misread(n, "aliases are not read: write out what *%.100s stands for", n.Value)
	}
}

// jsonNumber is a number as JSON writes it (RFC 8259, section 6).
var jsonNumber = regexp.MustCompile(`\A-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?\z`)

const quoted = yaml.DoubleQuotedStyle | yaml.SingleQuotedStyle | yaml.LiteralStyle | yaml.FoldedStyle

func appendScalar(dst []byte, n *yaml.Node) ([]byte, error) {
	if n.Style&(quoted|yaml.TaggedStyle) != 0 {
		return quote(dst, n.Value), nil
	}
	switch n.Value {
	case "", "~", "null", "Null", "NULL":
		return append(dst, "null"...), nil
	case "true", "True", "TRUE":
		return append(dst, "true"...), nil
	case "false", "False", "FALSE":
		return append(dst, "false"...), nil
	}
	if jsonNumber.MatchString(n.Value) {
		return append(dst, n.Value...), nil
	}
	if tag := n.ShortTag(); tag == "!!int" || tag == "!!float" {
		return nil, misread(n, "%.100s is a number to some readers only: write it without what JSON does not know, or as a text in quotes", n.Value)
	}
	return quote(dst, n.Value), nil
}

func misread(n *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("line %d: %s", n.Line, fmt.Sprintf(format, args...))
}
