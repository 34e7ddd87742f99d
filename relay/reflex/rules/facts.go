package rules

// facts are the types of the events by which a relay tells what became of rules
// and runs; each says of which rule in its field rule.
var facts = map[string]bool{
	"rule_fired": true, "rule_errored": true, "rule_reset": true, "rule_installed": true, "rule_archived": true,
	"run_started": true, "run_progressed": true, "run_retrying": true, "run_succeeded": true,
	"run_dead_lettered": true, "run_cancelled": true, "run_skipped": true, "run_requeued": true,
}

func isFact(name string) bool { return facts[name] }
