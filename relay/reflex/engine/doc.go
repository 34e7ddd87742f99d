// Package engine evaluates the rules of a relay at the events of its streams, as
// they are published: what package rules makes of an envelope it reads from the log,
// and writes down.
//
// Each stream at which rules look has an evaluator, which is woken by the notifier
// and sleeps otherwise. It takes the log in batches of up to 500 events, and what
// comes of a batch lands in one transaction ([store.Automation].React): how far the
// rules are, what they remember, the runs that begin, the letters of what could not be
// evaluated, and the facts that tell of all this. So every rule sees every event just
// once, whatever is killed when. If something else has changed meanwhile, nothing
// lands, and the batch is read and decided again.
//
// # How far rules are
//
// Rules in step share one position. One that was installed later, was replayed or was
// disabled has a position of its own, is evaluated apart from the others, batch by
// batch in turns with them, and falls in step when it has come to where they are. A
// disabled rule holds where it is. A rule whose condition changed begins anew at the
// head, and so does one that was archived and comes back, or that looked away from
// the stream and looks again.
//
// A rule is in the store with the streams that it names: whoever installs one without
// any fills in the stream through which it came. It begins at the start of a stream
// that came to be after it, and otherwise where it says.
//
// # In which order things are told
//
// The facts of a batch follow the events that they are about, in their order; about
// one event, absences that were due before it come first, then rules by their names.
// Rules in step so leave the same log however large the batches are.
//
// # Time
//
// Rules know the time of the log alone. When an absence is due and no event comes,
// the evaluator appends one of the relay's own, rule_due, with the rule that is due
// first and the moment for which it was. No rule looks at it, but like any envelope it
// moves the clock of all of them, and at its position everything fires that is due by
// then. Thus what fires depends on nothing but the log, and a replay of it gives the
// same. The clock of the machine only decides when such an event is appended: no
// sooner than the moment, which is looked for again at least every half minute, for a
// machine may sleep and its clock be set. If it is set back, what the log has
// seen stays: a stream's time never falls.
//
// At one envelope at most 128 scopes of a rule fire because they are due, since what
// happens at an envelope has to land as a whole. The next envelope takes the next ones,
// and if none comes, rule_due does.
package engine
