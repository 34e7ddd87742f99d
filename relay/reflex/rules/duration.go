package rules

import (
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Duration is a time span to the microsecond, in JSON as ISO 8601 has it (a year
// is 365 days, a month 30) or as a number of seconds.
type Duration int64

// The units of a Duration.
const (
	Microsecond Duration = 1
	Second               = 1_000_000 * Microsecond
	Minute               = 60 * Second
	Hour                 = 60 * Minute
	Day                  = 24 * Hour
	month                = 30 * Day
	year                 = 365 * Day
)

// maxDuration is how many letters a duration may have: all its parts, each exact.
const maxDuration = 200

// part begins a number with its unit.
const part = `(?:([+-]?\d+(?:[.,]\d+)?)`

const (
	// isoPattern is the form of ISO 8601, section 5.5.2, with a sign before all of it
	// or before a part. That something follows P and T is checked apart.
	isoPattern = `^([+-])?P` + part + `Y)?` + part + `M)?` + part + `W)?` + part + `D)?` +
		`(?:T` + part + `H)?` + part + `M)?` + part + `S)?)?$`

	// clockPattern is what a clock shows, behind a number of days if there is one.
	clockPattern = `^([+-])?(?:(\d+) days?,? ?)?(\d+):(\d{2})(?::(\d{2}(?:\.\d+)?))?$`

	// DurationPattern is what the text of a duration is like that does not end in P or
	// T.
	DurationPattern = isoPattern + "|" + clockPattern
)

var (
	iso   = regexp.MustCompile(isoPattern)
	clock = regexp.MustCompile(clockPattern)
)

// durationOf reads a duration from a value.
func durationOf(v any) (Duration, error) {
	switch v := v.(type) {
	case Number:
		if v.infinite() {
			return 0, errTooLong
		}
		seconds, _ := v.exact().Rat(nil)
		return rounded(seconds)
	case string:
		return ParseDuration(v)
	}
	return 0, errNoDuration
}

var (
	errNoDuration = fmt.Errorf("it is no duration: write one like PT5M, or a number of seconds")
	errTooLong    = fmt.Errorf("it is too long")
)

// ParseDuration reads a duration in the form of ISO 8601, or hours, minutes and
// seconds with colons between them.
func ParseDuration(text string) (Duration, error) {
	if len(text) > maxDuration {
		return 0, errNoDuration
	}
	if m := iso.FindStringSubmatch(text); m != nil && !strings.HasSuffix(text, "P") && !strings.HasSuffix(text, "T") {
		return sum(m[1], m[2:], year, month, 7*Day, Day, Hour, Minute, Second)
	}
	if m := clock.FindStringSubmatch(text); m != nil {
		return sum(m[1], m[2:], Day, Hour, Minute, Second)
	}
	return 0, errNoDuration
}

// sum adds up parts, each in its unit.
func sum(sign string, parts []string, units ...Duration) (Duration, error) {
	total := new(big.Rat)
	for i, part := range parts {
		if part == "" {
			continue
		}
		n, ok := new(big.Rat).SetString(strings.Replace(part, ",", ".", 1))
		if !ok {
			return 0, errNoDuration
		}
		total.Add(total, n.Mul(n, big.NewRat(int64(units[i]), int64(Second))))
	}
	if sign == "-" {
		total.Neg(total)
	}
	return rounded(total)
}

// rounded returns a number of seconds to the nearest microsecond, half away from
// zero.
func rounded(seconds *big.Rat) (Duration, error) {
	micro := new(big.Rat).Mul(seconds, big.NewRat(int64(Second), 1))
	text := micro.FloatString(0)
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || time.Duration(n) > math.MaxInt64/1000 || time.Duration(n) < math.MinInt64/1000 {
		return 0, errTooLong
	}
	return Duration(n), nil
}

// String returns the duration as ISO 8601, without months and weeks.
func (d Duration) String() string {
	if d == 0 {
		return "PT0S"
	}
	var b strings.Builder
	if d < 0 {
		b.WriteByte('-')
		d = -d
	}
	b.WriteByte('P')
	part := func(unit Duration, letter byte) {
		if n := d / unit; n > 0 {
			b.WriteString(strconv.FormatInt(int64(n), 10))
			b.WriteByte(letter)
		}
		d %= unit
	}
	part(year, 'Y')
	part(Day, 'D')
	if d > 0 {
		b.WriteByte('T')
		part(Hour, 'H')
		part(Minute, 'M')
		if d > 0 {
			seconds := strconv.FormatInt(int64(d/Second), 10)
			if micro := int64(d % Second); micro > 0 {
				seconds += strings.TrimRight(fmt.Sprintf(".%06d", micro), "0")
			}
			b.WriteString(seconds + "S")
		}
	}
	return b.String()
}

// MarshalText implements [encoding.TextMarshaler].
func (d Duration) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// Time returns the duration as Go has it.
func (d Duration) Time() time.Duration { return time.Duration(d) * time.Microsecond }
