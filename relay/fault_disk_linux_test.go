package relay_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"syscall"
	"testing"

	"github.com/fxamacker/cbor/v2"
)

// problemMessage is a refusal.
type problemMessage struct {
	Code string `cbor:"0,keyasint"`
}

// TestFailingDisk runs a relay on a disk that fails in one way after another.
// What cannot be written is refused, whole, and is not there afterwards, not even
// if the relay is killed while the disk still fails; what was acknowledged stays;
// reads and the relay's health go on where they can, and so does everything once
// the disk is well again, without a restart.
func TestFailingDisk(t *testing.T) {
	const log, file = "hearth.db-wal", "hearth.db"
	for name, tt := range map[string]struct {
		faults  []fault
		want    string // of a write meanwhile: a code, or empty if it goes through
		blind   bool   // whether what is not in memory cannot be read meanwhile
		unasked bool   // whether the disk may not be asked for it before the relay stops
	}{
		"the log cannot be written":               {faults: []fault{{writing, log, syscall.EIO}}, want: "internal"},
		"the log cannot be synced":                {faults: []fault{{syncing, log, syscall.EIO}}, want: "internal"},
		"the log finds no room":                   {faults: []fault{{writing, log, syscall.ENOSPC}}, want: "storage_full"},
		"the log finds no room when it is synced": {faults: []fault{{syncing, log, syscall.ENOSPC}}, want: "internal"},
		"the log finds no quota":                  {faults: []fault{{writing, log, syscall.EDQUOT}}, want: "internal"},
		"all has become read-only":                {faults: []fault{{writing, log, syscall.EROFS}, {writing, file, syscall.EROFS}}, want: "internal"},
		"the file cannot be written":              {faults: []fault{{writing, file, syscall.EIO}}, unasked: true},
		"the file cannot be synced":               {faults: []fault{{syncing, file, syscall.EIO}}, unasked: true},
		"nothing can be read":                     {faults: []fault{{reading, "", syscall.EIO}}, blind: true, unasked: true},
	} {
		for _, killed := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, killed=%v", name, killed), func(t *testing.T) {
				t.Parallel()
				d := mount(t)
				p := start(t, d.place)
				c := &http.Client{Transport: &http.Transport{}}
				defer c.CloseIdleConnections()
				var want [][]byte
				write := func(code string) {
					t.Helper()
					entry := fmt.Appendf(nil, "%d of %4000d", len(want), 0)
					got, err := try(c, "http://"+p.address, entry)
					if err != nil || got != code {
						t.Errorf("a write is answered with %q, %v, want %q", got, err, code)
					}
					if got == "" {
						want = append(want, entry)
					}
				}
				check := func() {
					t.Helper()
					var got [][]byte
					for _, e := range allNotes(t, c, "http://"+p.address) {
						got = append(got, e.Data)
					}
					if !slices.EqualFunc(got, want, slices.Equal) {
						t.Errorf("%d entries are there, want %d", len(got), len(want))
					}
				}
				for range 5 {
					write("")
				}
				d.fail(tt.faults...)
				for range 5 {
					write(tt.want)
					if status, err := status(c, "http://"+p.address+"/health"); status != http.StatusOK {
						t.Errorf("health: status %d, %v", status, err)
					}
					if !tt.blind {
						check()
					}
				}
				if d.met.Load() == 0 && !tt.unasked {
					t.Error("the disk was not asked for what it refuses")
				}
				if killed {
					p.kill()
					d.fail()
					p = start(t, d.place)
				}
				d.fail()
				check()
				write("")
				check()
				if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
					t.Fatal(err)
				}
				if err := p.cmd.Wait(); err != nil {
					t.Errorf("the relay ended with %v", err)
				}
				p = start(t, d.place)
				check()
				p.kill()
			})
		}
	}
}

// try writes an entry to "notes" and returns the code of the refusal, if it is
// refused.
func try(c *http.Client, base string, entry []byte) (code string, err error) {
	return tryTo(c, base, "notes", entry)
}

// tryTo is try for any stream.
func tryTo(c *http.Client, base, stream string, entry []byte) (code string, err error) {
	body, err := cbor.Marshal(batchMessage{Epoch: 1, Entries: [][]byte{entry}})
	if err != nil {
		return "", err
	}
	request, err := http.NewRequest(http.MethodPost, base+"/v1/streams/"+stream+"/entries", bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	request.Header.Set("Content-Type", "application/cbor")
	response, err := c.Do(request)
	if err != nil {
		return "", err
	}
	defer response.Body.Close()
	if response.StatusCode == http.StatusOK {
		return "", nil
	}
	var p problemMessage
	if err := cbor.NewDecoder(response.Body).Decode(&p); err != nil {
		return "", err
	}
	if p.Code == "" {
		return "", errors.New("a refusal without a code")
	}
	return p.Code, nil
}

func status(c *http.Client, url string) (int, error) {
	response, err := c.Get(url)
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}
