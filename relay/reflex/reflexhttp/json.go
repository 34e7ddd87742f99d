package reflexhttp

import (
	"bytes"
	"encoding/json"
	"errors"
	"mime"

	"hearth/relay/guard"
	"hearth/relay/protocol"
	"hearth/relay/reflex"
)

// mediaType is that of all messages.
const mediaType = "application/json"

// maxBody is the largest body, in bytes: that of v1, so that no limit on the way
// has to be another.
const maxBody = protocol.MaxBody

// body reads the body of a request, which has to be JSON. The caller must release
// it. The errors: *reflex.Rejection and those of [guard.ReadBody].
func (x *exchange) body(limit int64) (*guard.Body, error) {
	if !isJSON(x.r.Header.Get("Content-Type")) {
		return nil, invalid("what is sent here is JSON, with the header Content-Type: "+mediaType, reflex.FieldError{
			Loc: []string{"header", "Content-Type"}, Msg: "has to be " + mediaType, Type: "media_type",
		})
	}
	return guard.ReadBody(x.w, x.r, x.handler.options.Bodies.Share(x.r), limit)
}

// invalid is the rejection of a request that is not as it has to be.
func invalid(message string, errors ...reflex.FieldError) *reflex.Rejection {
	return &reflex.Rejection{Type: reflex.ValidationFailed, Message: message, Errors: errors}
}

// isJSON says whether a media type is JSON's, whatever its case and parameters.
func isJSON(contentType string) bool {
	t, _, err := mime.ParseMediaType(contentType)
	return (err == nil || errors.Is(err, mime.ErrInvalidMediaParameter)) && t == mediaType
}

// encode returns a message in JSON that reads as it was written: <, > and & are
// nothing special outside of HTML.
func encode(message any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(message)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}
