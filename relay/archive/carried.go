package archive

import (
	"encoding/json"
	"time"

	"hearth/relay/protocol"
	"hearth/relay/store"

	"github.com/go-json-experiment/json/jsontext"
)

// carried reads what automations had left: of the stream whose runs came last, or of a
// space, which comes behind all streams.
func (r *Reader) carried(body []byte) (Record, error) {
	if !r.behind {
		if err := r.whole(); err != nil {
			return Record{}, err
		}
		r.behind = true
	}
	var c store.Carried
	if err := json.Unmarshal(body, &c); err != nil || r.earlier {
		return Record{}, r.damaged(err, "what rules have left cannot be read, or is where none belongs")
	}
	ofSpace := c.Rule != nil || c.Schedule != nil
	if r.spaces = r.spaces || ofSpace; r.spaces != ofSpace || !ofSpace && r.walk == nil || !r.proper(c) {
		return Record{}, r.damaged(nil, "what rules have left is not as it should be, or is where none belongs")
	}
	return Record{Carried: &c}, nil
}

// proper says whether a part of what automations left is one that can be.
func (r *Reader) proper(c store.Carried) bool {
	parts := 0
	fits := func(there, fits bool) bool {
		if there {
			parts++
		}
		return !there || fits
	}
	ok := fits(c.Rule != nil, c.Rule != nil && r.properRule(*c.Rule)) &&
		fits(c.Schedule != nil, c.Schedule != nil && properSchedule(*c.Schedule)) &&
		fits(c.Evaluated != nil, c.Evaluated != nil && c.Evaluated.Cursor <= r.stream.Head) &&
		fits(c.Progress != nil, c.Progress != nil && named(c.Progress.Rule) && c.Progress.Cursor <= r.stream.Head) &&
		fits(c.State != nil, c.State != nil && named(c.State.Rule) && scoped(c.State.Scope) && len(c.State.State) > 0 && timed(c.State.Deadline)) &&
		fits(c.Run != nil, c.Run != nil && properRun(*c.Run)) &&
		fits(c.Letter != nil, c.Letter != nil && c.Letter.Number > 0 && c.Letter.Seq > 0 && named(c.Letter.Rule) && known(c.Letter.At))
	return ok && parts == 1
}

// properRule also says whether the version follows the one before.
func (r *Reader) properRule(v store.Rule) bool {
	key := [2]string{v.Space, v.Name}
	r.versions[key]++
	return inSpace(v.Space) && named(v.Name) && v.Version == r.versions[key] && specified(v.Spec) && known(v.At)
}

func properSchedule(s store.Schedule) bool {
	for stream, at := range s.Ticks {
		if _, err := protocol.ParseName(stream); err != nil || !known(at) {
			return false
		}
	}
	return inSpace(s.Space) && named(s.Name) && specified(s.Spec) && known(s.ChangedAt)
}

func properRun(n store.RuleRun) bool {
	for i, a := range n.Attempts {
		if a.Number != i+1 || !known(a.Started) || !timed(a.Ended) {
			return false
		}
	}
	return n.Number > 0 && store.ValidID(n.ID) && named(n.Rule) && scoped(n.ScopeKey) && n.FiredSeq > 0 && n.Epoch > 0 && !n.Status.Over() &&
		len(n.Output) <= store.MaxOutput && len(n.Checkpoint) <= store.MaxCheckpoint &&
		known(n.CreatedAt) && known(n.UpdatedAt) && timed(n.NextAttemptAt)
}

func inSpace(space string) bool {
	_, err := protocol.ParseName(space)
	return err == nil
}

func named(name string) bool { return name != "" && len(name) <= store.MaxRuleName }

func scoped(scope string) bool { return scope != "" && len(scope) <= store.MaxScope }

func specified(spec []byte) bool { return len(spec) <= store.MaxSpec && jsontext.Value(spec).IsValid() }

// timed says whether a time is none, or one that can be.
func timed(t time.Time) bool { return t.IsZero() || known(t) }
