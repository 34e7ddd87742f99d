package reflex

import (
	"bytes"
	"strings"

	"hearth/relay/store"

	"github.com/go-json-experiment/json/jsontext"
)

const (
	// MaxCommandID is the length of the longest command_id, in bytes: as that of
	// ids of events.
	MaxCommandID = maxID

	maxID = store.MaxID
)

// Frame is a frame that carries a command, as it was read.
type Frame struct {
	CommandID string
	Command   any // a PublishCommand
}

// DecodeFrame reads a frame that carries a command. The body is changed, and the
// frame shares its memory. The error is a *Rejection; the frame then has its
// CommandID nevertheless, if that could be read.
func DecodeFrame(body []byte) (Frame, error) {
	r, err := read(body)
	if err != nil {
		return Frame{CommandID: findCommandID(body)}, err
	}
	var f Frame
	if !r.isObject() {
		return f, r.rejection()
	}
	var hasID, hasCommand bool
	r.open()
	for r.more() {
		switch name := r.name(); string(name) {
		case "type":
			r.literal("type", commandType)
		case "command_id":
			hasID = true
			f.CommandID = r.commandID()
		case "command":
			hasCommand = true
			r.enter("command", 0)
			f.Command = r.command()
			r.leave()
		default:
			r.unknown(name)
		}
	}
	if !hasID {
		r.missing("command_id")
	}
	if !hasCommand {
		r.missing("command")
	}
	if err := r.rejection(); err != nil {
		return Frame{CommandID: f.CommandID}, err
	}
	return f, nil
}

// commandID reads a command_id; empty if it is none.
func (r *reading) commandID() string {
	id, ok := r.str(MaxCommandID, "command_id")
	switch {
	case !ok:
	case id == "":
		r.fail(tooShort, "a command_id has at least one character", "command_id")
	case strings.IndexByte(id, 0) >= 0:
		r.fail(badValue, "NUL is not allowed here", "command_id")
		return ""
	}
	return id
}

// command reads a command of any type.
func (r *reading) command() any {
	if !r.isObject() {
		return nil
	}
	start := r.at
	kind, has := r.find("type")
	r.at = start
	if !has {
		r.missing("type")
		r.value()
		return nil
	}
	if kind[0] == '"' && string(unquoted(kind)) == publishType {
		return r.publishCommand()
	}
	r.fail(badLiteral, "there is no such command: only "+publishType, "type")
	r.value()
	return nil
}

// find looks for a member of the object that is next, and returns its value.
func (r *reading) find(name string) (value []byte, ok bool) {
	r.open()
	for r.more() {
		found := string(r.name()) == name
		if value := r.value(); found {
			return value, true
		}
	}
	return nil, false
}

// findCommandID looks for the command_id of a text that is no sound JSON
// farther on.
func findCommandID(body []byte) string {
	d := jsontext.NewDecoder(bytes.NewBuffer(body), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return ""
	}
	for {
		name, err := d.ReadToken()
		if err != nil || name.Kind() != '"' {
			return ""
		}
		if name.String() != "command_id" {
			if err := d.SkipValue(); err != nil {
				return ""
			}
			continue
		}
		value, err := d.ReadValue()
		if err != nil || value.Kind() != '"' {
			return ""
		}
		if id, err := jsontext.AppendUnquote(nil, value); err == nil && len(id) <= MaxCommandID && bytes.IndexByte(id, 0) < 0 {
			return string(id)
		}
		return ""
	}
}
