package reflex

import "fmt"

// publishType is the name of the command that publishes.
const publishType = "publish"

// MaxEvents is how many events are published at once at the most: what a body
// has room for if they are small, but not of empty ones.
const MaxEvents = 100_000

// DecodePublication reads what POST events takes: {"event":…,"id"?},
// {"events":[{"event":…,"id"?}…],"correlation_id"?} or an event as such, which is
// told by its type. The body is changed, and the publication shares its memory.
// The error is a *Rejection.
func DecodePublication(body []byte) (Publication, error) {
	r, err := read(body)
	if err != nil {
		return Publication{}, err
	}
	if !r.isObject() {
		return Publication{}, r.rejection()
	}
	isBare, isMany := r.form()
	var p Publication
	switch {
	case isBare:
		p = Publication{Events: []NewEvent{{Event: r.event()}}, form: bare}
	case isMany:
		p = r.events()
	default:
		p = Publication{Events: []NewEvent{r.newEvent()}, form: single}
	}
	return p, r.rejection()
}

// form looks whether the object that is next is an event as such, or many.
func (r *reading) form() (isBare, isMany bool) {
	defer func(at int) { r.at = at }(r.at)
	r.open()
	for r.more() {
		switch name := r.name(); string(name) {
		case "type":
			if r.peek() == '"' {
				return true, false
			}
		case "events":
			isMany = true
		}
		r.value()
	}
	return false, isMany
}

// events reads many events with what concerns all of them.
func (r *reading) events() (p Publication) {
	r.open()
	for r.more() {
		switch name := r.name(); string(name) {
		case "events":
			r.enter("events", 0)
			p.Events = r.eventList()
			r.leave()
		case "correlation_id":
			p.CorrelationID = r.id("correlation_id")
		default:
			r.unknown(name)
		}
	}
	return p
}

// eventList reads a list of events.
func (r *reading) eventList() []NewEvent {
	if r.peek() != '[' {
		r.value()
		r.fail(badList, "a list is expected here")
		return nil
	}
	list := []NewEvent{}
	r.open()
	for r.more() {
		if len(list) == MaxEvents {
			r.fail(tooManyItems, fmt.Sprintf("at most %d events are published at once", MaxEvents))
			r.rest()
			break
		}
		r.enter("", len(list))
		var e NewEvent
		if r.isObject() {
			e = r.newEvent()
		}
		list = append(list, e)
		r.leave()
	}
	return list
}

// newEvent reads an event with its id.
func (r *reading) newEvent() (e NewEvent) {
	has := false
	r.open()
	for r.more() {
		switch name := r.name(); string(name) {
		case "event":
			has = true
			r.enter("event", 0)
			e.Event = r.event()
			r.leave()
		case "id":
			e.ID = r.id("id")
		default:
			r.unknown(name)
		}
	}
	if !has {
		r.missing("event")
	}
	return e
}

// publishCommand reads a command that publishes.
func (r *reading) publishCommand() PublishCommand {
	c := PublishCommand{Type: publishType}
	has := false
	r.open()
	for r.more() {
		switch name := r.name(); string(name) {
		case "type":
			r.value() // known
		case "event":
			has = true
			r.enter("event", 0)
			c.Event = r.event()
			r.leave()
		case "id":
			c.ID = r.id("id")
		case "correlation_id":
			c.CorrelationID = r.id("correlation_id")
		default:
			r.unknown(name)
		}
	}
	if !has {
		r.missing("event")
	}
	return c
}

// event reads an event.
func (r *reading) event() Event {
	if !r.isObject() {
		return Event{}
	}
	object, kind, deep := r.compact()
	switch {
	case deep != nil:
		r.fail(badDepth, tooDeep, deep...)
	case kind == nil:
		r.missing("type")
	case kind[0] != '"':
		r.fail(badString, "a string is expected here", "type")
	default:
		name := string(unquoted(kind))
		r.typeName(name, "type")
		return Event{Type: name, JSON: object}
	}
	return Event{}
}
