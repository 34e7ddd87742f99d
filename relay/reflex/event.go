package reflex

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Event is what somebody publishes: a JSON object with a type, and beside it
// whatever that type of event has.
type Event struct {
	Type string

	// JSON is the whole object without blanks, type first. Numbers and all
	// strings but the type's own are as they were written.
	JSON []byte
}

// MarshalJSON returns the event's JSON.
func (e Event) MarshalJSON() ([]byte, error) {
	if len(e.JSON) == 0 {
		return nil, errors.New("an event without JSON")
	}
	return e.JSON, nil
}

// UnmarshalJSON reads an event as the relay serves it.
func (e *Event) UnmarshalJSON(data []byte) error {
	var head struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(data, &head); err != nil {
		return fmt.Errorf("an event: %w", err)
	}
	*e = Event{Type: head.Type, JSON: append([]byte(nil), data...)}
	return nil
}
