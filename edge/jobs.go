package edge

import (
	"errors"
	"strconv"
	"time"

	"github.com/valyala/fasthttp"

	"platen.dev/events"
	"platen.dev/projections"
)

// found is a job of the caller's account.
type found struct {
	account events.AccountID
	id      events.JobID
	job     projections.Job
}

// find reads a job of the caller's account. With settled, a job that has not ended
// according to the read models is looked at again once they have caught up.
func (s *Server) find(ctx *fasthttp.RequestCtx, text string, settled bool) (f found, wrong *problem) {
	caller, wrong := s.enter(ctx)
	if wrong != nil {
		return f, wrong
	}
	id, err := events.ParseJobID(text)
	if err != nil { // unknown, malformed and foreign ids get the same response
		return f, noSuchJob
	}
	job, known, err := s.cfg.Models.Job(caller.Account, id)
	if err == nil && (!known || settled && !ended(job.Status)) {
		job, known, err = s.findFresh(caller.Account, id)
	}
	switch {
	case errors.Is(err, errBehind):
		return f, unavailable
	case err != nil:
		s.cfg.Logger.Error("read job", "job", id.String(), "error", err)
		return f, internalError
	case !known:
		return f, noSuchJob
	}
	return found{caller.Account, id, job}, nil
}

func ended(s events.Status) bool { return s == events.StatusDone || s == events.StatusFailed }

// findFresh looks again once everything durable by now is read: a client never gets a
// 404 for a job that any node has just accepted.
func (s *Server) findFresh(account events.AccountID, id events.JobID) (projections.Job, bool, error) {
	if err := s.catchUp(account); err != nil {
		return projections.Job{}, false, err
	}
	return s.cfg.Models.Job(account, id)
}

func (s *Server) status(ctx *fasthttp.RequestCtx, text string) *problem {
	f, wrong := s.find(ctx, text, false)
	if wrong != nil {
		return wrong
	}
	ctx.SetStatusCode(200)
	ctx.SetContentType(jsonType)
	ctx.SetBody(appendStatus(make([]byte, 0, 512), f.job))
	return nil
}

// appendStatus writes a JobStatusResponse (docs/API.md, Jobs). Every string in it is one
// of Platen's own names, so none needs escaping.
func appendStatus(b []byte, j projections.Job) []byte {
	b = appendString(append(b, `{"status":`...), string(j.Status))
	b = appendInstant(append(b, `,"created_at":`...), j.Created)
	b = appendInstant(append(b, `,"finished_at":`...), j.Finished)
	b = appendInstant(append(b, `,"expires_at":`...), j.Expires)
	b = strconv.AppendBool(append(b, `,"test":`...), j.Test)
	b = appendCount(append(b, `,"pages_count":`...), int64(j.File.Pages))
	b = appendString(append(b, `,"error_code":`...), string(j.Error))
	b = append(b, `,"metrics":`...)
	if j.Status != events.StatusDone {
		return append(b, `null}`...)
	}
	b = strconv.AppendInt(append(b, `{"file_size_bytes":`...), j.File.Size, 10)
	b = appendString(append(b, `,"file_size_human":`...), humanSize(j.File.Size))
	b = strconv.AppendInt(append(b, `,"page_load_ms":`...), j.Metrics.PageLoad, 10)
	b = strconv.AppendInt(append(b, `,"processing_ms":`...), j.Metrics.Processing, 10)
	b = strconv.AppendInt(append(b, `,"total_duration_ms":`...), j.Metrics.Total, 10)
	b = appendCount(append(b, `,"page_count":`...), int64(j.File.Pages))
	return append(b, `}}`...)
}

func appendString(b []byte, s string) []byte {
	if s == "" {
		return append(b, `null`...)
	}
	return append(append(append(b, '"'), s...), '"')
}

func appendInstant(b []byte, i events.Instant) []byte {
	if i == 0 {
		return append(b, `null`...)
	}
	b = i.Time().AppendFormat(append(b, '"'), time.RFC3339)
	ms := int(i % 1000)
	return append(b[:len(b)-1], '.', '0'+byte(ms/100), '0'+byte(ms/10%10), '0'+byte(ms%10), 'Z', '"')
}

func appendCount(b []byte, n int64) []byte {
	if n == 0 {
		return append(b, `null`...)
	}
	return strconv.AppendInt(b, n, 10)
}

// humanSize writes a number of bytes in the largest binary unit of which it has at least one.
func humanSize(bytes int64) string {
	units := []string{"KB", "MB", "GB"}
	if bytes < 1024 {
		return strconv.FormatInt(bytes, 10) + " B"
	}
	size, unit := float64(bytes)/1024, 0
	for size >= 1024 && unit < len(units)-1 {
		size, unit = size/1024, unit+1
	}
	return strconv.FormatFloat(size, 'f', 1, 64) + " " + units[unit]
}
