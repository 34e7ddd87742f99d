package rules

import "time"

// Schedule says when ticks come. [ParseSchedule] reads one.
type Schedule struct {
	Name       string
	Every      Duration // between two ticks; 0 if Cron says when
	Cron       *Cron
	Zone       *time.Location // in which Cron is meant
	CatchUp    string         // CatchUpSkip or CatchUpAll
	MaxCatchUp int            // how many ticks are made up for at most
	Streams    []string       // into which the ticks go; nil is the one through which it was given
}

// What becomes of the ticks that were missed while nobody looked at the clock.
const (
	CatchUpSkip = "skip" // only the latest comes
	CatchUpAll  = "all"  // all come, MaxCatchUp at most
)

// The bounds of a schedule.
const (
	MinEvery      = Second / 10 // the shortest time between ticks: each is kept for ever
	MaxCatchUp    = 10_000
	MaxStreams    = 100
	MaxStreamName = 64
	MaxZone       = 64 // letters of the name of a time zone

	defaultCatchUp = 100
)

// ParseSchedule reads a schedule. The error is an *InvalidError.
func ParseSchedule(text []byte) (Schedule, error) {
	return parse("schedule", text, place.schedule)
}

func (p place) schedule() Schedule {
	s := Schedule{Zone: time.UTC, CatchUp: CatchUpSkip, MaxCatchUp: defaultCatchUp}
	member, ok := p.object("name", "every", "cron", "timezone", "catch_up", "max_catch_up", "streams")
	if !ok {
		return s
	}
	s.Name = member("name").name()
	every, cron := member("every"), member("cron")
	switch {
	case (every.value == nil) == (cron.value == nil):
		p.fail("every_or_cron", "it needs either every or cron")
	case every.value != nil:
		if s.Every = every.duration(); s.Every > 0 && s.Every < MinEvery {
			every.fail("duration", "it is shorter than %s", MinEvery)
		}
	default:
		s.Cron = cron.cron()
	}
	if m := member("timezone"); m.known {
		s.Zone = m.zone()
	}
	if m := member("catch_up"); m.known {
		s.CatchUp = m.oneOf(CatchUpSkip, CatchUpAll)
	}
	if m := member("max_catch_up"); m.known {
		s.MaxCatchUp = m.count(MaxCatchUp)
	}
	s.Streams = member("streams").streams()
	return s
}

func (p place) cron() *Cron {
	text := p.text(MaxExpression)
	if _, ok := p.value.(string); !ok || letters(text) > MaxExpression {
		return nil
	}
	c, err := ParseCron(text)
	if err != nil {
		p.fail("cron", "%v", err)
	}
	return c
}

// zone reads the name of a zone in the tz database.
func (p place) zone() *time.Location {
	name := p.text(MaxZone)
	zone, err := time.LoadLocation(name)
	if err != nil || name == "" || name == "Local" { // which is wherever the relay happens to be
		p.fail("timezone", "there is no such time zone: write one like Europe/Berlin")
		return time.UTC
	}
	return zone
}

// Next returns the first tick after the last one; zero if there is none any more.
func (s *Schedule) Next(last time.Time) time.Time {
	if s.Cron != nil {
		return s.Cron.Next(last, s.Zone)
	}
	return last.Add(s.Every.Time())
}

// Due returns the ticks after the last one that have come by now, oldest first, of
// those that were missed as many as are made up for.
func (s *Schedule) Due(last, now time.Time) []time.Time {
	most := 1
	if s.CatchUp == CatchUpAll {
		most = s.MaxCatchUp
	}
	if s.Cron != nil {
		return s.Cron.Last(most, last, now, s.Zone)
	}
	// What was missed may be more than anybody counts up.
	if skipped := int64(now.Sub(last)/s.Every.Time()) - int64(most); skipped > 0 {
		last = last.Add(time.Duration(skipped) * s.Every.Time())
	}
	var due []time.Time
	for t := s.Next(last); !t.IsZero() && !t.After(now); t = s.Next(t) {
		if due = append(due, t); len(due) > most {
			due = due[1:]
		}
	}
	return due
}

// TickID returns the id of a tick's event: the same however often it is published.
func TickID(schedule string, at time.Time) string {
	layout := "2006-01-02T15:04:05+00:00"
	if at.Nanosecond() >= int(time.Microsecond) {
		layout = "2006-01-02T15:04:05.000000+00:00"
	}
	return "evt_" + digest("tick\x00"+schedule+"\x00"+at.UTC().Format(layout))
}
