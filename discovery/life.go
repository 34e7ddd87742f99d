package discovery

import "time"

const (
	// longestTTL, in seconds, bounds how long something can be shown that never said goodbye.
	longestTTL = otherTTL
	// grace is how long a record lives on after its goodbye, so that another owner can speak up (RFC 6762, section 10.1), and how
	// old one must be for a flush to mean it (section 10.2).
	grace = time.Second
	// inVain is how often something is asked for in vain before it counts as silent: Wi-Fi loses a tenth of what is multicast on
	// bad days, and one answer of four comes through all the same.
	inVain = 4
	// answerTime is how long an answer may take: a responder may put it off for a second (RFC 6762, section 6).
	answerTime = time.Second
	// While somebody looks, what was not heard of for checkAfter is asked for every checkEvery. So a service that died shows as
	// such thirteen seconds after it was last heard of, and one that is well answers once in five seconds, whoever asks.
	checkAfter, checkEvery = 5 * time.Second, 2 * time.Second
	// askEvery is the least time between two questions for the same (RFC 6762, section 5.2).
	askEvery = time.Second
)

// A life is how long a record counts.
type life struct {
	got     time.Time
	ttl     time.Duration
	until   time.Time
	asked   int       // how often it was asked for again since got
	askedAt time.Time // the last time
	taken   bool      // back, or otherwise ended before its time
}

func (l life) alive(now time.Time) bool { return now.Before(l.until) }

// known tells whether a record was heard and not taken back, though its time may be over.
func (l life) known(now time.Time) bool { return !l.got.IsZero() && (l.alive(now) || !l.taken) }

// silent tells whether a record is over, or was asked for in vain.
func (l life) silent(now time.Time) bool {
	return !l.alive(now) || l.asked >= inVain && !now.Before(l.answered())
}

// answered is when the answer to the last question must have come.
func (l life) answered() time.Time { return l.askedAt.Add(answerTime) }

// renew starts a life, or with ttl 0 ends it soon.
func (l *life) renew(ttl uint32, now time.Time) {
	if ttl == 0 {
		l.end(now.Add(grace))
		return
	}
	*l = life{got: now, ttl: time.Duration(min(ttl, longestTTL)) * time.Second}
	l.until = now.Add(l.ttl)
}

func (l *life) end(at time.Time) {
	if l.until.After(at) {
		l.until, l.taken = at, true
	}
}

// fade is when to ask for the record again: at 80, 85, 90 and 95 % of its life (RFC 6762, section 5.2). Not ok when that is over.
func (l life) fade() (at time.Time, ok bool) {
	at = l.got.Add(l.ttl * time.Duration(80+5*l.asked) / 100)
	if free := l.askedAt.Add(askEvery); at.Before(free) {
		at = free
	}
	return at, l.asked < inVain && at.Before(l.until)
}

// check is when to ask whether the record is true still, long before it fades. Not ok when that was done in vain.
func (l life) check(spread time.Duration) (at time.Time, ok bool) {
	at = l.got.Add(checkAfter + spread)
	if l.asked > 0 {
		at = l.askedAt.Add(checkEvery)
	}
	if fade, ok := l.fade(); ok && fade.Before(at) {
		at = fade
	}
	return at, l.asked < inVain && at.Before(l.until)
}

// ask notes that the record is asked for. Once it is silent, asking again does not make it less so.
func (l *life) ask(now time.Time) {
	if l.asked < inVain {
		l.asked, l.askedAt = l.asked+1, now
	}
}

// overhear notes that somebody asked for the record. What follows another question or the record itself at once is the echo of that
// question, or need not be answered.
func (l *life) overhear(now time.Time) {
	if now.Sub(l.askedAt) >= askEvery && now.Sub(l.got) >= askEvery {
		l.ask(now)
	}
}
