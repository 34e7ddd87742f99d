package consolehttp_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"hearth/relay/console"
	"hearth/relay/consolehttp"
)

// archiving is a relay whose archives a test steers.
type archiving struct {
	console.Relay
	export   func(to io.Writer, streams []console.StreamRef) error
	imported func(from io.Reader) ([]console.Imported, error)
}

func (a archiving) Export(_ context.Context, to io.Writer, streams []console.StreamRef) error {
	return a.export(to, streams)
}

func (a archiving) Import(_ context.Context, from io.Reader) ([]console.Imported, error) {
	return a.imported(from)
}

func serveArchiving(t *testing.T, a archiving) *consolehttp.Client {
	t.Helper()
	s := httptest.NewServer(consolehttp.Handler(a, func(*http.Request) error { return nil }))
	t.Cleanup(s.Close)
	c := consolehttp.NewClient(consolehttp.At(s.URL, ""))
	t.Cleanup(func() { _ = c.Close() })
	return c
}

// An archive goes over HTTP both ways as it is, and what became of its streams
// comes back.
func TestArchives(t *testing.T) {
	r, url := start(t)
	write(t, url, "notes", "one", "two")
	write(t, url, "tasks", "three")
	c, ctx := client(t, r, url), t.Context()
	streams := []console.StreamRef{{Space: "default", Name: "notes"}, {Space: "default", Name: "tasks"}}
	var file bytes.Buffer
	if err := c.Export(ctx, &file, streams); err != nil {
		t.Fatal(err)
	}
	other, otherURL := start(t)
	got, err := client(t, other, otherURL).Import(ctx, &file)
	want := []console.Imported{{StreamRef: streams[0], Archived: 2, Head: 2}, {StreamRef: streams[1], Archived: 1, Head: 1}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if err := c.Export(ctx, &file, []console.StreamRef{{Space: "default", Name: "none"}}); !errors.Is(err, console.ErrNotFound) || file.Len() > 0 {
		t.Errorf("what is not there: %v, %d bytes", err, file.Len())
	}
}

// What fails after the first byte of an archive is told all the same.
func TestExportFails(t *testing.T) {
	c := serveArchiving(t, archiving{export: func(to io.Writer, _ []console.StreamRef) error {
		_, err := io.Copy(to, strings.NewReader(strings.Repeat("x", 1<<20)))
		return errors.Join(err, errors.New("the stream “notes”\nis damaged"))
	}})
	var file bytes.Buffer
	err := c.Export(t.Context(), &file, []console.StreamRef{{Space: "default", Name: "notes"}})
	if err == nil || err.Error() != "the stream “notes”\nis damaged" || file.Len() != 1<<20 {
		t.Errorf("%v, and %d bytes", err, file.Len())
	}
}

// Why an archive is refused is heard also where much of it was not sent yet, and
// so is what to do.
func TestImportRefused(t *testing.T) {
	why := error(&console.ImportError{Reason: "It is none.", Todo: "Take another one."})
	c := serveArchiving(t, archiving{imported: func(from io.Reader) ([]console.Imported, error) {
		_, err := io.ReadFull(from, make([]byte, 10))
		return nil, errors.Join(err, why)
	}})
	large := func() io.Reader { return io.LimitReader(zeros{}, 64<<20) }
	_, err := c.Import(t.Context(), large())
	refusal, ok := errors.AsType[*consolehttp.Refusal](err)
	if !ok || refusal.Code != "import_refused" || refusal.Message != "It is none." || refusal.Hint() != "Take another one." {
		t.Errorf("the error is %v", err)
	}
	why = console.ErrImporting
	_, err = c.Import(t.Context(), large())
	if refusal, ok := errors.AsType[*consolehttp.Refusal](err); !ok || refusal.Code != "busy" {
		t.Errorf("a second one: %v", err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
