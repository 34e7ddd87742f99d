package relay

import (
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"hearth/relay/console"
	"hearth/relay/store"
)

const (
	// hour is how many minutes are remembered, as console.Hour has.
	hour = 60

	// maxDevices is how many clients are remembered: more than a home has, and an
	// end where somebody makes up addresses.
	maxDevices = 256

	// maxBusy is of how many streams the minutes are remembered, in 250 kB; the
	// ones that have rested longest are forgotten first.
	maxBusy = 1024
)

// activity remembers what clients have been doing lately. It is empty after a
// start: nothing here is worth a write to the disk.
type activity struct {
	mu      sync.Mutex
	minutes window[console.Minute]
	devices map[device]*console.Device
	streams map[store.Ref]*window[uint16]
}

// device is what tells clients apart.
type device struct {
	client, key string
}

// window holds a value for each of the last minutes.
type window[T any] struct {
	last   int64 // the newest minute, counted from 1970; 0 if there was none
	newest int   // where its value is
	values [hour]T
}

// at returns the value of the minute that t is in, having dropped what is older
// than an hour. A clock that was set back goes on in the minute that it had, and if
// by more than two hours, the newest minute is the one that it shows now.
func (w *window[T]) at(t time.Time) *T {
	now := t.Unix() / 60
	if w.last == 0 || w.last-now > 2*hour {
		w.last = now
	}
	for range min(now-w.last, hour) {
		var none T
		w.newest = (w.newest + 1) % hour
		w.values[w.newest] = none
	}
	w.last = max(w.last, now)
	return &w.values[w.newest]
}

// list returns the values, the newest last.
func (w *window[T]) list(t time.Time) []T {
	w.at(t)
	return slices.Concat(w.values[w.newest+1:], w.values[:w.newest+1])
}

// wrote notes a batch.
func (a *activity) wrote(t time.Time, client, key string, ref store.Ref, entries int, bytes int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	m := a.minutes.at(t)
	m.Writes++
	m.Entries += entries
	m.Bytes += uint64(bytes)
	a.device(t, client, key, console.ActionWrite, ref.Name).Writes++
	w := a.streams[ref]
	if w == nil {
		if a.streams == nil {
			a.streams = make(map[store.Ref]*window[uint16])
		}
		if len(a.streams) >= maxBusy {
			forgetOldest(a.streams, func(x, y *window[uint16]) int { return int(x.last - y.last) })
		}
		w = new(window[uint16])
		a.streams[ref] = w
	}
	if n := w.at(t); *n < math.MaxUint16 {
		*n++
	}
}

// read notes a page.
func (a *activity) read(t time.Time, client, key, stream string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.minutes.at(t).Reads++
	a.device(t, client, key, console.ActionRead, stream).Reads++
}

// waited notes a wait.
func (a *activity) waited(t time.Time, client, key string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.device(t, client, key, console.ActionWait, "")
}

// followed notes that a stream is followed live.
func (a *activity) followed(t time.Time, client, key, stream string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.device(t, client, key, console.ActionFollow, stream)
}

// refused notes a refusal. Whoever was not let in, into no space, is no device of
// the house.
func (a *activity) refused(t time.Time, r console.Refusal) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.minutes.at(t).Refused++
	if r.Space != "" {
		a.device(t, r.Client, r.Key, console.ActionRefused, r.Stream)
	}
}

// device returns the client's record, with what it does now. a.mu is held.
func (a *activity) device(t time.Time, client, key string, action console.Action, stream string) *console.Device {
	id := device{client, key}
	d := a.devices[id]
	if d == nil {
		if a.devices == nil {
			a.devices = make(map[device]*console.Device)
		}
		if len(a.devices) >= maxDevices {
			forgetOldest(a.devices, func(x, y *console.Device) int { return x.Seen.Compare(y.Seen) })
		}
		d = &console.Device{Client: client, Key: key}
		a.devices[id] = d
	}
	d.Seen, d.Action, d.Stream = t, action, stream
	return d
}

// forgetOldest removes a quarter of the elements, those that come first in the
// order, so that the sorting is shared by many additions.
func forgetOldest[K comparable, V any](m map[K]V, order func(a, b V) int) {
	keys := slices.SortedFunc(maps.Keys(m), func(a, b K) int { return order(m[a], m[b]) })
	for _, k := range keys[:len(keys)/4+1] {
		delete(m, k)
	}
}

// recent returns what is remembered.
func (a *activity) recent(t time.Time) console.Activity {
	a.mu.Lock()
	defer a.mu.Unlock()
	shown := console.Activity{Minutes: a.minutes.list(t)}
	last := time.Unix(a.minutes.last*60, 0)
	for i := range shown.Minutes {
		shown.Minutes[i].Start = last.Add(time.Duration(i-hour+1) * time.Minute)
	}
	for _, d := range a.devices {
		shown.Devices = append(shown.Devices, *d)
	}
	slices.SortFunc(shown.Devices, func(a, b console.Device) int { return b.Seen.Compare(a.Seen) })
	return shown
}

// hourOf returns how many batches a stream got in each of the last minutes.
func (a *activity) hourOf(t time.Time, ref store.Ref) console.Hour {
	a.mu.Lock()
	defer a.mu.Unlock()
	w := a.streams[ref]
	if w == nil {
		return console.Hour{}
	}
	return console.Hour(w.list(t))
}
