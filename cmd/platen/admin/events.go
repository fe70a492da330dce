package admin

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"platen.dev/cmd/platen/logdump"
	"platen.dev/cmd/platen/terminal"
	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/public"
)

// This file shows the public events, on the server and the client side.

// EventFilter selects public events.
type EventFilter struct {
	// Type and Account select the events of one type and of one account, unless empty.
	Type    string
	Account events.AccountID
	// Since selects events from a time on. Without it, only events published from now on are selected.
	Since time.Time
	// Once ends the stream with the last event present now.
	Once bool
}

// EventType returns the full name of a type, which may be abbreviated as in job.finished.
func EventType(name string) (string, error) {
	full := "platen." + strings.TrimSuffix(strings.TrimPrefix(name, "platen."), ".v1") + ".v1"
	if name == "" {
		return "", nil
	}
	if !slices.Contains(public.Types(), full) {
		return "", fmt.Errorf("%q is not a type of events; there are: %s", name, strings.Join(public.Types(), ", "))
	}
	return full, nil
}

// Events visits the events that the running node reads, in order for each account, until ctx ends
// or visit returns an error.
func (c Client) Events(ctx context.Context, f EventFilter, visit func(public.Received) error) error {
	q := url.Values{"type": {f.Type}, "account": {string(f.Account)}, "once": {strconv.FormatBool(f.Once)}}
	if !f.Since.IsZero() {
		q.Set("since", f.Since.Format(time.RFC3339Nano))
	}
	body, err := c.open(ctx, "GET", "/events?"+q.Encode(), nil)
	if err != nil {
		return err
	}
	defer body.Close()
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, 2*eventlog.MaxRecord)
	for lines.Scan() {
		if len(lines.Bytes()) == 0 {
			continue // a keep-alive
		}
		var why string
		if json.Unmarshal(lines.Bytes(), &why) == nil {
			return errors.New(why)
		}
		var e public.Received
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			return err
		}
		if err := visit(e); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return nil
	}
	return lines.Err()
}

func decodeEventFilter(q url.Values) (f EventFilter, err error) {
	if f.Type, err = EventType(q.Get("type")); err != nil {
		return f, err
	}
	f.Account, f.Once = events.AccountID(q.Get("account")), q.Get("once") == "true"
	f.Since, err = logdump.ParseFrom(q.Get("since"), time.Time{})
	return f, err
}

// streamEvents sends events as lines of JSON. If that fails midway, the last line is a JSON string with the reason.
func (s *Server) streamEvents(w http.ResponseWriter, r *http.Request) {
	f, err := decodeEventFilter(r.URL.Query())
	if err != nil {
		refuse(w, 400, err.Error())
		return
	}
	if err := s.checkAccount(f.Account); err != nil {
		answerWith(w, f.Account, nil, err)
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	defer context.AfterFunc(s.closing, cancel)()
	lines, ended := make(chan []byte), make(chan error, 1)
	go func() {
		ended <- s.readEvents(ctx, f, lines)
		close(lines)
	}()
	err = copyLines(w, lines)
	cancel()
	for range lines { // lines under way when the client leaves
	}
	failed := <-ended
	if failed == nil || err != nil {
		return
	}
	why := fmt.Sprintf("the node cannot read on: %v", failed)
	if s.closing.Err() != nil {
		why = "the node is shutting down"
	}
	_ = json.NewEncoder(w).Encode(why) // if the client has left, it does not ask why
}

// checkAccount refuses an unknown account: none of its events would ever come.
func (s *Server) checkAccount(id events.AccountID) error {
	if id == "" {
		return nil
	}
	_, err := s.Services.Accounts.Find(id)
	return err
}

// signOfLife is the maximum interval between two lines, so that a vanished client is noticed.
const signOfLife = 10 * time.Second

func copyLines(w http.ResponseWriter, lines <-chan []byte) error {
	flusher := http.NewResponseController(w)
	alive := time.NewTicker(signOfLife)
	defer alive.Stop()
	for {
		if err := flusher.Flush(); err != nil {
			return err
		}
		var line []byte
		select {
		case next, more := <-lines:
			if !more {
				return nil
			}
			line = next
		case <-alive.C:
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
}

// readEvents reads the partitions in parallel, until ctx ends or one fails; if the filter has Once, each to its
// end, and then it is an error if ctx ends before.
func (s *Server) readEvents(ctx context.Context, f EventFilter, lines chan<- []byte) error {
	first, last := int32(0), s.Log.Partitions()-1
	if f.Account != "" {
		first = events.Partition(f.Account, s.Log.Partitions())
		last = first
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var reading sync.WaitGroup
	errs := make([]error, last-first+1)
	for p := first; p <= last; p++ {
		reading.Go(func() {
			if errs[p-first] = s.readPartition(ctx, p, f, lines); errs[p-first] != nil && !f.Once {
				cancel() // otherwise nobody would hear of it while the others have events
			}
		})
	}
	reading.Wait()
	return errors.Join(errs...)
}

func (s *Server) readPartition(ctx context.Context, p int32, f EventFilter, lines chan<- []byte) error {
	from, end, err := s.Log.Bounds(ctx, events.TopicEvents, p)
	if ctx.Err() != nil {
		return f.cut(ctx)
	}
	if err != nil {
		return err
	}
	if f.Since.IsZero() {
		from = end
	}
	reader := s.Log.Read(events.TopicEvents, p, from)
	defer reader.Close()
	for next := from; !f.Once || next < end; {
		records, err := reader.Next(ctx)
		if ctx.Err() != nil {
			return f.cut(ctx)
		}
		if err != nil {
			return err
		}
		for _, r := range records {
			if f.Once && r.Offset >= end {
				return nil
			}
			next = r.Offset + 1
			if err := f.send(ctx, r, lines); err != nil {
				return err
			}
		}
	}
	return nil
}

// send sends a record if it is selected.
func (f EventFilter) send(ctx context.Context, r eventlog.Record, lines chan<- []byte) error {
	e, err := public.Parse(r)
	selected := err == nil && (f.Type == "" || f.Type == e.Type) && (f.Account == "" || f.Account == e.Account) && !e.At.Before(f.Since)
	if !selected {
		return nil
	}
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	select {
	case lines <- line:
	case <-ctx.Done():
		return f.cut(ctx)
	}
	return nil
}

// cut returns the error of a stream that ends with ctx: only one with Once has an end of its own.
func (f EventFilter) cut(ctx context.Context) error {
	if f.Once {
		return ctx.Err()
	}
	return nil
}

// WriteEvent writes an event for people: the time, type, account, subject, and the rest of the
// data.
func WriteEvent(w io.Writer, e public.Received) error {
	var members map[string]any
	d := json.NewDecoder(bytes.NewReader(e.Data))
	d.UseNumber()
	if err := d.Decode(&members); err != nil {
		return err
	}
	delete(members, "account")
	delete(members, "job_id")
	var rest []string
	for name, value := range members {
		rest = append(rest, fmt.Sprintf("%s=%v", name, value))
	}
	slices.Sort(rest)
	about := e.Subject
	if about == string(e.Account) {
		about = "-"
	}
	name := strings.TrimSuffix(strings.TrimPrefix(e.Type, "platen."), ".v1")
	line := fmt.Sprintf("%s  %-20s  %s  %-36s  %s", events.At(e.At), name, e.Account, about, strings.Join(rest, " "))
	return terminal.To(w).Printf("%s\n", strings.TrimRight(line, " "))
}
