package main

import (
	"regexp"
	"strings"
	"sync"

	"github.com/invopop/jsonschema"
)

// What speaks to readers of the source only: where in the contract something is
// said, and the brackets of links.
var (
	reference = regexp.MustCompile(` \(contract[^)]*\)`)
	link      = regexp.MustCompile(`\[(\w+)\]`)
)

// goComments returns what the sources say of types and their fields. They lie
// beside the folder of the schemas, in which this program runs.
var goComments = sync.OnceValues(func() (map[string]string, error) {
	var r jsonschema.Reflector
	if err := r.AddGoComments("hearth/relay/reflex/schemas", "..", jsonschema.WithFullComment()); err != nil {
		return nil, err
	}
	for name, comment := range r.CommentMap {
		comment = reference.ReplaceAllString(comment, "")
		comment = link.ReplaceAllString(comment, "$1")
		r.CommentMap[name] = sentence(strings.Join(strings.Fields(comment), " "))
	}
	return r.CommentMap, nil
})

// sentence returns a comment at the end of a line as the sentence that it is.
func sentence(text string) string {
	if text == "" || strings.HasSuffix(text, ".") {
		return text
	}
	return strings.ToUpper(text[:1]) + text[1:] + "."
}
