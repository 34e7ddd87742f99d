package consolehttp

import (
	"time"

	"hearth/relay/console"
)

// Neighbourhood is console.Neighbourhood in JSON.
type Neighbourhood struct {
	Announced []Announcement    `json:"announced"`
	Unused    []UnusedInterface `json:"unused"`
	Quiet     string            `json:"quiet,omitempty"`
	Found     []FoundRelay      `json:"found"`
	Trouble   string            `json:"trouble,omitempty"`
}

// NeighbourhoodOf puts a neighbourhood into its JSON form.
func NeighbourhoodOf(n console.Neighbourhood) Neighbourhood {
	return Neighbourhood{
		Announced: mapped(n.Announced, AnnouncementOf), Unused: mapped(n.Unused, UnusedInterfaceOf), Quiet: n.Quiet,
		Found: mapped(n.Found, FoundRelayOf), Trouble: n.Trouble,
	}
}

// Console returns the neighbourhood that n is the JSON form of.
func (n Neighbourhood) Console() console.Neighbourhood {
	return console.Neighbourhood{
		Announced: listed(n.Announced, Announcement.Console), Unused: listed(n.Unused, UnusedInterface.Console), Quiet: n.Quiet,
		Found: listed(n.Found, FoundRelay.Console), Trouble: n.Trouble,
	}
}

// Announcement is console.Announcement in JSON.
type Announcement struct {
	Interface string   `json:"interface"`
	Addresses []string `json:"addresses"`
	Instance  string   `json:"instance"`
}

// AnnouncementOf puts an announcement into its JSON form.
func AnnouncementOf(a console.Announcement) Announcement {
	return Announcement{a.Interface, texts(a.Addresses), a.Instance}
}

// Console returns the announcement that a is the JSON form of.
func (a Announcement) Console() console.Announcement { return console.Announcement(a) }

// UnusedInterface is console.UnusedInterface in JSON.
type UnusedInterface struct {
	Interface string `json:"interface"`
	Reason    string `json:"reason"`
}

// UnusedInterfaceOf puts an interface that is not used into its JSON form.
func UnusedInterfaceOf(u console.UnusedInterface) UnusedInterface { return UnusedInterface(u) }

// Console returns the interface that u is the JSON form of.
func (u UnusedInterface) Console() console.UnusedInterface { return console.UnusedInterface(u) }

// FoundRelay is console.FoundRelay in JSON.
type FoundRelay struct {
	Name   string          `json:"name"`
	ID     string          `json:"id,omitempty"`
	Host   string          `json:"host"`
	URLs   []string        `json:"urls"`
	Key    console.KeyNeed `json:"key"`
	Self   bool            `json:"self"`
	SeenAt time.Time       `json:"seen_at"`
	Stale  bool            `json:"stale"`
}

// FoundRelayOf puts a relay that was found into its JSON form.
func FoundRelayOf(f console.FoundRelay) FoundRelay {
	f.URLs = texts(f.URLs)
	return FoundRelay(f)
}

// Console returns the relay that f is the JSON form of.
func (f FoundRelay) Console() console.FoundRelay { return console.FoundRelay(f) }

// Check is console.Check in JSON.
type Check struct {
	Title   string          `json:"title"`
	Outcome console.Outcome `json:"outcome"`
	Detail  string          `json:"detail"`
	Todo    string          `json:"todo,omitempty"`
	Command string          `json:"command,omitempty"`
}

// CheckOf puts a check into its JSON form.
func CheckOf(c console.Check) Check { return Check(c) }

// Console returns the check that c is the JSON form of.
func (c Check) Console() console.Check { return console.Check(c) }

// texts is [] in JSON if there are none: null would be one more case for
// programs.
func texts[T ~string](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
