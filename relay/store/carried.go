package store

// Carried is a part of what automations have left, as a backup has it. One of its
// fields is set. The names in JSON, here and in what it is made of, are those of
// archives.
type Carried struct {
	// Of a space.
	Rule     *Rule     `json:"rule,omitempty"`
	Schedule *Schedule `json:"schedule,omitempty"`

	// Of a stream, in this order.
	Evaluated *Evaluated       `json:"evaluated,omitempty"`
	Progress  *CarriedProgress `json:"progress,omitempty"`
	State     *CarriedState    `json:"state,omitempty"`
	Run       *RuleRun         `json:"run,omitempty"`
	Letter    *Letter          `json:"letter,omitempty"`
}

// Evaluated is how far a stream is evaluated for all rules that are in step.
type Evaluated struct {
	Cursor uint64 `json:"cursor"`
}

// CarriedProgress is how far a rule has come in a stream.
type CarriedProgress struct {
	Rule string `json:"rule"`
	Progress
}

// CarriedState is what a rule remembers in a scope.
type CarriedState struct {
	Rule string `json:"rule"`
	ScopeState
}
