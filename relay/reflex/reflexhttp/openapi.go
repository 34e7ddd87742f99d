package reflexhttp

import (
	_ "embed"
	"net/http"

	"hearth/relay/reflex"
)

// openAPI is the OpenAPI document of what is served here. It is made of
// [Operations], together with the schemas.
//
//go:embed openapi.json
var openAPI []byte

// document answers with the OpenAPI document.
func (x *exchange) document() error {
	_ = x.send(http.StatusOK, openAPI) // whether the client takes it makes no difference any more
	return nil
}

// Operation is what a method does on a path, for those who write clients.
type Operation struct {
	Method      string
	Path        string // below Prefix
	ID          string // for programs
	Summary     string // a line
	Description string // what else there is to know

	Parameters []Parameter
	Body       []any // one each of the types that are taken; none if there is no body
	Answer     Answer
	Refusals   []reflex.RejectionType // beside [CommonRefusals]
	Refused    any                    // one of the type that they come in, if that is not always Detail
}

// Parameter is a parameter of a path or of a query.
type Parameter struct {
	Name        string
	Path        bool // it is one of the path
	Description string
	Type        any // one of its type; a list if it may repeat
	Max         int // the largest number that it takes; 0 if any
	Default     any // what it is if it is left out; nil: nothing
}

// Answer is how a request is answered that is not refused.
type Answer struct {
	Status      int
	Description string
	Body        any // one of the type; nil if there is none
	Headers     []Header
}

// Header is a header of an answer.
type Header struct {
	Name        string
	Description string
	Always      bool
}

// CommonRefusals are the reasons for which any request may be refused.
func CommonRefusals() []reflex.RejectionType {
	return []reflex.RejectionType{
		reflex.ValidationFailed, reflex.Unauthorized, reflex.Forbidden, reflex.RateLimited, reflex.Busy, reflex.Internal,
	}
}
