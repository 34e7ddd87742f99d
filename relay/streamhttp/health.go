package streamhttp

import (
	"net/http"

	"hearth/relay/store"
)

// health says that the relay is up.
func (x *exchange) health() error {
	if x.handler.options.Closing() {
		return store.ErrClosed
	}
	_ = x.answer(http.StatusOK, "text/plain; charset=utf-8", []byte("ok\n"))
	return nil
}
