package guard

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
)

// A body's memory is nobody else's until it is released, and then one's only, also
// if it was released twice.
func TestBodiesShareNothing(t *testing.T) {
	t.Parallel()
	budget := NewBudget(1 << 30)
	read := func(b byte, size int) *Body {
		r := httptest.NewRequest(http.MethodPost, "/", bytes.NewReader(bytes.Repeat([]byte{b}, size)))
		body, err := ReadBody(httptest.NewRecorder(), r, budget, 16<<20)
		if err != nil {
			t.Error(err)
			return nil
		}
		return body
	}
	var reading sync.WaitGroup
	for worker := range 8 {
		reading.Go(func() {
			for i := range 5 {
				// On both sides of each bound.
				for _, size := range []int{0, 1 << 10, 1<<10 + 1, 60_000, 1 << 16, 1<<16 + 1, 2 << 20, 2<<20 + 1} {
					mark := byte(worker + 8*i)
					held := []*Body{read(mark, size), read(mark+100, size)}
					for k, body := range held {
						if body == nil {
							return
						}
						if want := bytes.Repeat([]byte{mark + byte(100*k)}, size); !bytes.Equal(body.Bytes, want) {
							t.Errorf("a body of %d bytes is another's", size)
						}
					}
					held[0].Release()
					held[0].Release()
					held[1].Release()
				}
			}
		})
	}
	reading.Wait()
	if _, ok := budget.TryReserve(1 << 30); !ok {
		t.Error("not all of the budget is free again")
	}
}
