package rules

// Begin returns the progress of a rule that has not looked at a stream yet, and
// goes on behind a position.
func (r *Rule) Begin(behind uint64) Progress {
	return Progress{Cursor: behind, Definition: r.Definition()}
}

// Changed says whether the rule's condition is another one than that of the
// progress: its states count no longer, and it goes on behind the head.
func (r *Rule) Changed(p Progress) bool { return p.Definition != r.Definition() }

// Reset returns the progress of a rule whose condition has changed.
func (r *Rule) Reset(p Progress, head uint64) Progress {
	return Progress{Cursor: head, Generation: p.Generation + 1, Definition: r.Definition()}
}

// Rebuild returns the progress with which a rule looks once more at what follows a
// position, without firing up to the head: its states come to be what they would
// be. They count no longer when it begins.
func (r *Rule) Rebuild(p Progress, from, head uint64) Progress {
	return Progress{Cursor: from, Generation: p.Generation + 1, Definition: r.Definition(), SilentThrough: head}
}

// Refire returns the progress with which a rule looks once more at what follows a
// position, and fires anew. Its states count no longer.
func (r *Rule) Refire(p Progress, from uint64) Progress {
	return Progress{Cursor: from, Generation: p.Generation + 1, Definition: r.Definition()}
}
