package consolehttp

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"hearth/relay/console"
)

// archiveType is the media type of an archive.
const archiveType = "application/octet-stream"

// failureTrailer follows an archive that was not written to its end, and says why
// in the form of a Refusal (RFC 9110, section 6.5).
const failureTrailer = "Hearth-Failure"

// archiveRoutes let streams leave and come back.
func archiveRoutes(a console.Archives) map[string]route {
	return map[string]route{
		Prefix + "export": {answer: func(_ *http.Request, q query) (any, error) {
			if q["names"] == "" {
				return nil, badRequest("names lists the streams to export, with commas between them")
			}
			var streams []console.StreamRef
			for name := range strings.SplitSeq(q["names"], ",") {
				streams = append(streams, console.StreamRef{Space: q["space"], Name: name})
			}
			return exporter{a, streams}, nil
		}, parameters: []string{"space", "names"}},
		Prefix + "import": {answer: func(*http.Request, query) (any, error) { return importer{a}, nil }, posted: true},
	}
}

// unhurried takes the deadlines away: the owner may read from a slow disk, or
// write to one. It ends with the relay or his connection.
func unhurried(w http.ResponseWriter) {
	control := http.NewResponseController(w)
	// Where there are no deadlines there is none to be taken away.
	_ = control.SetReadDeadline(time.Time{})
	_ = control.SetWriteDeadline(time.Time{})
}

// exporter answers with an archive.
type exporter struct {
	console.Archives
	streams []console.StreamRef
}

// ServeHTTP implements [http.Handler].
func (e exporter) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodHead {
		w.Header().Set("Content-Type", archiveType)
		return
	}
	unhurried(w)
	body := &archiveBody{w: w}
	err := e.Export(r.Context(), body, e.streams)
	switch {
	case err == nil:
	case body.begun:
		// Strings always encode, and in the end without a line break.
		why, _ := json.Marshal(refusalOf(archiveError(err)))
		w.Header().Set(failureTrailer, string(why))
	default:
		refuse(w, archiveError(err))
	}
}

// archiveBody is the body of an answer that begins with its first byte.
type archiveBody struct {
	w     http.ResponseWriter
	begun bool
}

func (b *archiveBody) Write(p []byte) (int, error) {
	if !b.begun {
		b.begun = true
		b.w.Header().Set("Content-Type", archiveType)
		b.w.Header().Set("Trailer", failureTrailer)
	}
	return b.w.Write(p)
}

// importer takes in an archive.
type importer struct{ console.Archives }

// ServeHTTP implements [http.Handler].
func (i importer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	unhurried(w)
	streams, err := i.Import(r.Context(), r.Body)
	if err != nil {
		// So that the client hears why, who hears nothing before he has sent it all.
		_, _ = io.Copy(io.Discard, r.Body)
		refuse(w, archiveError(err))
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(mapped(streams, ImportedOf)) // whoever is gone needs no answer
}

// archiveError makes a refusal of what a person can do something about.
func archiveError(err error) error {
	refused, ok := errors.AsType[*console.ImportError](err)
	switch {
	case ok:
		return &Refusal{Status: http.StatusConflict, Code: "import_refused", Message: refused.Reason, Todo: refused.Todo}
	case errors.Is(err, console.ErrImporting):
		return busy(err.Error())
	case errors.Is(err, console.ErrNotFound):
		return noSuchThing
	default:
		return err
	}
}

// Imported is console.Imported in JSON.
type Imported struct {
	Space    string `json:"space"`
	Name     string `json:"name"`
	Archived uint64 `json:"archived"`
	Before   uint64 `json:"before"`
	Head     uint64 `json:"head"`
}

// ImportedOf puts what became of a stream into its JSON form.
func ImportedOf(i console.Imported) Imported {
	return Imported{i.Space, i.Name, i.Archived, i.Before, i.Head}
}

// Console returns what i is the JSON form of.
func (i Imported) Console() console.Imported {
	return console.Imported{
		StreamRef: console.StreamRef{Space: i.Space, Name: i.Name}, Archived: i.Archived, Before: i.Before, Head: i.Head,
	}
}

// Export implements [console.Archives], for streams of one space.
func (c *Client) Export(ctx context.Context, to io.Writer, streams []console.StreamRef) error {
	var names []string
	for _, s := range streams {
		names = append(names, s.Name)
		if s.Space != streams[0].Space {
			return errors.New("streams of several spaces are exported one space after the other")
		}
	}
	if len(names) == 0 {
		return errors.New("no stream is named")
	}
	q := of(console.StreamRef{Space: streams[0].Space})
	q.Del("name")
	q.Set("names", strings.Join(names, ","))
	response, err := c.ask(ctx, http.MethodGet, "export?"+q.Encode(), nil)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if _, err := io.Copy(to, response.Body); err != nil {
		return fmt.Errorf("the archive did not come whole: %w", err)
	}
	if why := response.Trailer.Get(failureTrailer); why != "" {
		return refused(response.StatusCode, []byte(why))
	}
	return nil
}

// Import implements [console.Archives].
func (c *Client) Import(ctx context.Context, from io.Reader) (streams []console.Imported, err error) {
	// Who sends the body closes it, if it can be closed: it is the caller's.
	response, err := c.send(ctx, http.MethodPost, "import", io.NopCloser(from), archiveType)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, response.Body.Close()) }()
	list, err := decoded[[]Imported](read(response.Body))
	return listed(list, Imported.Console), err
}
