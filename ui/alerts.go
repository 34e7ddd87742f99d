package ui

import "hearth/relay/console"

// alert is something that needs a person, who may be looking elsewhere.
type alert struct {
	key   string // the same for the same matter
	title string
	text  string
}

// Codes of refusals that are the relay's own trouble, not the client's.
const (
	codeInternal    = "internal"
	codeStorageFull = "storage_full"
)

// alertsOf says what needs a person now.
func alertsOf(o console.Overview, refusals []console.Refusal) []alert {
	var found []alert
	if o.Problem != "" {
		found = append(found, alert{"problem", "Hearth needs you", o.Problem})
	}
	for _, d := range o.Damaged[:min(len(o.Damaged), damagedMost)] {
		found = append(found, streamAlert(d.Name, d.Reason))
	}
	if o.BackupFailed != "" {
		found = append(found, alert{"backup", "Hearth made no new backup", sentence(o.BackupFailed)})
	}
	for _, r := range refusals {
		switch {
		case r.Code == codeStorageFull && o.Problem == "":
			found = append(found, alert{r.Code, "Hearth has no room left", console.Explain(r).Todo})
		case r.Code == codeInternal && r.Stream != "":
			found = append(found, streamAlert(r.Stream, r.Message))
		}
	}
	return found
}

// streamAlert is about a stream that cannot go on, whether that was noticed by a
// check or by a client.
func streamAlert(stream, why string) alert {
	return alert{codeInternal + " " + stream, "The stream " + abridged(stream, nameMost) + " needs you", sentence(why)}
}

// alerts remembers what was told, so that nothing is told twice unless it was
// well in between.
type alerts struct{ told map[string]bool }

// fresh returns those of the alerts that are to be told.
func (a *alerts) fresh(now []alert) []alert {
	told := make(map[string]bool, len(now))
	var fresh []alert
	for _, alert := range now {
		if !a.told[alert.key] && !told[alert.key] {
			fresh = append(fresh, alert)
		}
		told[alert.key] = true
	}
	a.told = told
	return fresh
}
