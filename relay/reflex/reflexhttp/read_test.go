package reflexhttp_test

import (
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// seqs returns the positions of envelopes.
func seqs(list []envelope) []uint64 {
	got := []uint64{}
	for _, e := range list {
		got = append(got, e.Seq)
	}
	return got
}

// span returns the positions from first to last.
func span(first, last uint64) []uint64 {
	list := []uint64{}
	for ; first <= last; first++ {
		list = append(list, first)
	}
	return list
}

// A page is what lies in a window, oldest first: its first or its last so many.
func TestWindows(t *testing.T) {
	h := start(t)
	h.publishMany(t, "w", 30)
	for _, test := range []struct {
		query string
		want  []uint64
	}{
		{"", span(1, 30)},
		{"?after_seq=0", span(1, 30)},
		{"?after_seq=28", span(29, 30)},
		{"?after_seq=30", span(1, 0)},
		{"?after_seq=31", span(1, 0)},
		{"?after_seq=9223372036854775807", span(1, 0)},
		{"?before_seq=3", span(1, 2)},
		{"?before_seq=1", span(1, 0)},
		{"?before_seq=9223372036854775807", span(1, 30)},
		{"?after_seq=10&before_seq=13", span(11, 12)},
		{"?after_seq=10&before_seq=11", span(1, 0)},
		{"?after_seq=20&before_seq=10", span(1, 0)},
		{"?limit=2", span(1, 2)},
		{"?limit=0", span(1, 0)},
		{"?limit=10000", span(1, 30)},
		{"?after_seq=5&limit=3", span(6, 8)},
		{"?last=2", span(29, 30)},
		{"?last=0", span(1, 0)},
		{"?last=10000", span(1, 30)},
		{"?last=3&before_seq=10", span(7, 9)},
		{"?last=5&after_seq=27", span(28, 30)},
		{"?type=count", span(1, 30)},
		{"?type=count&type=other", span(1, 30)},
		{"?type=other", span(1, 0)},
		{"?type=count&last=1", span(30, 30)},
	} {
		list, header := h.page(t, "w", test.query)
		if diff := cmp.Diff(test.want, seqs(list)); diff != "" {
			t.Errorf("%s: %s", test.query, diff)
		}
		if header.Get("Hearth-Cursor") == "" {
			t.Errorf("%s: no cursor", test.query)
		}
	}
	// Where there is nothing to show, the page ends where it would begin, and is
	// not followed or preceded by itself.
	for query, end := range map[string]string{
		"?last=0":                           "30.",
		"?last=0&before_seq=10":             "9.",
		"?last=5&before_seq=1":              "0.",
		"?last=5&after_seq=20&before_seq=9": "20.",
		"?limit=5&before_seq=1":             "0.",
		"?last=5&after_seq=31":              "30.",
	} {
		list, header := h.page(t, "w", query)
		if cursor := header.Get("Hearth-Cursor"); len(list) > 0 || !strings.HasPrefix(cursor, end) || header.Get("Link") != "" {
			t.Errorf("%s: %d events up to %s, with the links %q", query, len(list), cursor, header.Values("Link"))
		}
	}
}

// A query that says something else than it can say is refused, and told where.
func TestBadQueries(t *testing.T) {
	h := start(t)
	h.publishMany(t, "w", 1)
	for query, at := range map[string]string{
		"after_seq=-1":                     "after_seq",
		"after_seq=":                       "after_seq",
		"after_seq=1.0":                    "after_seq",
		"after_seq=1e3":                    "after_seq",
		"after_seq=0x10":                   "after_seq",
		"after_seq=9223372036854775808":    "after_seq",
		"after_seq=1&after_seq=2":          "after_seq",
		"before_seq=0":                     "before_seq",
		"before_seq=x":                     "before_seq",
		"limit=-1":                         "limit",
		"limit=10001":                      "limit",
		"limit=all":                        "limit",
		"last=10001":                       "last",
		"last=%00":                         "last",
		"limit=1&last=1":                   "last",
		"data=some":                        "data",
		"data=":                            "data",
		"resume_cursor=":                   "resume_cursor",
		"resume_cursor=1.2.3":              "resume_cursor",
		"since=1":                          "since",
		"Limit=1":                          "Limit",
		"types=count":                      "types",
		"%ff=1":                            "",
		"type=":                            "type",
		"type=%zz":                         "",
		"a;b":                              "",
		"type=" + strings.Repeat("x", 129): "type",
		"type=%00":                         "type",
		"type=%ff":                         "type",
	} {
		a := h.do(t, http.MethodGet, eventsOf("w")+"?"+query, nil, nil)
		r := a.rejection(t)
		if r.Type != "validation_failed" || r.Errors[0].Loc[0] != "query" || at != "" && r.Errors[0].Loc[len(r.Errors[0].Loc)-1] != at {
			t.Errorf("%s: %d %s", query, a.status, a.body)
		}
	}
}

// next takes the address out of the header by which to go on.
func next(t *testing.T, header http.Header, relation string) string {
	t.Helper()
	for _, link := range header.Values("Link") {
		if parts := regexp.MustCompile(`^<(.+)>; rel="(.+)"$`).FindStringSubmatch(link); parts == nil {
			t.Errorf("Link: %s", link)
		} else if parts[2] == relation {
			return parts[1]
		}
	}
	return ""
}

// walk follows a relation from page to page and returns what is on them.
func (h *home) walk(t *testing.T, target, relation string) (pages [][]envelope) {
	t.Helper()
	for target != "" {
		a := h.do(t, http.MethodGet, target, nil, nil)
		if a.status != http.StatusOK {
			t.Fatalf("%s: %s", target, a.body)
		}
		pages = append(pages, decode[[]envelope](t, a.body))
		if target = next(t, a.header, relation); len(pages) > 1000 {
			t.Fatal("the pages do not come to an end")
		}
	}
	return pages
}

// Who follows the links sees every event once, in order, and stops at the end:
// without a limit, with one, filtered, proving its history, and backwards.
func TestLinks(t *testing.T) {
	h := start(t)
	h.publishMany(t, "links", 2500)
	for _, test := range []struct {
		query string
		sizes []int
	}{
		{"", []int{1000, 1000, 500}},
		{"?limit=2500", []int{2500}},
		{"?limit=1250", []int{1250, 1250}},
		{"?limit=999&type=count&data=none", []int{999, 999, 502}},
		{"?before_seq=1501", []int{1000, 500}},
	} {
		var sizes []int
		var seq uint64
		for _, page := range h.walk(t, eventsOf("links")+test.query, "next") {
			sizes = append(sizes, len(page))
			for _, e := range page {
				if seq++; e.Seq != seq {
					t.Fatalf("%s: %d where %d belongs", test.query, e.Seq, seq)
				}
			}
		}
		if diff := cmp.Diff(test.sizes, sizes); diff != "" {
			t.Errorf("%s: %s", test.query, diff)
		}
	}
	_, header := h.page(t, "links", "?limit=100")
	target := eventsOf("links") + "?limit=1000&resume_cursor=" + header.Get("Hearth-Cursor")
	pages := h.walk(t, target, "next")
	if len(pages) != 3 || pages[0][0].Seq != 101 || pages[2][len(pages[2])-1].Seq != 2500 {
		t.Errorf("proving: %d pages", len(pages))
	}
	a := h.do(t, http.MethodGet, target, nil, nil)
	if link := next(t, a.header, "next"); !strings.Contains(link, "resume_cursor=1100.") || strings.Contains(link, "after_seq") {
		t.Errorf("the proof is dropped: %s", link)
	}
	pages = h.walk(t, eventsOf("links")+"?last=1000", "prev")
	if len(pages) != 3 || pages[0][0].Seq != 1501 || pages[1][0].Seq != 501 || pages[2][0].Seq != 1 {
		t.Errorf("backwards: %d pages", len(pages))
	}
}

// A stream that is not there has no events, and no cursor.
func TestUnknownStream(t *testing.T) {
	h := start(t)
	a := h.do(t, http.MethodGet, eventsOf("nowhere"), nil, nil)
	if a.status != http.StatusOK || string(a.body) != "[]" || a.header.Get("Hearth-Cursor") != "" || a.header.Get("Link") != "" {
		t.Errorf("%d %v %s", a.status, a.header, a.body)
	}
	if list, _ := h.page(t, "_relay", "?type=nothing.like.it"); len(list) != 0 {
		t.Errorf("%+v", list)
	}
}

// HEAD tells what GET would, without the events.
func TestHead(t *testing.T) {
	h := start(t)
	h.publishMany(t, "head", 5)
	get := h.do(t, http.MethodGet, eventsOf("head")+"?limit=2", nil, nil)
	head := h.do(t, http.MethodHead, eventsOf("head")+"?limit=2", nil, nil)
	for _, name := range []string{"Content-Length", "Content-Type", "Link", "Hearth-Cursor"} {
		if get.header.Get(name) == "" || get.header.Get(name) != head.header.Get(name) {
			t.Errorf("%s: %q and %q", name, get.header.Get(name), head.header.Get(name))
		}
	}
	if a := h.do(t, http.MethodHead, eventsOf("head")+"?limit=x", nil, nil); a.status != http.StatusUnprocessableEntity {
		t.Error(a.status)
	}
}

// A reader who shows a cursor learns when its history is another than the
// stream's, and gets everything from the start then.
func TestResumeCursor(t *testing.T) {
	h := start(t)
	h.publishMany(t, "mine", 10)
	h.publishMany(t, "other", 10)
	_, header := h.page(t, "mine", "?limit=4")
	cursor := header.Get("Hearth-Cursor")
	parts := strings.Split(cursor, ".")
	list, header := h.page(t, "mine", "?resume_cursor="+cursor)
	if diff := cmp.Diff(span(5, 10), seqs(list)); diff != "" || header.Get("Hearth-Reset") != "" {
		t.Errorf("%q %s", header.Get("Hearth-Reset"), diff)
	}
	if !strings.HasPrefix(header.Get("Hearth-Cursor"), "10."+parts[1]+".") {
		t.Errorf("the cursor is %s", header.Get("Hearth-Cursor"))
	}
	for reason, shown := range map[string]string{
		"cursor_ahead":    "11." + parts[1] + "." + parts[2],
		"cursor_diverged": "5." + parts[1] + "." + parts[2],
		"stream_replaced": "4." + strings.Repeat("0", 32) + "." + parts[2],
	} {
		list, header := h.page(t, "mine", "?after_seq=8&limit=3&resume_cursor="+shown)
		if diff := cmp.Diff(span(1, 3), seqs(list)); diff != "" || header.Get("Hearth-Reset") != reason {
			t.Errorf("%s: %q %s", reason, header.Get("Hearth-Reset"), diff)
		}
	}
	// Without events at the end of its page a reader keeps its place.
	_, header = h.page(t, "mine", "?type=none")
	if !strings.HasPrefix(header.Get("Hearth-Cursor"), "10.") {
		t.Errorf("the cursor of an empty page is %s", header.Get("Hearth-Cursor"))
	}
}

// A page ends after some 8 MiB, whatever its limit, and says where to go on; one
// larger event is a page of its own.
func TestPagesEndByTheirSize(t *testing.T) {
	h := start(t)
	large := `{"event":{"type":"large","text":"` + strings.Repeat("x", 3<<20) + `"}}`
	for range 4 {
		h.publish(t, "large", large)
	}
	h.publish(t, "large", `{"event":{"type":"larger","text":"`+strings.Repeat("x", 12<<20)+`"}}`)
	var got []uint64
	pages := h.walk(t, eventsOf("large"), "next")
	for _, p := range pages {
		got = append(got, seqs(p)...)
	}
	if diff := cmp.Diff(span(1, 5), got); diff != "" || len(pages) < 3 {
		t.Errorf("%d pages: %s", len(pages), diff)
	}
}

// Filters see all of a long stream, page by page, though hardly anything in it is
// wanted: a page that looked at much ends, and says where to go on.
func TestSparsePages(t *testing.T) {
	h := start(t)
	h.publish(t, "sparse", `{"type":"rare"}`)
	for range 3 {
		h.publishMany(t, "sparse", 40_000)
	}
	h.publish(t, "sparse", `{"type":"rare"}`)
	var got []uint64
	for _, p := range h.walk(t, eventsOf("sparse")+"?type=rare", "next") {
		got = append(got, seqs(p)...)
	}
	if diff := cmp.Diff([]uint64{1, 120_002}, got); diff != "" {
		t.Error(diff)
	}
	got = nil
	for _, p := range h.walk(t, eventsOf("sparse")+"?type=rare&last=10", "prev") {
		got = append(seqs(p), got...)
	}
	if diff := cmp.Diff([]uint64{1, 120_002}, got); diff != "" {
		t.Errorf("backwards: %s", diff)
	}
}
