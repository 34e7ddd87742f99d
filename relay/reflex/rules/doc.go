// Package rules is the core of automations: what rules are, and what they make of
// the events of a stream. It is pure: a rule, its state and an envelope give the
// next state and what fired. Time is the envelopes' own; nothing here has a clock,
// does input or output, or knows anything else of ours.
//
// The model is that of reflexr.v1. An envelope passes filter, dedupe, pattern and
// throttle, in the state of its scope: [Rule.Evaluate]. Windows are half-open: what is
// exactly their length ago is outside. What rules consist of has bounds, and so has
// what an event may cost them; whatever is beyond is an error of the rule at that event.
//
// [Parse] reads a rule from JSON, [FromYAML] turns YAML into that, and marshalling
// writes it with everything in it. [Schedule] is when ticks come, over all changes of
// clocks.
package rules
