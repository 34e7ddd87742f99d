package main

import (
	"net/http"
	"testing"
)

// Names, web origins and proxies that the settings file names are let in, and no
// others.
func TestGuardFollowsSettings(t *testing.T) {
	kept, err := parseSettings([]byte(`{"port": 0, "hosts": ["nas.example"],
		"allowed_origins": ["https://notes.example"], "trusted_proxies": ["127.0.0.0/8"]}`))
	if err != nil {
		t.Fatal(err)
	}
	trusting, plain := open(t, kept), open(t, keptSettings{Port: new(0)})
	for name, set := range map[string]func(*http.Request){
		"host":   func(r *http.Request) { r.Host = "nas.example" },
		"origin": func(r *http.Request) { r.Header.Set("Origin", "https://notes.example") },
		"proxy":  func(r *http.Request) { r.Header.Set("X-Forwarded-For", "127.0.0.1") },
	} {
		for h, want := range map[*home]int{trusting: http.StatusOK, plain: http.StatusForbidden} {
			r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, h.running().URL+"/health", http.NoBody)
			if err != nil {
				t.Fatal(err)
			}
			set(r)
			response, err := http.DefaultClient.Do(r)
			if err != nil {
				t.Fatal(err)
			}
			response.Body.Close()
			if response.StatusCode != want {
				t.Errorf("%s: status %d, want %d", name, response.StatusCode, want)
			}
		}
	}
}

// What cannot be meant is told with its name.
func TestGuardSettingsAreChecked(t *testing.T) {
	for _, text := range []string{`{"hosts": "nas.example"}`, `{"trusted_proxies": ["proxy.example"]}`} {
		if _, err := parseSettings([]byte(text)); err == nil {
			t.Errorf("%s was taken", text)
		}
	}
}
