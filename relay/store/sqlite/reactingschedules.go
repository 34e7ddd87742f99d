package sqlite

import (
	"bytes"
	"time"

	"hearth/relay/store"
)

// fenceSchedule checks that the schedule is there, and has ticked as the reaction has
// it.
func (r *reacting) fenceSchedule(t *transaction) error {
	c := r.Schedule
	if c == nil {
		return nil
	}
	key, _, err := t.schedule(r.Space, c.Name)
	if err != nil {
		return err
	}
	if key == 0 && len(c.Spec) == 0 {
		return &store.UnknownScheduleError{Space: r.Space, Name: c.Name}
	}
	if key == 0 {
		there := 0
		_, err := bind(t.prep("SELECT count(*) FROM space p JOIN schedule s ON s.space = p.key WHERE p.name = ?")).text(r.Space).
			one(func(c *columns) { there = int(c.int()) })
		if err != nil {
			return err
		}
		if there >= store.MaxSchedules {
			return &store.TooManySchedulesError{Space: r.Space}
		}
	}
	if c.Tick.IsZero() {
		return nil
	}
	last := int64(0)
	_, err = bind(t.prep("SELECT last FROM tick WHERE schedule = ? AND stream = ?")).int(key).text(r.Name).
		one(func(c *columns) { last = c.int() })
	if err == nil && last != microseconds(c.Was) {
		return r.stale("schedule", c.Name)
	}
	return err
}

// schedule returns the key of a schedule, 0 if there is none, and what it is.
func (t *transaction) schedule(space, name string) (key int64, spec []byte, err error) {
	_, err = bind(t.prep("SELECT s.key, s.spec FROM space p JOIN schedule s ON s.space = p.key WHERE p.name = ? AND s.name = ?")).
		text(space).text(name).one(func(c *columns) { key, spec = c.int(), c.blob() })
	return key, spec, err
}

func (r *reacting) writeSchedule(t *transaction) error {
	c := r.Schedule
	if c == nil {
		return nil
	}
	key, spec, err := t.schedule(r.Space, c.Name)
	if err != nil {
		return err
	}
	switch {
	case c.Drop:
		return bind(t.prep("DELETE FROM schedule WHERE key = ?")).int(key).run()
	case len(c.Spec) == 0 || bytes.Equal(spec, c.Spec):
	case key == 0:
		space, err := t.spaceKey(r.Space)
		if err != nil {
			return err
		}
		key, err = insertSchedule(t.w.queries, space, store.Schedule{Name: c.Name, Spec: c.Spec, ChangedAt: t.now})
		if err != nil {
			return err
		}
	default:
		if err := bind(t.prep("DELETE FROM tick WHERE schedule = ?")).int(key).run(); err != nil {
			return err
		}
		if err := bind(t.prep("UPDATE schedule SET spec = ?, changed_at = ? WHERE key = ?")).blob(c.Spec).time(t.now).int(key).run(); err != nil {
			return err
		}
	}
	if c.Tick.IsZero() {
		return nil
	}
	return putTick(t.w.queries, key, r.Name, c.Tick)
}

func insertSchedule(conn *connection, space int64, s store.Schedule) (key int64, err error) {
	err = bind(conn.Prep("INSERT INTO schedule (space, name, spec, changed_at) VALUES (?, ?, ?, ?)")).
		int(space).text(s.Name).blob(s.Spec).time(s.ChangedAt).run()
	return conn.LastInsertRowID(), err
}

func putTick(conn *connection, schedule int64, stream string, at time.Time) error {
	err := bind(conn.Prep("UPDATE tick SET last = ? WHERE schedule = ? AND stream = ?")).time(at).int(schedule).text(stream).run()
	if err != nil || conn.Changes() > 0 {
		return err
	}
	return bind(conn.Prep("INSERT INTO tick (last, schedule, stream) VALUES (?, ?, ?)")).time(at).int(schedule).text(stream).run()
}
