package relay_test

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"hearth/relay/protocol"
)

const (
	// floodClients send bodies as large as they may be, all at once.
	floodClients = 64

	// floodWriters write small batches meanwhile, each one after the other.
	floodWriters = 4
)

// floods are the largest bodies that there are, of several kinds: what costs most
// is another part of the relay for each.
var floods = map[string]func() protocol.Entries{
	"one entry": func() protocol.Entries {
		return protocol.NewEntries(make([]byte, protocol.MaxBody-64))
	},
	"entries of 1 KiB": func() protocol.Entries {
		return protocol.NewEntries(slices.Repeat([][]byte{make([]byte, 1<<10)}, 16_000)...)
	},
	"empty entries": func() protocol.Entries {
		return protocol.NewEntries(make([][]byte, protocol.MaxBody-64)...)
	},
}

// BenchmarkFlood measures what small writers feel while the relay is flooded with
// the largest bodies, what memory it takes and how many are told to come again.
// For a figure without the flood, see clients=0.
func BenchmarkFlood(b *testing.B) {
	for name, entries := range floods {
		batch := protocol.Batch{Epoch: 1, Entries: entries()}
		for _, clients := range []int{0, 6, floodClients} {
			b.Run(fmt.Sprintf("of=%s/clients=%d", name, clients), func(b *testing.B) {
				for b.Loop() {
					flood(b, batch, clients)
				}
			})
		}
	}
}

func flood(b *testing.B, batch protocol.Batch, clients int) {
	p := start(b, b.TempDir())
	defer p.kill()
	done := make(chan struct{})
	var small, large sync.WaitGroup
	took := make([][]time.Duration, floodWriters)
	for i := range floodWriters {
		c := dial(b, p.address)
		request := post(fmt.Sprintf("small-%d", i), protocol.Batch{Epoch: 1, Entries: protocol.NewEntries(make([]byte, 256))})
		small.Go(func() {
			for {
				start := time.Now()
				if status, err := c.do(request); err != nil || status != http.StatusOK {
					b.Errorf("a small batch: status %d, %v", status, err)
					return
				}
				took[i] = append(took[i], time.Since(start))
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	begin := time.Now()
	statuses := make([]int, clients)
	body := batch.Append(nil)
	for i := range clients {
		c := dial(b, p.address)
		large.Go(func() {
			// Whom there is no room for is told so before he has sent all, so he
			// listens while he speaks.
			go func() {
				head := fmt.Appendf(nil, "POST /v1/streams/large-%d/entries HTTP/1.1\r\nHost: localhost\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n",
					i, protocol.MediaType, len(body))
				if _, err := c.conn.Write(head); err == nil {
					_, _ = c.conn.Write(body)
				}
			}()
			var err error
			if statuses[i], err = c.do(nil); err != nil {
				b.Error(err)
			}
		})
	}
	large.Wait()
	if clients == 0 {
		time.Sleep(3 * time.Second)
	}
	elapsed := time.Since(begin)
	close(done)
	small.Wait()
	all := slices.Sorted(slices.Values(slices.Concat(took...)))
	taken := 0
	for _, status := range statuses {
		if status == http.StatusOK {
			taken++
		} else if status != http.StatusServiceUnavailable {
			b.Errorf("a large batch: status %d", status)
		}
	}
	for name, part := range map[string]float64{"p50-ms": 0.5, "p99-ms": 0.99, "worst-ms": 1} {
		at := min(int(part*float64(len(all))), len(all)-1)
		b.ReportMetric(float64(all[at].Microseconds())/1e3, name)
	}
	b.ReportMetric(float64(len(all))/elapsed.Seconds(), "small/s")
	b.ReportMetric(float64(taken*len(body))/(1<<20)/elapsed.Seconds(), "MiB/s")
	b.ReportMetric(float64(clients-taken), "busy")
	memory, err := peak(p.cmd.Process.Pid)
	if err != nil {
		b.Error(err)
	}
	b.ReportMetric(memory, "MiB-peak")
}

// peak returns the most memory that a process has had, in MiB.
func peak(pid int) (mib float64, err error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	for line := range bytes.Lines(status) {
		if _, err := fmt.Sscanf(string(line), "VmHWM: %g kB", &mib); err == nil {
			return mib / 1024, nil
		}
	}
	return 0, errors.New("the system does not tell")
}
