package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	"hearth/relay/console"
)

const (
	// reachWithin is how long the way to a relay may take. Through a router and back
	// it takes some milliseconds.
	reachWithin = 2 * time.Second

	// maxTyped bounds an address that a person types, in bytes: the longest name of
	// a host (RFC 1035, section 2.3.4) with what may stand around it.
	maxTyped = 300

	// healthy is what a relay says that is up.
	healthy = "ok"
)

// Ask goes to a relay at an address that a person typed.
func (h *home) Ask(ctx context.Context, address string) (console.Check, error) {
	at, err := typedURL(address)
	if err != nil {
		return console.Check{
			Title: "No address", Outcome: console.OutcomeBad, Detail: sentence(err),
			Todo: fmt.Sprintf("Type it as the other relay shows it, such as 192.168.1.5:%d.", defaultPort),
		}, nil
	}
	failed := reach(ctx, at)
	if ctx.Err() != nil {
		return console.Check{}, ctx.Err()
	}
	if failed != nil {
		return console.Check{
			Title: at, Outcome: console.OutcomeBad, Detail: sentence(failed),
			Todo: "See that Hearth runs there and is open to its network, that both machines are on one network, and that no firewall is between them.",
		}, nil
	}
	return console.Check{
		Title: at, Outcome: console.OutcomeGood,
		Detail: "A relay answers there. Apps reach it at this address, also where the network does not tell of it.",
	}, nil
}

// typedURL makes the URL of a relay of what a person typed.
func typedURL(typed string) (string, error) {
	typed = strings.TrimSpace(typed)
	wrong := fmt.Errorf("%.60q is no address of a relay", typed)
	if len(typed) > maxTyped {
		return "", wrong
	}
	if addr, err := netip.ParseAddr(typed); err == nil {
		return urlOf(place{addr, defaultPort}), nil
	}
	if !strings.Contains(typed, "://") {
		typed = "http://" + typed
	}
	u, err := url.Parse(typed)
	if err != nil || u.Scheme != "http" || u.User != nil || u.Hostname() == "" {
		return "", wrong
	}
	if u.Port() == "" {
		return urlPrefix + net.JoinHostPort(u.Hostname(), strconv.Itoa(defaultPort)), nil
	}
	return urlPrefix + u.Host, nil
}

// reach asks the relay at a URL how it is.
func reach(ctx context.Context, at string) error {
	ctx, cancel := context.WithTimeout(ctx, reachWithin)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at+"/health", http.NoBody)
	if err != nil {
		return err
	}
	client := &http.Client{
		Transport:     &http.Transport{DisableKeepAlives: true}, // and no proxy
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	response, err := client.Do(request)
	if unknown, ok := errors.AsType[*net.DNSError](err); ok && unknown.IsNotFound {
		return fmt.Errorf("this machine knows none by the name %s", unknown.Name)
	}
	if err != nil {
		return fmt.Errorf("nothing answers there: %w", errors.Unwrap(err))
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("something else answers there, with %s", response.Status)
	}
	said, err := io.ReadAll(io.LimitReader(response.Body, int64(len(healthy)+2))) // it may end the line
	if err != nil || strings.TrimSpace(string(said)) != healthy {
		return errors.New("something else answers there, which is no relay")
	}
	return nil
}
