package rules

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// look lets a filter look at an event.
func look(t *testing.T, filter, event string) Outcome {
	t.Helper()
	rule, err := Parse(testCase{Filter: json.RawMessage(filter)}.whole(t))
	if err != nil {
		t.Fatal(err)
	}
	o, err := rule.Evaluate(new(rule.Begin(0)), new(Recall), &Envelope{Seq: 1, Type: "t", Event: readEvent(t, []byte(event))}, NoDepth)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// failsWith holds an outcome to a failure that says something.
func failsWith(t *testing.T, o Outcome, says string) {
	t.Helper()
	if o.Stage != Failed || len(o.Failures) != 1 || !strings.Contains(o.Failures[0].Reason, says) {
		t.Errorf("%s, %v: want a failure that says %q", o.Stage, o.Failures, says)
	}
}

// An event of many values costs a rule only what it asks for, and more than it may
// hold at once is a failure that says so.
func TestLargeEvents(t *testing.T) {
	many := strings.Repeat("0,", maxValues) + "0"
	event := `{"type":"t","readings":[` + many + `],"level":7}`
	if o := look(t, `{"kind":"where","field":"level","op":"eq","value":7}`, event); o.Stage != Fired {
		t.Errorf("a field beside many values: %s, %v", o.Stage, o.Failures)
	}
	failsWith(t, look(t, `{"kind":"where","field":"readings","op":"contains","value":7}`, event), `"readings": it is made of more than`)
	failsWith(t, look(t, `{"kind":"cel","expression":"event.level == 7"}`, event), "it is made of more than")

	half := strings.Repeat("0,", maxValues/2) + "0"
	event = `{"type":"t","a":[` + half + `],"b":[` + half + `]}`
	failsWith(t, look(t, `{"kind":"cel","expression":"event.a[0] == 0"}`, event), "it is made of more than")
	if o := look(t, `{"kind":"where","field":"b","op":"contains","value":0}`, event); o.Stage != Fired {
		t.Errorf("half as many values: %s, %v", o.Stage, o.Failures)
	}

	var members strings.Builder
	for n := range maxValues {
		fmt.Fprintf(&members, `"m%d":0,`, n)
	}
	event = `{"type":"t",` + members.String() + `"level":7}`
	failsWith(t, look(t, `{"kind":"where","field":"level","op":"exists","value":false}`, event), "it is made of more than")
	deep := `{"type":"t","level":` + strings.Repeat("[", maxDepth+2) + strings.Repeat("]", maxDepth+2) + `}`
	failsWith(t, look(t, `{"kind":"where","field":"level","op":"eq","value":7}`, deep), "nested too deeply")
}

// What an expression may cost ends it, whatever it does and however large the event
// is.
func TestExpressionsEnd(t *testing.T) {
	const costs = "costs too much"
	text := strings.Repeat("a", 1<<20)
	list := "[" + strings.Repeat("1,", 999) + "1]"
	event := fmt.Sprintf(`{"type":"t","text":%q,"list":%s}`, text, list)
	for expression, says := range map[string]string{
		"event.list.all(x, event.list.all(y, event.list.all(z, x + y + z > 0)))": costs,
		"event.list.map(x, event.list.map(y, [x, y])).size() > 0":                costs,
		"event.list.exists(x, event.text.contains('b'))":                         costs,
		"[event.text]" + strings.Repeat(".map(x, x + x)", 25) + ".size() > 0":    costs,
		"[event.list]" + strings.Repeat(".map(x, x + x)", 25) + ".size() > 0":    costs,
		"[b'a']" + strings.Repeat(".map(x, x + x)", 25) + ".size() > 0":          costs,
		"event.text.matches('(.?){30}b')":                                        "too long to be searched",
		"matches(event.text, '(.?){30}b')":                                       "too long to be searched",
	} {
		o := look(t, fmt.Sprintf(`{"kind":"cel","expression":%q}`, expression), event)
		if o.Stage != Failed || !strings.Contains(o.Failures[0].Reason, says) && !strings.Contains(o.Failures[0].Reason, costs) {
			t.Errorf("%.60s: %s, %v", expression, o.Stage, o.Failures)
		}
	}
}

// An expression whose parts lie so deep in each other that reading it would take
// hours is refused at once.
func TestDeepExpressions(t *testing.T) {
	for _, deep := range []string{
		strings.Repeat("{1:", 200) + "1" + strings.Repeat("}", 200) + " == event", strings.Repeat("[", 240) + "1" + strings.Repeat("]", 240) + " == event.x",
		strings.Repeat("[].map(x,", 40) + "1" + strings.Repeat(")", 40) + " == event.x", "event.l" + strings.Repeat(".map(x,x)", 90) + " == event.x",
	} {
		if _, err := compile(deep); err == nil || !strings.Contains(err.Error(), "recursion") {
			t.Errorf("%.30s: %v", deep, err)
		}
	}
}

// All expressions of a rule share what they may cost.
func TestExpressionsShareTheirCost(t *testing.T) {
	const some = `{"kind":"cel","expression":"event.list.all(x, event.list.all(y, x + y < 0 || true)) && false"}`
	event := `{"type":"t","list":[` + strings.Repeat("1,", 59) + `1]}`
	if o := look(t, some, event); o.Stage != Filtered {
		t.Errorf("one expression: %s, %v", o.Stage, o.Failures)
	}
	failsWith(t, look(t, `{"kind":"any","of":[`+strings.Repeat(some+",", MaxExpressions-1)+some+`]}`, event), "costs too much")
	_, err := Parse(testCase{Filter: json.RawMessage(`{"kind":"any","of":[` + strings.Repeat(some+",", MaxExpressions) + some + `]}`)}.whole(t))
	if got := mistakes(t, err); len(got) != 1 || got[0].Type != "too_long" || strings.Join(got[0].Loc, ".") != "when.filter.of.20" {
		t.Errorf("more expressions than a rule may have: %+v", got)
	}
}

// A search of a long text for an expression that becomes many instructions is
// refused rather than waited for.
func TestSearchesAreBounded(t *testing.T) {
	const filter = `{"kind":"where","field":"text","op":"matches","value":%q}`
	long := fmt.Sprintf(`{"type":"t","text":%q}`, strings.Repeat("a", 1<<20))
	failsWith(t, look(t, fmt.Sprintf(filter, "(.?){30}b"), long), "a text of 1048576 bytes is too long to be searched")
	if o := look(t, fmt.Sprintf(filter, "a$"), long); o.Stage != Fired {
		t.Errorf("a simple search of as much: %s, %v", o.Stage, o.Failures)
	}
	many := strings.Repeat(fmt.Sprintf(filter, "(a?){5}b")+",", 99)
	failsWith(t, look(t, `{"kind":"any","of":[`+many+fmt.Sprintf(filter, "b")+`]}`, fmt.Sprintf(`{"type":"t","text":%q}`, strings.Repeat("a", 1<<16))),
		"and less behind other searches of the rule")
	for _, text := range []string{".{1000}", "(.{30}){33}", "((a|b|c){9}d{9}){30}", strings.Repeat(`\w{90}`, 12)} {
		if _, err := compilePattern(text); err == nil || !strings.Contains(err.Error(), "too large") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// Numbers of any length are read in no time: exactly up to a length, and else as
// floats do it.
func TestLongNumbers(t *testing.T) {
	digits := strings.Repeat("9", maxDigits)
	for text, want := range map[string]string{
		"1e999999999":                   "1e999",
		"-1e999999999":                  "-1e999",
		"1e-999999999":                  "0.0",
		digits:                          digits,
		"-" + digits:                    "-1e999",
		digits + "9":                    "1e999",
		strings.Repeat("9", 1<<20):      "1e999",
		"0." + strings.Repeat("1", 1e6): "0.1111111111111111",
		"9007199254740993":              "9007199254740993",
		"-9223372036854775808":          "-9223372036854775808",
		"9223372036854775808":           "9223372036854775808",
		"-0":                            "0",
		"-0.0":                          "-0.0",
	} {
		v, err := Decode([]byte(text))
		if err != nil || Text(v) != want {
			t.Errorf("%.40s: %.40s, %v", text, Text(v), err)
		}
	}
}

// Numbers compare by what they are worth, exactly, however they are written.
func TestNumbersCompareExactly(t *testing.T) {
	ascending := []string{
		"-1e999", "-" + strings.Repeat("9", 400), "-1e300", "-9223372036854775809", "-9223372036854775808.0", "-9007199254740993", "-9007199254740992.0",
		"-1.5", "-1", "-0.5", "0", "5e-324", "0.1", "1", "1.0000000000000002", "9007199254740992", "9007199254740993", "9007199254740994.0",
		"9223372036854775807", "9223372036854775808.0", "9223372036854775809", "1e300", strings.Repeat("9", 400), "1e999",
	}
	for i, a := range ascending {
		for j, b := range ascending {
			got := number(a).compare(number(b))
			if want := max(-1, min(1, i-j)); got != want {
				t.Errorf("%.30s and %.30s: %d", a, b, got)
			}
		}
	}
}

// What is in a scope or a key may be as large as events are; what a state keeps is
// not.
func TestStatesStaySmall(t *testing.T) {
	rule, err := Parse([]byte(`{"name":"r","when":{"filter":{"kind":"on","types":["t"]},"dedupe":{"key":["text"],"within":60}},
		"scope":{"fields":["room"]},"then":{"action":"notify"}}`))
	if err != nil {
		t.Fatal(err)
	}
	w := &watcher{rule: rule, maxDepth: NoDepth}
	seq := uint64(0)
	evaluate := func(event string) Outcome {
		seq++
		return w.evaluate(t, []*Envelope{{Seq: seq, TS: int64(seq), Type: "t", Event: readEvent(t, []byte(event))}}, 1)
	}
	long := strings.Repeat("a", 1<<20)
	failsWith(t, evaluate(fmt.Sprintf(`{"type":"t","room":%q}`, long)), "are larger than 4096 bytes")
	failsWith(t, evaluate(fmt.Sprintf(`{"type":"t","room":[%q]}`, long)), "are larger than 4096 bytes")
	for n, want := range []Stage{Fired, Deduped} {
		if o := evaluate(fmt.Sprintf(`{"type":"t","room":"a","text":%q}`, long)); o.Stage != want {
			t.Errorf("time %d: %s", n, o.Stage)
		}
	}
	kept, err := json.Marshal(w.memory.states)
	if err != nil || len(kept) > 1000 {
		t.Errorf("the states take %d bytes, %v", len(kept), err)
	}
}

// A scope remembers so many keys; of more the oldest are forgotten.
func TestOldestKeysAreForgotten(t *testing.T) {
	rule, err := Parse([]byte(`{"name":"r","when":{"filter":{"kind":"on","types":["t"]},"dedupe":{"key":["n"],"within":"P1D"}},"then":{"action":"notify"}}`))
	if err != nil {
		t.Fatal(err)
	}
	w := &watcher{rule: rule, maxDepth: NoDepth}
	var log []*Envelope
	for seq, n := range append(numbersTo(maxSeen+1), 1, 0) {
		log = append(log, &Envelope{Seq: uint64(seq) + 1, TS: int64(seq), Type: "t", Event: readEvent(t, fmt.Appendf(nil, `{"n":%d}`, n))})
	}
	w.evaluate(t, log[:maxSeen+1], len(log))
	if o := w.evaluate(t, log[maxSeen+1:maxSeen+2], 1); o.Stage != Deduped {
		t.Errorf("one of the newest keys: %s", o.Stage)
	}
	if o := w.evaluate(t, log[maxSeen+2:], 1); o.Stage != Fired {
		t.Errorf("the oldest key: %s", o.Stage)
	}
	if n := len(w.memory.states["[]"].Seen); n != maxSeen {
		t.Errorf("it remembers %d keys", n)
	}
}

func numbersTo(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

// A state that the rule cannot have left behind is an error rather than a panic or
// a firing of what never was.
func TestDamagedStates(t *testing.T) {
	patterns := map[string]string{
		"each": `{"kind":"each"}`, "count": `{"kind":"count","at_least":2,"within":9}`, "absence": `{"kind":"absence","within":9}`,
		"sequence": `{"kind":"sequence","steps":[{"kind":"on","types":["t"]},{"kind":"on","types":["t"]}],"within":9}`,
	}
	three := []Member{{Seq: 1}, {Seq: 2}, {Seq: 3}}
	for pattern, states := range map[string][]State{
		"each": {{Members: three}, {Deadline: 1}}, "count": {{Members: three}, {Deadline: 1}},
		"sequence": {{Members: three}, {Deadline: 1}}, "absence": {{Members: three}, {Deadline: 1}, {Members: three[:1]}},
	} {
		for _, s := range states {
			rule, err := Parse(testCase{When: json.RawMessage(`{"filter":{"kind":"on","types":["t"]},"pattern":` + patterns[pattern] + `}`)}.whole(t))
			if err != nil {
				t.Fatal(err)
			}
			m := new(Recall)
			_ = m.Save("[]", &s)
			e := &Envelope{Seq: 9, TS: 9, Type: "t", Event: readEvent(t, []byte(`{"type":"t"}`))}
			if o, err := rule.Evaluate(new(rule.Begin(0)), m, e, NoDepth); err == nil {
				t.Errorf("%s took %+v: %+v", pattern, s, o)
			}
		}
	}
}
