package streamhttp

import (
	"errors"
	"mime"
	"net/http"
	"time"

	"hearth/relay/guard"
	"hearth/relay/protocol"
	"hearth/relay/store"
)

// write appends a batch ("Writing"). Its query is ignored.
func (x *exchange) write() error {
	ref, err := x.ref()
	if err != nil {
		return err
	}
	if !isCBOR(x.r.Header.Get("Content-Type")) {
		return errorf(protocol.UnsupportedMediaType, "a batch is sent as %s", protocol.MediaType)
	}
	o := x.handler.options
	// The store needs little memory beside the body, however many entries are in
	// it: their bytes stay where they are until it writes them.
	body, err := guard.ReadBody(x.w, x.r, o.Bodies.Share(x.r), protocol.MaxBody)
	if err != nil {
		return err
	}
	defer body.Release()
	start := time.Now()
	batch, err := protocol.DecodeBatch(body.Bytes)
	if err != nil {
		return err
	}
	if batch.Entries.Len() == 0 {
		return errorf(protocol.BadRequest, "a batch has at least one entry")
	}
	ctx := x.r.Context()
	written, err := o.Store.Append(ctx, store.Append{
		Ref: ref, Batch: batch, Writer: x.visitor.Key,
	})
	if err != nil {
		return err
	}
	o.Observer.Wrote(ctx, x.visitor, ref, written, len(body.Bytes), time.Since(start))
	// A client that is gone by now finds its batch written all the same.
	_ = x.send(http.StatusOK, protocol.Encode(protocol.Written{
		Stream:   written.Stream,
		Epoch:    written.Epoch,
		First:    written.First,
		Last:     written.Last,
		Repeated: written.Repeated,
	}))
	return nil
}

// isCBOR says whether a media type is CBOR's, whatever its case and parameters.
func isCBOR(contentType string) bool {
	t, _, err := mime.ParseMediaType(contentType)
	return (err == nil || errors.Is(err, mime.ErrInvalidMediaParameter)) && t == protocol.MediaType
}
