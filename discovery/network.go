package discovery

import (
	"log/slog"
	"slices"
	"time"
)

const (
	// lookEvery is how often the interfaces are looked at: found again within five seconds of a change needs no more, and a
	// look costs well below a millisecond on every platform, where watching needs code for each of them.
	lookEvery = 2 * time.Second
	// jump is how much longer than lookEvery the clock on the wall may have gone between two looks before the machine is taken
	// to have slept, and perhaps to have woken up elsewhere.
	jump = 10 * time.Second
)

// A network keeps a conn open for each link of the machine. It belongs to one goroutine.
type network struct {
	options Options
	log     *slog.Logger
	in      chan packet
	conns   map[int]*conn // by interface index
	unused  []Unused
	next    time.Time // when to look again
	looked  time.Time // the last look on the wall's clock
	problem error     // why conns is empty
}

func newNetwork(o Options) *network {
	return &network{options: o, log: o.logger(), in: make(chan packet), conns: make(map[int]*conn)}
}

// A change is a link that came, went, or is another than before.
type change struct {
	was *conn // closed; nil if it is new
	is  *conn // nil if it is gone
}

// follow looks at the machine's links if it is time to, and opens and closes conns so that they are what the links are.
func (n *network) follow(now time.Time) (changes []change) {
	if now.Before(n.next) {
		return nil
	}
	n.next = now.Add(lookEvery)
	wall := now.Round(0) // without the monotonic reading, which stands still while some machines sleep
	slept := !n.looked.IsZero() && wall.Sub(n.looked).Abs() > lookEvery+jump
	n.looked = wall

	there, unused, err := n.options.links()
	n.unused, n.problem = unused, err
	closed := make(map[int]*conn)
	for index, c := range n.conns {
		i := slices.IndexFunc(there, func(l link) bool { return l.index == index })
		if i >= 0 && there[i].same(c.link) && !slept && !c.broken.Load() {
			continue
		}
		c.close()
		delete(n.conns, index)
		closed[index] = c
	}
	for _, l := range there {
		if n.conns[l.index] != nil {
			continue
		}
		c, err := open(l, n.in)
		if err != nil {
			n.problem = err
			n.unused = append(n.unused, Unused{l.name, err.Error()})
			n.log.Debug("interface left out", "interface", l.name, "error", err)
			continue
		}
		n.conns[l.index] = c
		ch := change{is: c}
		if !slept { // after a sleep the same interface may lead to another network
			ch.was = closed[l.index]
			delete(closed, l.index)
		}
		changes = append(changes, ch)
	}
	for _, c := range closed {
		changes = append(changes, change{was: c})
	}
	return changes
}

// conn is the one of a link; nil if it has none.
func (n *network) conn(link string) *conn {
	for _, c := range n.conns {
		if c.link.name == link {
			return c
		}
	}
	return nil
}

func (n *network) close() {
	for _, c := range n.conns {
		c.close()
	}
	clear(n.conns)
}
