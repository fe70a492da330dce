package admin

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"platen.dev/cmd/platen/logdump"
	"platen.dev/events"
)

// This file prints the log, on the server and the client side.

// dumpLog streams the log as text. If that fails midway, it breaks the connection, so that the
// client notices.
func (s *Server) dumpLog(w http.ResponseWriter, r *http.Request) {
	f, err := decodeFilter(r.URL.Query())
	if err != nil {
		refuse(w, 400, err.Error())
		return
	}
	if err := logdump.Write(r.Context(), s.Log, f, w); err != nil {
		s.Logger.Warn("log dump ended early", "error", err)
		panic(http.ErrAbortHandler)
	}
}

// DumpLog prints the log of the running node. The error is ErrNoNode if none answers.
func (c Client) DumpLog(ctx context.Context, f logdump.Filter, w io.Writer) error {
	body, err := c.open(ctx, "GET", "/log?"+encodeFilter(f).Encode(), nil)
	if err != nil {
		return err
	}
	defer body.Close()
	_, err = io.Copy(w, body)
	return err
}

func encodeFilter(f logdump.Filter) url.Values {
	q := url.Values{"account": {string(f.Account)}, "json": {strconv.FormatBool(f.JSON)}}
	if f.Job != (events.JobID{}) {
		q.Set("job", f.Job.String())
	}
	if !f.From.IsZero() {
		q.Set("from", f.From.Format(time.RFC3339Nano))
	}
	return q
}

func decodeFilter(q url.Values) (f logdump.Filter, err error) {
	f.Account, f.JSON = events.AccountID(q.Get("account")), q.Get("json") == "true"
	if text := q.Get("job"); text != "" {
		if f.Job, err = events.ParseJobID(text); err != nil {
			return f, err
		}
	}
	f.From, err = logdump.ParseFrom(q.Get("from"), time.Time{})
	return f, err
}
