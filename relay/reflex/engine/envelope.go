package engine

import (
	"encoding/json"
	"fmt"

	"hearth/relay/reflex"
	"hearth/relay/reflex/rules"
	"hearth/relay/store"
)

// envelope is an event as rules see it, and what is needed to tell of it.
type envelope struct {
	rules.Envelope
	text  []byte            // of the event
	cause *reflex.Causation // nil if it has none
}

// readEnvelope reads an envelope but for the event, which most rules never ask for. It
// shares the memory of the text.
func readEnvelope(text []byte) (*envelope, error) {
	stored, err := store.ReadEnvelope(text)
	if err != nil {
		return nil, err
	}
	e := &envelope{text: stored.Event}
	e.Seq, e.TS = stored.Seq, stored.TS.UnixMicro()
	if e.Type, err = store.Text(stored.Type); err != nil {
		return nil, fmt.Errorf("the type of the event %d: %w", e.Seq, err)
	}
	if e.Chain, err = store.Text(stored.CorrelationID); err != nil {
		return nil, fmt.Errorf("the chain of the event %d: %w", e.Seq, err)
	}
	if string(stored.Causation) == "null" {
		return e, nil
	}
	if err := json.Unmarshal(stored.Causation, &e.cause); err != nil {
		return nil, fmt.Errorf("the cause of the event %d: %w", e.Seq, err)
	}
	e.Depth = e.cause.Depth
	return e, nil
}

// open reads the event itself, if that was not done.
func (e *envelope) open() (err error) {
	if e.Event == nil {
		if e.Event, err = rules.ReadEvent(e.text); err != nil {
			return fmt.Errorf("the event %d: %w", e.Seq, err)
		}
	}
	return nil
}
