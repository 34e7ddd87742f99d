package discovery

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/netip"
	"slices"
	"time"

	"github.com/miekg/dns"
)

// A Trial is what came of trying multicast DNS on one interface.
type Trial struct {
	Interface string
	// Err is why it does not work, ErrPortTaken among others; nil if it does, as far as this machine can tell.
	Err error
	// Echo says that the machine heard itself, as every program on it has to.
	Echo bool
	// Others are the addresses of other machines that answered. None may be a quiet network, or one that keeps its
	// machines apart.
	Others []netip.Addr
}

// mostOthers bounds what a hostile network can make a trial hold.
const mostOthers = 64

// Try tries multicast DNS on each interface that would be used, by asking who is there and listening for the time given. Where
// there is none the error wraps ErrNoNetwork.
func Try(ctx context.Context, wait time.Duration, o Options) ([]Trial, error) {
	there, _, err := o.links()
	if err != nil {
		return nil, err
	}
	in := make(chan packet)
	trials := make([]Trial, len(there))
	heard := make(map[*conn]*Trial)
	defer func() {
		for c := range heard {
			c.close()
		}
	}()
	question := &dns.Msg{Question: []dns.Question{{Name: everyType, Qtype: dns.TypePTR, Qclass: dns.ClassINET}}}
	question.Id = uint16(rand.N(1<<16-1) + 1) // means nothing to others (RFC 6762, section 18.1), and tells the echo
	for i, l := range there {
		trials[i].Interface = l.name
		c, err := open(l, in)
		if err != nil {
			trials[i].Err = err
			continue
		}
		heard[c] = &trials[i]
		trials[i].Err = c.send(question)
	}
	again, over := time.After(wait/2), time.After(wait)
	for {
		select {
		case <-again: // Wi-Fi loses some
			for c, t := range heard {
				t.Err = c.send(question)
			}
		case p := <-in:
			heard[p.conn].hear(p, question.Id, there)
		case <-over:
			for _, t := range heard {
				if t.Err == nil && !t.Echo {
					t.Err = errors.New("what this machine sends does not come back to it")
				}
			}
			return trials, nil
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (t *Trial) hear(p packet, id uint16, there []link) {
	from := p.from.Addr()
	for _, l := range there {
		if l.owns(from.WithZone("")) {
			t.Echo = t.Echo || !p.msg.Response && p.msg.Id == id
			return
		}
	}
	if !slices.Contains(t.Others, from) && len(t.Others) < mostOthers {
		t.Others = append(t.Others, from)
	}
}
