package reflexhttp

import (
	"math"
	"net/http"
	"net/url"
	"strconv"

	"hearth/relay/reflex"
)

// The parameters of a page.
const (
	afterSeq     = "after_seq"
	beforeSeq    = "before_seq"
	limit        = "limit"
	last         = "last"
	ofType       = "type"
	resumeCursor = "resume_cursor"
)

// read answers with a page of events (contract, "REST").
func (x *exchange) read() error {
	q, err := readQuery(x.r.URL.RawQuery)
	if err != nil {
		return err
	}
	ctx := x.r.Context()
	s, err := x.page(ctx, q)
	if err != nil {
		return err
	}
	defer s.release()
	header := x.w.Header()
	if q.Limit == nil || *q.Limit > 0 {
		for _, link := range links(x.r.URL, s.page) {
			header.Add("Link", link)
		}
	}
	if c := s.page.Cursor; c != nil {
		header.Set("Hearth-Cursor", c.String())
	}
	if s.page.Reset != "" {
		header.Set("Hearth-Reset", s.page.Reset)
	}
	err = x.send(http.StatusOK, s.page.Pieces...)
	x.handler.options.Observer.Paged(ctx, x.visitor, x.ref(), s.page, s.size, s.took, err)
	return nil
}

// readQuery reads which page is wanted. The error is a *reflex.Rejection.
func readQuery(raw string) (reflex.Query, error) {
	q := parseQuery(raw, afterSeq, beforeSeq, limit, last, ofType, resumeCursor, data)
	ask := reflex.Query{
		After:  q.number(afterSeq, 0, math.MaxInt64),
		Before: q.number(beforeSeq, 1, math.MaxInt64),
		Limit:  q.count(limit),
		Last:   q.count(last),
		Types:  q.values[ofType],
		Cursor: q.cursor(resumeCursor),

		WithoutData: q.withoutData(),
	}
	return ask, q.err()
}

// count returns a parameter that says how many events are wanted; nil if it is not
// given.
func (q *query) count(name string) *int {
	if !q.values.Has(name) {
		return nil
	}
	return new(int(q.number(name, 0, reflex.MaxLimit)))
}

// links returns what the header Link says (RFC 8288): where to go on behind the
// page and, from a page of the last events, before it.
func links(asked *url.URL, p reflex.Page) (list []string) {
	link := func(relation string, change func(url.Values)) {
		values := asked.Query()
		change(values)
		target := url.URL{Path: asked.Path, RawPath: asked.RawPath, RawQuery: values.Encode()}
		list = append(list, "<"+target.String()+`>; rel="`+relation+`"`)
	}
	if p.Next > 0 {
		link("next", func(v url.Values) {
			if most := v.Get(last); most != "" {
				// Behind the last events are the first of those that came later.
				v.Set(limit, most)
				v.Del(last)
				v.Del(beforeSeq)
			}
			v.Del(afterSeq)
			if v.Has(resumeCursor) { // who proves its history goes on to do so
				v.Set(resumeCursor, p.Cursor.String())
			} else {
				v.Set(afterSeq, strconv.FormatUint(p.Next, 10))
			}
		})
	}
	if p.Earlier > 0 {
		link("prev", func(v url.Values) { v.Set(beforeSeq, strconv.FormatUint(p.Earlier, 10)) })
	}
	return list
}
