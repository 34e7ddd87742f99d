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
	Todo    string `json:"todo,omitempty"` // what the person can do about it
}

func (r *Refusal) Error() string { return r.Message }

// Hint says what the person can do about it; empty if nobody knows.
func (r *Refusal) Hint() string { return r.Todo }

// refuse answers with an error. That of a failure is told as it is, since only
// the owner, who can do something about it, gets as far as to see one.
func refuse(w http.ResponseWriter, err error) { Refuse(w, refusalOf(err)) }

func refusalOf(err error) *Refusal {
	if refusal, ok := errors.AsType[*Refusal](err); ok {
		return refusal
	}
	return &Refusal{Status: http.StatusInternalServerError, Code: "internal", Message: err.Error()}
}

// Refuse answers with a refusal.
func Refuse(w http.ResponseWriter, refusal *Refusal) {
	w.Header().Set("Cache-Control", "no-store")
	if refusal.Status == http.StatusUnauthorized {
		w.Header().Set("WWW-Authenticate", `Bearer realm="hearth"`)
	}
	// Strings always encode; net/http leaves the body out of answers to HEAD.
	body, _ := json.Marshal(refusal)
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(refusal.Status)
	_, _ = w.Write(body)
}
