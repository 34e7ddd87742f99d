package rules

// MarshalJSON returns the rule with everything in it, also what it was read without:
// the form in which rules are kept and shown. It implements [json.Marshaler].
func (r Rule) MarshalJSON() ([]byte, error) {
	var timeout any
	if r.Timeout != nil {
		timeout = r.Timeout.String()
	}
	return readable.append(nil, record{
		{"name", r.Name},
		{"description", r.Description},
		{"streams", streams(r.Streams)},
		{"when", r.When.canonical()},
		{"scope", record{{"fields", texts(r.Scope.Fields)}}},
		{"then", record{{"action", r.Then.Name}, {"params", r.Then.Params}}},
		{"retry", r.Retry.canonical()},
		{"ordering", r.Ordering},
		{"on_dead_letter", r.OnDeadLetter},
		{"start", r.Start},
		{"timeout", timeout},
		{"enabled", r.Enabled},
	}), nil
}

func (r Retry) canonical() record {
	return record{
		{"max_attempts", Int(int64(r.MaxAttempts))},
		{"backoff", r.Backoff.String()},
		{"multiplier", Number{fraction: true, float: r.Multiplier}},
		{"max_backoff", r.MaxBackoff.String()},
	}
}

func (w When) canonical() record {
	var dedupe, throttle any
	if d := w.Dedupe; d != nil {
		dedupe = record{{"key", texts(d.Key)}, {"within", d.Within.String()}}
	}
	if t := w.Throttle; t != nil {
		throttle = record{{"at_most", Int(int64(t.AtMost))}, {"per", t.Per.String()}}
	}
	return record{
		{"filter", w.Filter.canonical()}, {"dedupe", dedupe}, {"pattern", w.Pattern.canonical()}, {"throttle", throttle},
	}
}

func (Each) canonical() record { return record{{"kind", "each"}} }

func (p Count) canonical() record {
	return record{{"kind", "count"}, {"at_least", Int(int64(p.AtLeast))}, {"within", p.Within.String()}}
}

func (p Sequence) canonical() record {
	return record{{"kind", "sequence"}, {"steps", canonicals(p.Steps)}, {"within", p.Within.String()}}
}

func (p Absence) canonical() record {
	return record{{"kind", "absence"}, {"within", p.Within.String()}}
}

func canonicals(filters []Filter) List {
	list := make(List, len(filters))
	for i, f := range filters {
		list[i] = f.canonical()
	}
	return list
}

func texts(of []string) List {
	list := make(List, len(of))
	for i, s := range of {
		list[i] = s
	}
	return list
}

// MarshalJSON returns the schedule with everything in it, also what it was read
// without. It implements [json.Marshaler].
func (s Schedule) MarshalJSON() ([]byte, error) {
	var every, cron any
	if s.Cron != nil {
		cron = s.Cron.String()
	} else {
		every = s.Every.String()
	}
	return readable.append(nil, record{
		{"name", s.Name},
		{"every", every},
		{"cron", cron},
		{"timezone", s.Zone.String()},
		{"catch_up", s.CatchUp},
		{"max_catch_up", Int(int64(s.MaxCatchUp))},
		{"streams", streams(s.Streams)},
	}), nil
}

func streams(names []string) any {
	if names == nil {
		return nil
	}
	return texts(names)
}
