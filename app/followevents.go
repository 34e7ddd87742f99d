package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"hearth/relay/protocol"
	"hearth/relay/reflex"
)

type followCommand struct {
	eventFlags
	Stream string   `arg:"" name:"stream" help:"The stream to follow. It need not be there yet."`
	Type   []string `help:"Events of this type alone; repeat it for more." placeholder:"TYPE" sep:"none"`
	After  uint64   `help:"Begin behind this position (default: at the stream's start)." placeholder:"SEQ" xor:"begin"`
	Last   *uint    `help:"Begin with the last so many events." placeholder:"N" xor:"begin"`
	Once   bool     `help:"Stop behind what there is now."`
	NoData bool     `help:"Leave out the bytes of opaque entries."`
}

// Help is what --help says beyond the flags.
func (followCommand) Help() string {
	return `Prints the events of a stream as they come, each as a line of JSON: its position, id, time, actor and what caused it, and the event itself. First comes what is there already. A stream of opaque entries shows as events of the type "entry".

If the relay goes away it is waited for, and the stream is followed on from where it was: no event is missed, and none comes twice. Where the stream is another one afterwards, as it can be once a backup was restored, that is told on standard error, and it is followed from its start. An interrupt ends it, and so does whoever reads its output and stops.

What happens on the relay itself is on the stream _relay.

Examples:

  hearth follow doorbell
  hearth follow climate --type temperature --type humidity --last 100
  hearth follow climate --once | jq .event
  hearth follow _relay --type stream_moved`
}

// Run follows a stream until ctx ends, or nobody reads any more what it prints.
func (c followCommand) Run(ctx context.Context, out io.Writer) error {
	relay, err := c.reach(ctx)
	if err != nil {
		return err
	}
	defer relay.close()
	// Whoever read what is printed may go: that is a good end.
	signal.Ignore(syscall.SIGPIPE)
	ctx, gone := context.WithCancel(ctx)
	defer gone()
	defer whenUnread(os.Stdout, gone)()

	f := &follower{
		relay: relay, stream: c.Stream, types: c.Type, once: c.Once, withoutData: c.NoData, after: c.After,
		out: bufio.NewWriterSize(out, 64<<10), // a hundred events of a replay a write
	}
	ended := make(chan error, 1)
	go func() { ended <- f.run(ctx, c.Last) }()
	select {
	case err = <-ended:
	case <-ctx.Done():
		// Who reads this may stand still, and the follower with him.
		select {
		case err = <-ended:
		case <-time.After(goodbyeTime):
		}
	}
	if ctx.Err() != nil || errors.Is(err, syscall.EPIPE) {
		return nil
	}
	return refusal(err)
}

// goodbyeTime is how long whoever interrupts this waits at the most for the relay to
// hear of it, and for what is being printed.
const goodbyeTime = 2 * time.Second

// run follows the stream, from the last so many events on unless last is nil.
func (f *follower) run(ctx context.Context, last *uint) error {
	if last != nil {
		if err := f.relay.persist(ctx, func() error { return f.beginAtLast(ctx, *last) }); err != nil {
			return err
		}
	}
	return f.follow(ctx)
}

// cursorHeader is in which a page says where it ends.
const cursorHeader = "Hearth-Cursor"

// beginAtLast finds the position behind which there are so many events.
func (f *follower) beginAtLast(ctx context.Context, many uint) error {
	if len(f.types) == 0 || many == 0 {
		_, header, err := f.page(ctx, url.Values{"last": {"1"}})
		if head, err := protocol.ParseCursor(header.Get(cursorHeader)); err == nil {
			f.after = head.Seq - min(head.Seq, uint64(many))
		}
		return err
	}
	for before := ""; many > 0; {
		q := url.Values{"last": {strconv.FormatUint(uint64(min(many, reflex.MaxLimit)), 10)}}
		if before != "" {
			q.Set("before_seq", before)
		}
		seqs, header, err := f.page(ctx, q)
		if err != nil {
			return err
		}
		if len(seqs) > 0 {
			f.after = seqs[0] - 1
		}
		many -= uint(len(seqs))
		if before = earlier(header); before == "" {
			if many > 0 {
				f.after = 0
			}
			return nil
		}
	}
	return nil
}

// page asks for a page and returns the positions of its events.
func (f *follower) page(ctx context.Context, q url.Values) (seqs []uint64, header http.Header, err error) {
	q["type"] = f.types
	q.Set("data", "none")
	answer, header, err := f.relay.ask(ctx, http.MethodGet, streamPath(f.stream, "events?")+q.Encode(), nil)
	if err != nil {
		return nil, nil, err
	}
	var list []struct {
		Seq uint64 `json:"seq"`
	}
	if err := json.Unmarshal(answer, &list); err != nil {
		return nil, nil, fmt.Errorf("the relay's answer cannot be read: %w", err)
	}
	for _, e := range list {
		seqs = append(seqs, e.Seq)
	}
	return seqs, header, nil
}

// earlier returns the position before which there is more, as the header Link has it
// (RFC 8288); empty if there is nothing.
func earlier(header http.Header) string {
	for _, link := range header.Values("Link") {
		target, relation, _ := strings.Cut(link, ">")
		if strings.Contains(relation, `rel="prev"`) {
			if u, err := url.Parse(strings.TrimPrefix(target, "<")); err == nil {
				return u.Query().Get("before_seq")
			}
		}
	}
	return ""
}
