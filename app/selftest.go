package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"os"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"hearth/discovery"
	"hearth/relay/console"
)

const (
	// listenFor is how long others get to answer: one that is asleep to save
	// power wakes up a second late.
	listenFor = 3 * time.Second

	// reachWithin is how long a way to the relay itself may take. Through a
	// router and back it takes some milliseconds.
	reachWithin = 2 * time.Second
)

// SelfTest finds out what keeps other machines from finding and reaching the
// relay. While it is for this machine only that alone is said.
func (h *home) SelfTest(ctx context.Context) ([]console.Check, error) {
	h.mu.Lock()
	isOpen, places := h.run.Open, placesOf(h.listeners)
	h.mu.Unlock()
	state := h.network.state()
	if !isOpen {
		return []console.Check{{
			Title: "Open to the network", Outcome: console.OutcomeBad, Detail: state.around.Quiet,
			Todo: "Open the relay to the network in the settings, or start it with --open.",
		}}, nil
	}
	var (
		port    = places[0].port
		asking  sync.WaitGroup
		trials  []discovery.Trial
		failed  error
		reached []console.Check
	)
	asking.Go(func() { trials, failed = discovery.Try(ctx, listenFor, state.options) })
	asking.Go(func() { reached = reachAll(ctx, state.around.Announced, port) })
	asking.Wait()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	checks := multicastChecks(trials, failed)
	checks = append(checks, announcedCheck(state.around))
	checks = append(checks, reached...)
	if len(state.past) > 0 {
		checks = append(checks, movedCheck(state.past))
	}
	return append(checks, firewallCheck(runtime.GOOS, port)), nil
}

// multicastChecks say whether the machine can speak to its networks, and
// whether anyone answers.
func multicastChecks(trials []discovery.Trial, failed error) (checks []console.Check) {
	if failed != nil {
		return []console.Check{{
			Title: "Connected to a network", Outcome: console.OutcomeBad, Detail: sentence(failed),
			Todo: "Connect this machine to the network that the other devices are on.",
		}}
	}
	works, others := false, 0
	for _, t := range trials {
		check := console.Check{Title: "Multicast on " + t.Interface, Outcome: outcome(t.Err == nil)}
		switch {
		case errors.Is(t.Err, discovery.ErrPortTaken):
			check.Detail = "Another program keeps the port to itself by which machines find each other (UDP 5353)."
			check.Todo = "Stop that program, or let it share the port. Until then type the relay's address into the apps."
		case t.Err != nil:
			check.Detail = sentence(t.Err)
			check.Todo = "A firewall or a VPN on this machine may forbid it: switch it off for a try. Until then type the relay's address into the apps."
		default:
			works, others = true, others+len(t.Others)
			check.Detail = "What the relay says to the whole network goes out."
		}
		checks = append(checks, check)
	}
	switch {
	case !works: // then nobody can answer
	case others > 0:
		checks = append(checks, console.Check{
			Title: "Other devices answer", Outcome: console.OutcomeGood,
			Detail: "Devices on the network answered the relay (" + count(uint64(others), "address", "addresses") + ").",
		})
	default:
		checks = append(checks, console.Check{
			Title: "Other devices answer", Outcome: console.OutcomeUnknown,
			Detail: "None did. Either there is none that would, or the network keeps its devices apart, as guest Wi-Fi does.",
			Todo:   "If a device does not find the relay: take both to the same Wi-Fi, not the guests' one, and switch off “client isolation” in the router. Or type the relay's address into the apps.",
		})
	}
	return checks
}

// announcedCheck says where the relay is announced.
func announcedCheck(around console.Neighbourhood) console.Check {
	check := console.Check{Title: "Announced on the network", Outcome: outcome(len(around.Announced) > 0)}
	if len(around.Announced) == 0 {
		check.Detail = around.Quiet
		check.Todo = "Look at the interfaces that are not used, and why; --interface NAME makes the relay use one all the same."
		return check
	}
	var where []string
	for _, a := range around.Announced {
		where = append(where, fmt.Sprintf("on %s as “%s” at %s", a.Interface, a.Instance, strings.Join(a.Addresses, ", ")))
	}
	check.Detail = "It is " + strings.Join(where, "; ") + "."
	return check
}

// reachAll goes to the relay over each address that is announced.
func reachAll(ctx context.Context, announced []console.Announcement, port uint16) []console.Check {
	var places []place
	for _, a := range announced {
		for _, text := range a.Addresses {
			addr, err := netip.ParseAddr(text)
			if err != nil {
				continue // it is one that was announced
			}
			if !usable(addr) {
				addr = addr.WithZone(a.Interface)
			}
			if p := (place{addr, port}); !slices.Contains(places, p) {
				places = append(places, p)
			}
		}
	}
	checks := make([]console.Check, len(places))
	var asking sync.WaitGroup
	for i, p := range places {
		asking.Go(func() { checks[i] = reachCheck(ctx, p) })
	}
	asking.Wait()
	return checks
}

// reachCheck goes to the relay over one address.
func reachCheck(ctx context.Context, p place) console.Check {
	check := console.Check{Title: "Reached at " + p.String(), Outcome: console.OutcomeBad}
	if err := reach(ctx, p); err != nil {
		check.Detail = sentence(err)
		check.Todo = "If the address is this machine's, a firewall is in the way. If it is a router's or a container's host's, let that pass the port on to this machine."
		return check
	}
	check.Outcome, check.Detail = console.OutcomeGood, "The relay answers there."
	return check
}

// reach asks the relay at a place how it is.
func reach(ctx context.Context, p place) error {
	ctx, cancel := context.WithTimeout(ctx, reachWithin)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, urlOf(p)+"/health", http.NoBody)
	if err != nil {
		return err
	}
	way := &http.Transport{DisableKeepAlives: true} // and no proxy
	response, err := (&http.Client{Transport: way}).Do(request)
	if err != nil {
		return fmt.Errorf("nothing answers there: %w", errors.Unwrap(err))
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("something else answers there, with %s", response.Status)
	}
	return nil
}

// movedCheck says that the relay was at other addresses before.
func movedCheck(before []string) console.Check {
	return console.Check{
		Title: "Still at the same addresses", Outcome: console.OutcomeBad,
		Detail: "This machine's address has changed. It was at " + strings.Join(before, ", ") + " before.",
		Todo:   "Devices that were given the old address need the new one. Let the router give this machine the same address always.",
	}
}

// firewallCheck says which firewall may be in the way: whether it lets the relay
// through only its owner can see.
func firewallCheck(system string, port uint16) console.Check {
	check := console.Check{Title: "Firewall", Outcome: console.OutcomeUnknown}
	f, ok := firewallOf(system, os.DirFS("/"))
	if !ok {
		check.Outcome, check.Detail = console.OutcomeGood, "No firewall was found on this machine."
		return check
	}
	check.Detail = "This machine has " + f.name + ". Whether it lets other machines in cannot be seen from here."
	check.Todo, check.Command = f.rule(port)
	return check
}

func outcome(good bool) console.Outcome {
	if good {
		return console.OutcomeGood
	}
	return console.OutcomeBad
}

// sentence makes an error one.
func sentence(err error) string {
	text := strings.ReplaceAll(err.Error(), "\n", "; ")
	return strings.ToUpper(text[:1]) + strings.TrimSuffix(text[1:], ".") + "."
}
