package rules

import "time"

// date is a day on a calendar.
type date struct {
	year, month, day int
}

func dateOf(t time.Time) date {
	year, month, day := t.Date()
	return date{year, int(month), day}
}

// at returns a time of the day as if the zone were UTC.
func (d date) at(hour, minute int) time.Time {
	return time.Date(d.year, time.Month(d.month), d.day, hour, minute, 0, 0, time.UTC)
}

func (d date) next() date     { return dateOf(d.at(0, 0).AddDate(0, 0, 1)) }
func (d date) previous() date { return dateOf(d.at(0, 0).AddDate(0, 0, -1)) }
func (d date) weekday() int   { return int(d.at(0, 0).Weekday()) }

func (d date) before(e date) bool { return d.at(0, 0).Before(e.at(0, 0)) }

func (d date) daysOfMonth() int {
	return time.Date(d.year, time.Month(d.month)+1, 0, 0, 0, 0, 0, time.UTC).Day()
}

// lastWorkday returns the last day of the month from Monday to Friday.
func (d date) lastWorkday() int {
	last := date{d.year, d.month, d.daysOfMonth()}
	switch time.Weekday(last.weekday()) {
	case time.Saturday:
		return last.day - 1
	case time.Sunday:
		return last.day - 2
	}
	return last.day
}

// offsets are those of a zone from UTC in the course of some days.
type offsets []offset

// offset is in force from a time on, until the next one is.
type offset struct {
	from time.Time
	by   time.Duration
}

// around is how far from UTC a zone may be, and more: a day and a half.
const around = 36 * time.Hour

// offsetsAround returns the offsets that times of a day may have.
func offsetsAround(d date, zone *time.Location) (list offsets) {
	end := d.at(0, 0).Add(24*time.Hour + around)
	for t := d.at(0, 0).Add(-around).In(zone); ; {
		_, seconds := t.Zone()
		list = append(list, offset{t, time.Duration(seconds) * time.Second})
		_, until := t.ZoneBounds()
		if until.IsZero() || until.After(end) {
			return list
		}
		t = until
	}
}

// instants returns when a clock shows a time, which is given as if the zone were
// UTC: as often as it does, or, for a fixed time, once, and when the clock leaps
// over it, when it lands.
func (o offsets) instants(shown time.Time, fixed bool) (all []time.Time) {
	for i, this := range o {
		at := shown.Add(-this.by)
		if at.Before(this.from) {
			if i > 0 && fixed && len(all) == 0 && !shown.Add(-o[i-1].by).Before(this.from) {
				return []time.Time{this.from.UTC()}
			}
			continue
		}
		if i+1 < len(o) && !at.Before(o[i+1].from) {
			continue
		}
		if all = append(all, at); fixed {
			return all
		}
	}
	return all
}
