package rules

import (
	"fmt"
	"testing"
)

// mixed are ten rules as people write them: of each pattern and kind of filter.
var mixed = []string{
	`{"name":"each","when":{"filter":{"kind":"on","types":["door.opened"]}},"then":{"action":"notify"}}`,
	`{"name":"hot","when":{"filter":{"kind":"all","of":[{"kind":"on","types":["reading"]},{"kind":"where","field":"celsius","op":"gt","value":30.5}]},"throttle":{"at_most":1,"per":"PT10M"}},"scope":{"fields":["room"]},"then":{"action":"notify"}}`,
	`{"name":"errors","when":{"filter":{"kind":"all","of":[{"kind":"on","types":["log"]},{"kind":"where","field":"level","op":"in","value":["error","fatal"]}]},"pattern":{"kind":"count","at_least":5,"within":"PT1M"}},"scope":{"fields":["service"]},"then":{"action":"webhook"}}`,
	`{"name":"text","when":{"filter":{"kind":"where","field":"text","op":"matches","value":"timeout|refused"}},"then":{"action":"notify"}}`,
	`{"name":"cel","when":{"filter":{"kind":"all","of":[{"kind":"on","types":["reading"]},{"kind":"cel","expression":"event.celsius > 25.0 && event.room.startsWith('r')"}]}},"then":{"action":"notify"}}`,
	`{"name":"break-in","when":{"filter":{"kind":"on","types":["door.opened","motion","alarm"]},"pattern":{"kind":"sequence","within":"PT5M","steps":[{"kind":"on","types":["door.opened"]},{"kind":"on","types":["motion"]},{"kind":"on","types":["alarm"]}]}},"then":{"action":"notify"}}`,
	`{"name":"backup","when":{"filter":{"kind":"on","types":["backup.done"]},"pattern":{"kind":"absence","within":"P1D"}},"then":{"action":"notify"}}`,
	`{"name":"once","when":{"filter":{"kind":"on","types":["log"]},"dedupe":{"key":["text"],"within":"PT1H"}},"scope":{"fields":["service"]},"then":{"action":"notify"}}`,
	`{"name":"silent","when":{"filter":{"kind":"on","types":["reading"]},"pattern":{"kind":"absence","within":"PT30M"}},"scope":{"fields":["room"]},"then":{"action":"notify"}}`,
	`{"name":"not","when":{"filter":{"kind":"all","of":[{"kind":"not","filter":{"kind":"on","types":["log","reading"]}},{"kind":"where","field":"meta.source","op":"exists","value":true}]},"throttle":{"at_most":10,"per":"PT1M"}},"then":{"action":"notify"}}`,
}

// events are the events of a house in which something goes on.
func houseEvent(n int) (eventType string, text []byte) {
	switch n % 5 {
	case 0, 1:
		return "reading", fmt.Appendf(nil, `{"type":"reading","room":"r%d","celsius":%d.5,"humidity":41,"battery":0.93,"sensor":"th-%04d"}`, n%20, 15+n%17, n%40)
	case 2:
		level := []string{"info", "info", "warning", "error"}[n/5%4]
		return "log", fmt.Appendf(nil, `{"type":"log","level":%q,"service":"s%d","text":"request %d took long: connection refused by peer","host":"h1","pid":4711}`, level, n%7, n)
	case 3:
		return "motion", fmt.Appendf(nil, `{"type":"motion","room":"r%d","meta":{"source":"pir","battery":0.4}}`, n%20)
	default:
		return "door.opened", fmt.Appendf(nil, `{"type":"door.opened","door":"front","meta":{"source":"reed"}}`)
	}
}

// BenchmarkEvaluate lets ten mixed rules look at an event, which is read once, as an
// engine does that asks every rule.
func BenchmarkEvaluate(b *testing.B) {
	var list []*watcher
	for _, text := range mixed {
		rule, err := Parse([]byte(text))
		if err != nil {
			b.Fatal(err)
		}
		list = append(list, &watcher{rule: rule, progress: rule.Begin(0)})
	}
	const many = 1000
	var texts [many][]byte
	var types [many]string
	for n := range many {
		types[n], texts[n] = houseEvent(n)
	}
	b.ReportAllocs()
	fired := 0
	for n := 0; b.Loop(); n++ {
		event, err := ReadEvent(texts[n%many])
		if err != nil {
			b.Fatal(err)
		}
		e := &Envelope{Seq: uint64(n) + 1, TS: int64(n) * int64(Second), Type: types[n%many], Event: event, Chain: "evt_0123456789ab_1"}
		for _, w := range list {
			o, err := w.rule.Evaluate(&w.progress, &w.memory, e, 8)
			if err != nil {
				b.Fatal(err)
			}
			fired += len(o.Firings)
		}
	}
	b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "envelopes/s")
	b.ReportMetric(float64(fired)/float64(b.N), "firings/envelope")
}
