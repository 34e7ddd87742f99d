package streamhttp

import (
	"net/http"
	"time"

	"hearth/relay/protocol"
	"hearth/relay/store"
)

// pageRoom is how much memory a page may take: one entry as large as a body, or
// half as many bytes in several, with their heads and links and what the store
// reads around them.
const pageRoom = protocol.MaxBody + 1<<20

// read answers with a page ("Reading").
func (x *exchange) read() error {
	ref, err := x.ref()
	if err != nil {
		return err
	}
	q, err := parseQuery(x.r.URL.RawQuery, "after", "limit")
	if err != nil {
		return err
	}
	after, err := q.cursor("after")
	if err != nil {
		return err
	}
	if after != nil {
		x.position = after.Seq
	}
	limit, err := q.number("limit", protocol.DefaultPageEntries, 1, protocol.MaxPageEntries)
	if err != nil {
		return err
	}
	ctx, o := x.r.Context(), x.handler.options
	room, err := o.Pages.Reserve(ctx, pageRoom)
	if err != nil {
		return err
	}
	defer room.Release()
	start := time.Now()
	page, err := o.Store.Page(ctx, store.Read{Ref: ref, After: after, Entries: limit, Bytes: protocol.MaxPageData})
	if err != nil {
		return err
	}
	took := time.Since(start)
	pieces := make([][]byte, 0, 1+len(page.Wire))
	pieces = append(pieces, protocol.AppendPage(nil, page.Stream, page.Epoch, page.Head, page.Count))
	pieces = append(pieces, page.Wire...)
	size, held := 0, 0
	for _, piece := range pieces {
		size += len(piece)
		held += cap(piece)
	}
	room.Shrink(int64(held))
	err = x.send(http.StatusOK, pieces...)
	o.Observer.Read(ctx, x.visitor, ref, page, size, took, err)
	return nil
}
