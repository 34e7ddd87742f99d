package reflex

import (
	"context"
	"encoding/json"
	"fmt"

	"hearth/relay/store"
)

// Do runs a command, or finds out what became of it when it ran before: a
// command_id of a space, an actor and a stream is run once, whatever else the
// frame says and however often and from wherever it comes. Refusals are
// remembered too, but those that pass by themselves.
//
// Nobody needs to look first whether a command ran before: where it is refused
// Settle finds that out, and where it is not, the store does.
func (s *Service) Do(ctx context.Context, c Caller, stream string, f Frame) CommandResult {
	if err := checkStream(stream); err != nil {
		return Refused(f.CommandID, Reject(err))
	}
	command := store.Command{Space: c.Space, Actor: c.Actor.Participant(), Stream: stream, ID: f.CommandID}
	outcome, earlier, err := s.run(ctx, c, command, f.Command)
	if err != nil {
		r := Reject(err)
		if !r.Type.lasts() {
			return Refused(f.CommandID, r)
		}
		if earlier, err = s.store.Settle(ctx, command, rejected(r)); err != nil {
			return Refused(f.CommandID, Reject(err))
		}
	}
	if earlier != nil {
		return remembered(f.CommandID, earlier)
	}
	return CommandResult{Type: resultType, CommandID: &f.CommandID, OK: true, Outcome: outcome}
}

// run runs a command. It returns its outcome, or its result if it ran before.
func (s *Service) run(ctx context.Context, c Caller, command store.Command, what any) (outcome, earlier []byte, err error) {
	publish, ok := what.(PublishCommand)
	if !ok {
		return nil, nil, fmt.Errorf("a command of the type %T", what)
	}
	p := Publication{Events: []NewEvent{publish.NewEvent}, CorrelationID: publish.CorrelationID, form: commanded}
	done, err := s.publish(ctx, c, command.Stream, p, &command)
	if err != nil || done.Earlier != nil {
		return nil, done.Earlier, err
	}
	return done.Events[0].Outcome(), nil, nil
}

// Refused returns the result of a command that was not run. The id is empty if it
// could not be read.
func Refused(id string, r *Rejection) CommandResult {
	result := CommandResult{Type: resultType, Rejection: r}
	if id != "" {
		result.CommandID = &id
	}
	return result
}

// memory is a result as it is remembered: one or the other.
type memory struct {
	Outcome   json.RawMessage `json:"outcome,omitempty"`
	Rejection *Rejection      `json:"rejection,omitempty"`
}

// rejected returns a rejection as it is remembered. If it says too much for that,
// it says less: the first answer is to be the same as the later ones.
func rejected(r *Rejection) []byte {
	for {
		result, _ := json.Marshal(memory{Rejection: r}) // nothing in it can fail
		if len(result) <= store.MaxResult || len(r.Errors) == 0 {
			return result
		}
		less := *r
		less.Errors = r.Errors[:len(r.Errors)/2]
		r = &less
	}
}

// remembered returns the result of a command as it was remembered.
func remembered(id string, result []byte) CommandResult {
	var m memory
	if err := json.Unmarshal(result, &m); err != nil || m.Outcome == nil && m.Rejection == nil {
		return Refused(id, Reject(fmt.Errorf("the result of the command %.80q: %.80q", id, result)))
	}
	return CommandResult{
		Type: resultType, CommandID: &id, OK: m.Rejection == nil, Outcome: m.Outcome, Rejection: m.Rejection,
	}
}

// lasts says whether a rejection for this reason is the command's result, rather
// than a hint to try again.
func (t RejectionType) lasts() bool {
	switch t {
	case NotFound, InvalidState, ValidationFailed, Forbidden, DepthExceeded, TooLarge:
		return true
	}
	return false
}
