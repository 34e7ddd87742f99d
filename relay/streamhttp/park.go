package streamhttp

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"hearth/relay/access"
	"hearth/relay/guard"
	"hearth/relay/notify"
	"hearth/relay/protocol"
)

// restTime is how long a connection may rest after a wait was answered, until the
// next request begins; it bounds the time that the answer may take, too. It is
// longer than the longest wait, so that a client that waits again and again keeps
// its connection.
const restTime = 2 * time.Minute

// parked is a wait that is held by its connection alone: net/http has let go of
// that, and of the 10 KiB of buffers and the deep stack that it keeps for a request.
// A goroutine with a small one listens whether the client leaves. There may be ten
// thousand waits, and an answer to one takes little more than the call of the
// system that sends it.
type parked struct {
	*waiter
	handler *Handler
	visitor access.Visitor
	server  *http.Server // where the connection goes back to
	conn    net.Conn
	head    []byte // of the answer, up to what depends on the time and on the body
	began   time.Time
	news    *notify.Subscription

	mu       sync.Mutex // held while the answer is written
	over     bool       // whether it is answered, or the client is gone
	timer    *time.Timer
	resuming chan struct{} // closed at the answer, where the next request has come before it

	answered atomic.Bool // and the answer is out
	first    [1]byte     // of the next request
}

// mayPark says whether a wait may do without net/http: whether the client speaks
// HTTP/1.1 in the open, and goes on afterwards.
func (x *exchange) mayPark() (*http.Server, bool) {
	server, served := x.r.Context().Value(http.ServerContextKey).(*http.Server)
	_, hijacker := x.w.(http.Hijacker)
	return server, served && hijacker && x.r.Method == http.MethodGet && x.r.ProtoMajor == 1 && x.r.ProtoAtLeast(1, 1) &&
		!x.r.Close && x.r.ContentLength == 0 && x.r.TLS == nil
}

// park holds a wait in which there is nothing to tell yet, and answers the others.
func (x *exchange) park(w *waiter, server *http.Server) error {
	h := x.handler
	p := &parked{waiter: w, handler: h, visitor: x.visitor, server: server, began: time.Now()}
	p.mu.Lock()
	defer p.mu.Unlock()
	h.options.Observer.Waiting(1)
	// To subscribe first and to look then misses nothing in between.
	p.news = h.options.Hub.SubscribeFunc(p.wake, w.refs...)
	defer func() {
		if p.conn == nil {
			p.end()
		}
	}()
	heads, over, err := p.look(x.r.Context())
	if err != nil {
		return err
	}
	if over {
		p.end()
		x.tell(w, heads, p.began)
		return nil
	}
	p.head = x.waitHead()
	conn, buffered, err := http.NewResponseController(x.w).Hijack()
	if err != nil {
		return err
	}
	x.begun = true
	early, _ := buffered.Reader.Peek(buffered.Reader.Buffered()) // no more than there is
	p.conn = bare(conn)
	_ = p.conn.SetDeadline(p.began.Add(w.timeout + restTime)) // without one it would just be held
	h.lot.enter(p)
	p.timer = time.AfterFunc(w.timeout, p.expire)
	go p.listen(bytes.Clone(early))
	return nil
}

// look asks the store where the streams stand, and says whether that is the
// answer.
func (p *parked) look(ctx context.Context) (heads []protocol.Head, over bool, err error) {
	err = p.waiter.look(ctx, p.handler.options.Store)
	moved, closed := p.news.Take()
	switch {
	case err == nil:
		p.merge(moved)
		heads = p.differing()
		return heads, len(heads) > 0 || p.timeout == 0 || closed, nil
	case closed:
		return []protocol.Head{}, true, nil
	default:
		return nil, false, err
	}
}

// waitHead returns the head of the answer to a wait, but for its length and date.
func (x *exchange) waitHead() []byte {
	header := x.w.Header()
	header.Set("Cache-Control", "no-store")
	header.Set("Content-Type", protocol.MediaType)
	var b bytes.Buffer
	b.WriteString("HTTP/1.1 200 OK\r\n")
	_ = header.Write(&b) // which memory takes
	return b.Bytes()
}

// wake hears of news.
func (p *parked) wake() { go p.answer(false) }

// expire hears that the time is up.
func (p *parked) expire() { p.answer(true) }

// answer answers the wait, unless it was already, or has nothing to tell and
// time.
func (p *parked) answer(expired bool) {
	defer p.rescue()
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.over {
		return
	}
	defer p.goOn()
	moved, closed := p.news.Take()
	p.merge(moved)
	heads := p.differing()
	if len(heads) == 0 && !closed && !expired {
		return
	}
	p.end()
	p.handler.options.Observer.Waited(context.Background(), p.visitor, len(p.watches), len(heads), time.Since(p.began))
	p.send(heads)
	p.answered.Store(true)
	if p.handler.options.Closing() {
		_ = p.conn.Close() // lot.clear has not seen that it is answered, or will not come to it
	}
	p.waiter, p.news, p.head = nil, nil, nil // the connection may rest for long
}

// goOn lets the next request be served if it has come before the answer. Deferred.
func (p *parked) goOn() {
	if p.over && p.resuming != nil {
		close(p.resuming)
	}
}

// send writes the answer. A client that does not take it asks again.
func (p *parked) send(heads []protocol.Head) {
	body := protocol.Encode(protocol.Heads{Heads: heads})
	b := make([]byte, 0, len(p.head)+len(body)+128)
	b = append(b, p.head...)
	if p.handler.options.Closing() {
		b = append(b, "Connection: close\r\n"...)
	}
	b = strconv.AppendInt(append(b, "Content-Length: "...), int64(len(body)), 10)
	b = time.Now().UTC().AppendFormat(append(b, "\r\nDate: "...), http.TimeFormat)
	b = append(append(b, "\r\n\r\n"...), body...)
	if _, err := p.conn.Write(b); err != nil {
		_ = p.conn.Close()
	}
}

// end ends the wait, if it is not over.
func (p *parked) end() {
	if p.over {
		return
	}
	p.over = true
	p.news.Stop()
	if p.timer != nil {
		p.timer.Stop()
	}
	p.handler.options.Observer.Waiting(-1)
}

// listen waits for the client's next request, given what there is of it, and has
// the server serve it once the wait is answered.
func (p *parked) listen(early []byte) {
	defer p.handler.lot.leave(p)
	if len(early) == 0 {
		if _, err := p.conn.Read(p.first[:]); err != nil {
			p.gone()
			return
		}
		early = p.first[:]
	}
	if answered := p.next(); answered != nil {
		<-answered
	}
	resume(p.server, p.conn, early)
}

// next returns what has to be waited for before the next request is served; nil if
// nothing has.
func (p *parked) next() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.over {
		p.resuming = make(chan struct{})
	}
	return p.resuming
}

// gone ends a wait whose client is gone, or has rested for too long after it.
func (p *parked) gone() {
	_ = p.conn.Close() // first: an answer under way holds the lock
	p.mu.Lock()
	defer p.mu.Unlock()
	p.end()
}

// rescue breaks off the connection of a wait during which something panicked.
// Deferred.
func (p *parked) rescue() {
	value := recover()
	if value == nil {
		return
	}
	_ = p.conn.Close()
	why := guard.Panicked(value)
	told := problem(why)
	p.handler.options.Observer.Refused(context.Background(), Refusal{
		Visitor: p.visitor, Action: Wait, Problem: told, Status: told.Code.Status(), Err: why,
	})
}
