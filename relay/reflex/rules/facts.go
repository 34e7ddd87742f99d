package rules

// isFact says whether events of a type are those by which a relay tells what became
// of rules and runs. Each says of which rule in its field rule.
func isFact(eventType string) bool {
	switch eventType {
	case "rule_fired", "rule_errored", "rule_reset", "rule_installed", "rule_archived",
		"run_started", "run_progressed", "run_retrying", "run_succeeded",
		"run_dead_lettered", "run_cancelled", "run_skipped", "run_requeued":
		return true
	}
	return false
}

// ruleDue is the type of the events that a relay appends when a moment has come for which
// a rule waits, and that do nothing but move the clocks of all rules: if one looked at
// them, its own waiting would be something that happens.
const ruleDue = "rule_due"
