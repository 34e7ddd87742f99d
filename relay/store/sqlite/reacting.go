package sqlite

import (
	"context"
	"strconv"

	"hearth/relay/store"

	"zombiezen.com/go/sqlite"
)

// React implements [store.Store].
func (s *Store) React(ctx context.Context, r store.Reaction) (store.Reacted, error) {
	op, err := newReacting(r)
	if err != nil {
		return store.Reacted{}, err
	}
	if err := s.writer.do(ctx, op); err != nil {
		return store.Reacted{}, err
	}
	return op.done, nil
}

// reacting is a reaction on its way. It is done in one step: what is large only waits
// for its turn.
type reacting struct {
	store.Reaction
	size    int
	command [16]byte    // the key of the command, if it is one
	facts   *publishing // nil if there are none
	done    store.Reacted
	wrote   bool // whether the last step has written it

	// What was found as it began.
	stream *stream          // nil if it is not there
	rules  map[string]int64 // the keys of those that were looked for
	cursor uint64           // of the stream, as it is afterwards
	moves  []progressMove   // of the rules
	runs   []runMove
}

func (r *reacting) ref() store.Ref { return r.Ref }

func (r *reacting) large() bool { return r.size > small }

func (r *reacting) committed() bool { return r.wrote }

func (r *reacting) step(t *transaction) (finished bool, err error) {
	r.wrote = false
	if r.large() {
		if t.room <= 0 {
			return false, nil
		}
		t.room -= r.size
	}
	r.done, r.rules, r.moves, r.runs = store.Reacted{}, make(map[string]int64), r.moves[:0], r.runs[:0]
	if r.Command != nil {
		if r.done.Earlier, err = t.recall(r.command); err != nil || r.done.Earlier != nil {
			return true, err
		}
	}
	if err := r.fence(t); err != nil {
		return false, err
	}
	if r.facts != nil {
		if _, err := r.facts.step(t); err != nil {
			return false, err
		}
		told := r.facts.outcome(r.facts.then)
		r.done.Stream, r.done.First, r.done.Last, r.done.Facts = told.Stream, told.First, told.Last, told.Events
	}
	if err := r.write(t); err != nil {
		return false, err
	}
	r.wrote = true
	if r.Command == nil {
		return true, nil
	}
	result := r.Result(r.done)
	if err := checkResult(result); err != nil {
		return false, err
	}
	return true, t.remember(r.command, result)
}

// fence reads what the reaction is based on, and refuses it if that is out of date. It
// changes nothing.
func (r *reacting) fence(t *transaction) (err error) {
	if r.stream, err = t.stream(r.Ref); err != nil {
		return err
	}
	switch s := r.stream; {
	case s == nil && r.inStream():
		return &store.NotFoundError{Ref: r.Ref}
	case s != nil && s.kind != store.Events:
		return &store.WrongKindError{Ref: r.Ref, Kind: s.kind}
	case s != nil:
		r.done.Stream = s.id
	}
	for _, check := range []func(*transaction) error{
		r.fenceRevision, r.fenceRule, r.fenceProgress, r.fenceRuns, r.fenceLetters, r.fenceSchedule,
	} {
		if err := check(t); err != nil {
			return err
		}
	}
	return nil
}

// inStream says whether the reaction changes something that only a stream can have
// that is there.
func (r *reacting) inStream() bool {
	return r.Stream != nil || len(r.Rules)+len(r.NewRuns)+len(r.Runs)+len(r.Letters)+len(r.Settled) > 0
}

// write does what is left once the facts are written.
func (r *reacting) write(t *transaction) error {
	for _, write := range []func(*transaction) error{
		r.writeRule, r.writeProgress, r.writeRuns, r.writeLetters, r.writeSchedule,
	} {
		if err := write(t); err != nil {
			return err
		}
	}
	return nil
}

// stale returns the error of a reaction that is out of date.
func (r *reacting) stale(what, name string) error {
	return &store.StaleError{Ref: r.Ref, What: what, Name: name}
}

// ruleKey returns the key of a rule of the space.
func (r *reacting) ruleKey(t *transaction, name string) (int64, error) {
	if key, ok := r.rules[name]; ok {
		return key, nil
	}
	key, found, err := t.ruleKey(r.Space, name)
	if err != nil {
		return 0, err
	}
	if !found {
		return 0, &store.UnknownRuleError{Space: r.Space, Name: name}
	}
	r.rules[name] = key
	return key, nil
}

// fenceRevision checks that the rules are those by which was evaluated.
func (r *reacting) fenceRevision(t *transaction) error {
	if r.Revision == 0 {
		return nil
	}
	var revision uint64
	_, err := bind(t.prep(findRevision)).text(r.Space).one(func(c *columns) { revision = c.uint() })
	if err == nil && revision != r.Revision {
		return r.stale("rules", "")
	}
	return err
}

// fenceLetters checks that the letters that are dealt with are there.
func (r *reacting) fenceLetters(t *transaction) error {
	for _, number := range r.Settled {
		ofRun := false
		found, err := bind(t.prep("SELECT run IS NOT NULL FROM letter WHERE number = ? AND stream = ?")).uint(number).int(r.stream.key).
			one(func(c *columns) { ofRun = c.bool() })
		switch {
		case err != nil:
			return err
		case !found:
			return &store.UnknownLetterError{Ref: r.Ref, Number: number}
		case ofRun:
			return r.stale("letter", strconv.FormatUint(number, 10))
		}
	}
	for i := range r.Letters {
		if _, err := r.ruleKey(t, r.Letters[i].Rule); err != nil {
			return err
		}
	}
	return nil
}

func (r *reacting) writeLetters(t *transaction) error {
	for _, number := range r.Settled {
		if err := bind(t.prep("DELETE FROM letter WHERE number = ?")).uint(number).run(); err != nil {
			return err
		}
	}
	for _, l := range r.Letters {
		if err := r.writeLetter(t, l); err != nil {
			return err
		}
	}
	return nil
}

func (r *reacting) writeLetter(t *transaction, l store.Letter) error {
	l.Number, l.At = 0, t.now
	return insertLetter(t.w.queries, r.stream.key, r.rules[l.Rule], l)
}

func insertLetter(conn *connection, stream, rule int64, l store.Letter) error {
	p := bind(conn.Prep("INSERT INTO letter (number, stream, rule, seq, run, error, reason, at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)"))
	if l.Number == 0 {
		p.null() // the next one
	} else {
		p.uint(l.Number)
	}
	p.int(stream).int(rule).uint(l.Seq)
	if l.RunID == "" {
		p.null()
	} else {
		p.text(l.RunID)
	}
	return p.text(l.Error).text(l.Reason).time(l.At).run()
}

// findRevision returns the revision of a space's rules, no row or 0 if it has none.
const findRevision = `SELECT coalesce((SELECT id FROM version WHERE space = p.key ORDER BY id DESC LIMIT 1), 0)
	FROM space p WHERE p.name = ?`

// prep returns a statement that is prepared once.
func (t *transaction) prep(query string) *sqlite.Stmt { return t.w.queries.Prep(query) }

// ruleKey returns the key of a rule.
func (t *transaction) ruleKey(space, name string) (key int64, found bool, err error) {
	found, err = bind(t.prep("SELECT r.key FROM space p JOIN rule r ON r.space = p.key WHERE p.name = ? AND r.name = ?")).
		text(space).text(name).one(func(c *columns) { key = c.int() })
	return key, found, err
}

// spaceKey returns the key of a space, which it makes if that is new.
func (t *transaction) spaceKey(space string) (key int64, err error) {
	return spaceKey(t.w.stmts.addSpace, t.w.queries, space, t.now.UnixMilli())
}

func spaceKey(add *sqlite.Stmt, conn *connection, space string, now int64) (key int64, err error) {
	if err := bind(add).text(space).int(now).run(); err != nil {
		return 0, err
	}
	_, err = bind(conn.Prep("SELECT key FROM space WHERE name = ?")).text(space).one(func(c *columns) { key = c.int() })
	return key, err
}
