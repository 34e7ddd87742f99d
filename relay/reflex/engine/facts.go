package engine

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"hearth/relay/reflex"
	"hearth/relay/reflex/rules"
	"hearth/relay/store"
)

// reactor is who tells what rules did.
var reactor = reflex.Actor{Kind: reflex.System, Name: "reactor"}

// The types of the facts that are told here; see [reflex.OwnEvents].
const (
	ruleFired   = "rule_fired"
	ruleErrored = "rule_errored"
	ruleReset   = "rule_reset"
	ruleDue     = "rule_due"
)

// fact returns an event of the relay's own: what it tells, in which chain and by what
// it was caused, if there are any.
func fact(stream string, actor reflex.Actor, eventType string, members any, chain string, cause *reflex.Causation) (store.Fact, error) {
	origin, err := reflex.Origin(stream, actor, cause)
	if err != nil {
		return store.Fact{}, err
	}
	text, err := plain(members)
	if err != nil {
		return store.Fact{}, fmt.Errorf("telling of %s: %w", eventType, err)
	}
	return store.Fact{Origin: origin, Chain: chain, JSON: slices.Concat([]byte(`{"type":"`+eventType+`",`), text[1:])}, nil
}

// plain returns a value in JSON, in which nothing is escaped that need not be.
func plain(v any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(v)
	return bytes.TrimSuffix(b.Bytes(), []byte("\n")), err
}

// fired tells that a rule fired.
func fired(stream, rule string, f rules.Firing) (store.Fact, error) {
	told := reflex.RuleFired{Rule: rule, Scope: f.Scope, ScopeKey: f.ScopeKey, FiringID: f.ID, Matched: f.Matched}
	return fact(stream, reactor, ruleFired, told, f.Chain, &reflex.Causation{FiringID: f.ID, RunID: f.ID, Depth: f.Depth + 1})
}

// run returns the run that a firing sets off.
func run(ref store.Ref, r *rules.Rule, f rules.Firing) (store.RuleRun, error) {
	scope, err := plain(f.Scope)
	if err != nil {
		return store.RuleRun{}, fmt.Errorf("the scope of a run: %w", err)
	}
	return store.RuleRun{
		Ref: ref, ID: f.ID, Rule: r.Name, ScopeKey: f.ScopeKey, Scope: scope, FiredSeq: f.Seq, Matched: f.Matched,
		Chain: f.Chain, Depth: f.Depth, Status: store.Pending,
		Ordered: r.Ordering == rules.OrderScope, Blocks: r.OnDeadLetter == rules.Block,
	}, nil
}

// errored tells that a rule could not be evaluated at an envelope, whose cause and
// chain it shares.
func errored(stream, rule string, e *envelope, f rules.Failure) (store.Fact, error) {
	return fact(stream, reactor, ruleErrored, reflex.RuleErrored{Rule: rule, Seq: f.Seq, Error: reasonOf(f)}, e.Chain, e.cause)
}

// reasonOf returns why a rule failed, as it is told and kept.
func reasonOf(f rules.Failure) string {
	return clipped(f.Reason, store.MaxRunText)
}

// clipped returns the beginning of a text if it is too long.
func clipped(text string, most int) string {
	return strings.ToValidUTF8(text[:min(len(text), most)], "")
}

// reset tells that a rule begins anew.
func reset(stream string, actor reflex.Actor, rule, reason string, p rules.Progress) (store.Fact, error) {
	told := reflex.RuleReset{
		Rule: rule, Generation: uint64(p.Generation), Reason: reason, FromSeq: p.Cursor, SilentThrough: p.SilentThrough,
	}
	return fact(stream, actor, ruleReset, told, "", nil)
}

// due tells that a moment has come for which a rule waits.
func due(stream, rule string, at int64) (store.Fact, error) {
	return fact(stream, reactor, ruleDue, reflex.RuleDue{Rule: rule, At: time.UnixMicro(at).UTC()}, "", nil)
}
