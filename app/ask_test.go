//go:build !headless

package main

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"hearth/relay/console"
)

// A relay at an address that was typed is found; what is none, or where nobody or
// somebody else answers, is told with what to do.
func TestAsk(t *testing.T) {
	h := open(t, keptSettings{})
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/health" || r.Host == "" {
			http.NotFound(w, r)
			return
		}
		fmt.Fprintln(w, "okay, more or less")
	}))
	defer other.Close()
	elsewhere := httptest.NewServer(http.RedirectHandler(h.running().URL+"/health", http.StatusFound))
	defer elsewhere.Close()
	for typed, want := range map[string]struct {
		outcome console.Outcome
		says    string
	}{
		h.running().URL:                                {console.OutcomeGood, "A relay answers there."},
		" " + h.running().URL + "/ ":                   {console.OutcomeGood, "A relay answers there."},
		strings.TrimPrefix(h.running().URL, "http://"): {console.OutcomeGood, "A relay answers there."},
		fmt.Sprintf("127.0.0.1:%d", freePort(t)):       {console.OutcomeBad, "Nothing answers there: "},
		other.URL:                                      {console.OutcomeBad, "no relay"},
		elsewhere.URL:                                  {console.OutcomeBad, "302 Found"},
		"nobody.invalid":                               {console.OutcomeBad, "nobody.invalid"},
		"":                                             {console.OutcomeBad, "no address"},
		"two words":                                    {console.OutcomeBad, "no address"},
		"ftp://127.0.0.1":                              {console.OutcomeBad, "no address"},
		"http://me:too@127.0.0.1":                      {console.OutcomeBad, "no address"},
		"127.0.0.1:port":                               {console.OutcomeBad, "no address"},
		strings.Repeat("a", maxTyped+1):                {console.OutcomeBad, "no address"},
	} {
		check, err := h.Ask(t.Context(), typed)
		if err != nil || check.Outcome != want.outcome || !strings.Contains(check.Detail, want.says) {
			t.Errorf("%.60q: %+v, %v", typed, check, err)
		}
		if (check.Todo == "") != (check.Outcome == console.OutcomeGood) {
			t.Errorf("%.60q: what to do is %q", typed, check.Todo)
		}
	}
}

// What a person types is taken with and without what usually stands around it.
func TestTypedURL(t *testing.T) {
	for typed, want := range map[string]string{
		"nas.local":           "http://nas.local:2451",
		"nas.local:80":        "http://nas.local:80",
		"http://nas.local/":   "http://nas.local:2451",
		"192.168.1.5":         "http://192.168.1.5:2451",
		"2001:db8::5":         "http://[2001:db8::5]:2451",
		"[2001:db8::5]":       "http://[2001:db8::5]:2451",
		"[2001:db8::5]:24510": "http://[2001:db8::5]:24510",
		"fe80::1%eth0":        "http://[fe80::1%25eth0]:2451",
	} {
		if got, err := typedURL(typed); got != want || err != nil {
			t.Errorf("%s becomes %s, %v", typed, got, err)
		}
	}
}
