package consolehttp

import (
	"encoding/json"
	"errors"
	"net/http"
	"strconv"
)

// Refusal is the answer to a request that got nothing else.
type Refusal struct {
	Status  int    `json:"-"` // the HTTP status
	Code    string `json:"code"`
	Message string `json:"message"`
}

func (r *Refusal) Error() string { return r.Message }

// Unauthorized refuses a request that shows no owner's token, or a wrong one.
func Unauthorized() *Refusal {
	return &Refusal{
		Status: http.StatusUnauthorized, Code: "unauthorized",
		Message: "this takes the owner's token: it lies in run.json in the relay's data folder",
	}
}

// Forbidden refuses a request that cannot be the owner's, whatever it shows.
func Forbidden() *Refusal {
	return &Refusal{
		Status: http.StatusForbidden, Code: "forbidden",
		Message: "the relay's owner is heard on the relay's own machine only",
	}
}

// refuse answers with an error. That of a failure is told as it is, since only
// the owner, who can do something about it, gets as far as to see one.
func refuse(w http.ResponseWriter, err error) {
	refusal, ok := errors.AsType[*Refusal](err)
	if !ok {
		refusal = &Refusal{Status: http.StatusInternalServerError, Code: "internal", Message: err.Error()}
	}
	switch refusal.Status {
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", `Bearer realm="hearth"`)
	case http.StatusMethodNotAllowed:
		w.Header().Set("Allow", "GET, HEAD")
	}
	// Strings always encode; net/http leaves the body out of answers to HEAD.
	body, _ := json.Marshal(refusal)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(refusal.Status)
	_, _ = w.Write(body)
}
