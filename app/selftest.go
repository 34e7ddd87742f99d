package main

import (
	"context"
	"errors"
	"fmt"
	"net"
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
	port := places[0].port
	trials, failed := discovery.Try(ctx, listenFor, state.options)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	state = h.network.state() // by now whatever was under way has come to its end
	checks := multicastChecks(trials, failed)
	checks = append(checks, announcedCheck(state.around))
	checks = append(checks, reachAll(ctx, state.around.Announced, port)...)
	if len(state.past) > 0 {
		checks = append(checks, movedCheck(state.past))
	}
	visitor := h.visitor(ctx, state)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return append(checks, firewallCheck(runtime.GOOS, port, visitor)), nil
}

// visitor returns the address of another machine on the network that has come to
// the relay since it was started; empty if none has.
func (h *home) visitor(ctx context.Context, state networkState) string {
	activity, err := h.Activity(ctx)
	if err != nil {
		return "" // then none is known
	}
	for _, d := range activity.Devices {
		addr, err := netip.ParseAddr(d.Client)
		if err == nil && discovery.Neighbour(addr, state.options) && !slices.Contains(state.past, d.Client) {
			return d.Client
		}
	}
	return ""
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
			check.Detail = "This machine may speak to the whole network there."
		}
		checks = append(checks, check)
	}
	switch {
	case !works: // then nobody can answer
	case others > 0:
		checks = append(checks, console.Check{
			Title: "Other devices answer", Outcome: console.OutcomeGood,
			Detail: "Other devices on the network were heard, at " + count(uint64(others), "address", "addresses") + ".",
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
	own, err := net.InterfaceAddrs()
	isOwn := func(addr netip.Addr) bool {
		return err == nil && slices.ContainsFunc(own, func(a net.Addr) bool {
			prefix, err := netip.ParsePrefix(a.String())
			return err == nil && prefix.Addr() == addr.WithZone("")
		})
	}
	checks := make([]console.Check, len(places))
	var asking sync.WaitGroup
	for i, p := range places {
		asking.Go(func() { checks[i] = reachCheck(p, isOwn(p.addr), reach(ctx, urlOf(p))) })
	}
	asking.Wait()
	return checks
}

// reachCheck says what came of going to the relay at a place, be that this
// machine's own or a router's.
func reachCheck(p place, own bool, failed error) console.Check {
	check := console.Check{Title: "Reached at " + p.String()}
	switch {
	case failed == nil:
		check.Outcome, check.Detail = console.OutcomeGood, "The relay answers there, asked from this machine."
	case own:
		check.Outcome, check.Detail = console.OutcomeBad, sentence(failed)
		check.Todo = "The address is this machine's own, so a firewall on it is in the way. Let the relay's port pass."
	default: // many routers do not let a machine go around through them
		check.Outcome, check.Detail = console.OutcomeUnknown, sentence(failed)+" From another device it may be different."
		check.Todo = "The address is not this machine's. Let the router or the container's host that has it pass the port on to this machine."
	}
	return check
}

// movedCheck says that the relay was at other addresses before.
func movedCheck(before []string) console.Check {
	return console.Check{
		Title: "Still at the same addresses", Outcome: console.OutcomeBad,
		Detail: "This machine's address has changed. It was at " + strings.Join(before, ", ") + " before.",
		Todo:   "Devices that were given the old address need the new one. Let the router give this machine the same address always.",
	}
}

// firewallCheck says whether a firewall is in the way. Its owner alone can see
// that, but who has come in, at the visitor's address, was not kept out.
func firewallCheck(system string, port uint16, visitor string) console.Check {
	check := console.Check{Title: "Firewall", Outcome: console.OutcomeUnknown}
	f, ok := firewallOf(system, os.DirFS("/"))
	switch {
	case visitor != "":
		check.Outcome, check.Detail = console.OutcomeGood, "Other devices get in: one did from "+visitor+" since the relay was started."
	case ok:
		check.Detail = "This machine has " + f.name + ". Whether it lets other machines in cannot be seen from here."
		check.Todo, check.Command = f.rule(port)
	default:
		check.Detail = "No firewall was found on this machine, but no other device has come in yet either."
		check.Todo = "To be sure, open one of the relay's addresses with /health behind it in the browser of another device: it has to say “ok”."
	}
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
