package rules

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Cron is times in the five fields of cron: minute, hour, day, month, day of the
// week. Beyond lists, ranges, steps and names a day may be L, the last one of the
// month, or LW, its last one from Monday to Friday; and a weekday 5#2, the second
// Friday, or 5L, the last.
//
// If a day field begins with *, a day has to match both, otherwise either.
type Cron struct {
	text                 string
	minutes, hours, days set
	months, weekdays     set
	lastDay, lastWorkday bool     // L and LW
	nth                  [8][]int // by weekday, which ones of the month; -1 is the last
	both                 bool
	fixed                bool // neither minute nor hour begins with *: it is a time on a clock
}

// set is numbers below 64.
type set uint64

func (s set) has(n int) bool { return s>>n&1 == 1 }

// unit is what a field counts.
type unit struct {
	name        string
	least, most int
	names       []string // of the numbers from least on
}

var (
	minuteUnit  = unit{name: "minute", most: 59}
	hourUnit    = unit{name: "hour", most: 23}
	dayUnit     = unit{name: "day", least: 1, most: 31}
	monthUnit   = unit{name: "month", least: 1, most: 12, names: strings.Fields("jan feb mar apr may jun jul aug sep oct nov dec")}
	weekdayUnit = unit{name: "weekday", most: 7, names: strings.Fields("sun mon tue wed thu fri sat")} // 7 is Sunday, too
)

// ParseCron reads the five fields. The error is a sentence for who wrote them.
func ParseCron(text string) (*Cron, error) {
	fields := strings.Fields(strings.ToLower(text))
	if len(fields) != 5 {
		return nil, fmt.Errorf("it has %d fields, not the five minute, hour, day, month and weekday", len(fields))
	}
	c := &Cron{text: text}
	for i, read := range []func(item string) error{
		c.plain(&c.minutes, minuteUnit), c.plain(&c.hours, hourUnit), c.day, c.plain(&c.months, monthUnit), c.weekday,
	} {
		for item := range strings.SplitSeq(fields[i], ",") {
			if err := read(item); err != nil {
				return nil, err
			}
		}
	}
	star := func(i int) bool { return strings.HasPrefix(fields[i], "*") }
	c.both = star(2) || star(4)
	c.fixed = !star(0) && !star(1)
	if c.weekdays.has(7) {
		c.weekdays |= 1
	}
	if !c.comes() {
		return nil, errors.New("such a day never comes")
	}
	return c, nil
}

// String returns the fields as they were written.
func (c *Cron) String() string { return c.text }

// plain returns what reads an item of a field into a set.
func (c *Cron) plain(into *set, u unit) func(string) error {
	return func(item string) error {
		s, err := u.read(item)
		*into |= s
		return err
	}
}

func (c *Cron) day(item string) error {
	switch item {
	case "l":
		c.lastDay = true
		return nil
	case "lw":
		c.lastWorkday = true
		return nil
	}
	return c.plain(&c.days, dayUnit)(item)
}

func (c *Cron) weekday(item string) error {
	name, which, numbered := strings.Cut(item, "#")
	before, last := strings.CutSuffix(item, "l")
	if !numbered && (!last || before == "") {
		return c.plain(&c.weekdays, weekdayUnit)(item)
	}
	k := -1
	if numbered {
		var err error
		if k, err = strconv.Atoi(which); err != nil || k < 1 || k > 5 {
			return fmt.Errorf("%.20q is no weekday of a month: write one like 5#2, up to the fifth", item)
		}
	} else {
		name = before
	}
	day, err := weekdayUnit.number(name)
	if err != nil {
		return err
	}
	c.nth[day%7] = append(c.nth[day%7], k)
	return nil
}

// read reads an item: a number, a range or all, with a step or without.
func (u unit) read(item string) (set, error) {
	span, step, stepped := strings.Cut(item, "/")
	by := 1
	if stepped {
		var err error
		if by, err = strconv.Atoi(step); err != nil || by < 1 {
			return 0, fmt.Errorf("%.20q is no step for the %s", item, u.name)
		}
	}
	from, to := u.least, u.most
	if span != "*" {
		first, last, ranged := strings.Cut(span, "-")
		var err error
		if from, err = u.number(first); err != nil {
			return 0, err
		}
		switch {
		case ranged:
			if to, err = u.number(last); err != nil {
				return 0, err
			}
		case !stepped:
			to = from
		}
		if to < from {
			return 0, fmt.Errorf("%.20q goes backwards", item)
		}
	}
	var s set
	for n := from; n <= to; n += by {
		s |= 1 << n
	}
	return s, nil
}

func (u unit) number(text string) (int, error) {
	if at := slices.Index(u.names, text); at >= 0 {
		return u.least + at, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < u.least || n > u.most || strings.HasPrefix(text, "+") {
		return 0, fmt.Errorf("%.20q is no %s: those go from %d to %d", text, u.name, u.least, u.most)
	}
	return n, nil
}

// matches says whether there are times on a day.
func (c *Cron) matches(d date) bool {
	if !c.months.has(d.month) {
		return false
	}
	inMonth := c.days.has(d.day) || c.lastDay && d.day == d.daysOfMonth() || c.lastWorkday && d.day == d.lastWorkday()
	weekday := d.weekday()
	inWeek := c.weekdays.has(weekday) || slices.ContainsFunc(c.nth[weekday], func(k int) bool {
		if k < 0 {
			return d.day+7 > d.daysOfMonth()
		}
		return (d.day-1)/7+1 == k
	})
	if c.both {
		return inMonth && inWeek
	}
	return inMonth || inWeek
}

// horizon is how many days ahead the next time is looked for: forty years, after
// which a 29 February has fallen on each day of the week, also where a century
// has none.
const horizon = 40*366 + 1

// comes says whether there is a day that matches at all.
func (c *Cron) comes() bool {
	d := date{2000, 1, 1}
	for range horizon {
		if c.matches(d) {
			return true
		}
		d = d.next()
	}
	return false
}

// Next returns the first time after t in a zone; zero if there is none within
// forty years.
//
// A fixed time is one on a clock: where the clock leaps over it, it comes when it
// lands, and where the clock shows it twice, it comes the first time. Anything else
// comes as time goes by: not at times that the clock leaps over, and twice at those
// that it shows twice.
func (c *Cron) Next(t time.Time, zone *time.Location) time.Time {
	// The day before, for times that a clock leaps over may lie on the day after.
	d := dateOf(t.In(zone)).previous()
	for range horizon {
		if at := c.first(d, t, zone); !at.IsZero() {
			// Where a clock goes back over midnight the next day may come before.
			if sooner := c.first(d.next(), t, zone); !sooner.IsZero() && sooner.Before(at) {
				return sooner
			}
			return at
		}
		d = d.next()
	}
	return time.Time{}
}

// first returns the first time after t of those that belong to a day.
func (c *Cron) first(d date, t time.Time, zone *time.Location) time.Time {
	for _, at := range c.on(d, zone) {
		if at.After(t) {
			return at
		}
	}
	return time.Time{}
}

// Last returns the last times, so many at most, that are after one moment and not
// after another, oldest first.
func (c *Cron) Last(most int, after, until time.Time, zone *time.Location) (last []time.Time) {
	// A day's times may lie among those of the days beside it, as in Next; so two
	// days more are looked at than give enough.
	begin := dateOf(after.In(zone)).previous()
	for d, more := dateOf(until.In(zone)).next(), 2; more >= 0 && !d.before(begin); d = d.previous() {
		for _, at := range c.on(d, zone) {
			if at.After(after) && !at.After(until) {
				last = append(last, at)
			}
		}
		if len(last) >= most {
			more--
		}
	}
	last = inOrder(last)
	return last[max(0, len(last)-most):]
}

// on returns the times that belong to a day, in their order.
func (c *Cron) on(d date, zone *time.Location) (times []time.Time) {
	if !c.matches(d) {
		return nil
	}
	offsets := offsetsAround(d, zone)
	for hour := range 24 {
		if !c.hours.has(hour) {
			continue
		}
		for minute := range 60 {
			if c.minutes.has(minute) {
				times = append(times, offsets.instants(d.at(hour, minute), c.fixed)...)
			}
		}
	}
	return inOrder(times)
}

// inOrder sorts times, and leaves one of those that are the same.
func inOrder(times []time.Time) []time.Time {
	slices.SortFunc(times, time.Time.Compare)
	return slices.CompactFunc(times, time.Time.Equal)
}
