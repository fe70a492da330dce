package edge

import (
	"bytes"
	"context"
	"io"
	"net"
	"path"
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"platen.dev/events"
	"platen.dev/projections"
)

// download streams a job's file. One of its three downloads is spent when the
// account's shard gives the stream away, and the shard hears when it ends.
func (s *Server) download(ctx *fasthttp.RequestCtx, text string) {
	caller, id, job, ok := s.find(ctx, text, true)
	if !ok || !s.downloadable(ctx, job) {
		return
	}
	switch precondition(&ctx.Request.Header, etagOf(id), job.Finished.Time()) {
	case fasthttp.StatusPreconditionFailed:
		s.fail(ctx, preconditionFailed)
		return
	case fasthttp.StatusNotModified:
		describe(ctx, id, job)
		ctx.SetStatusCode(fasthttp.StatusNotModified)
		return
	}
	if ctx.IsHead() {
		describe(ctx, id, job)
		ctx.Response.SkipBody = true
		ctx.Response.Header.SetContentLength(int(job.File.Size))
		return
	}
	s.stream(ctx, caller, id, job)
}

// downloadable tells whether there is a file as far as the read models know, or
// answers why not. The account's shard decides again.
func (s *Server) downloadable(ctx *fasthttp.RequestCtx, job projections.Job) bool {
	now := events.At(s.cfg.Now())
	switch {
	case job.Status != events.StatusDone:
		s.fail(ctx, notComplete)
	case job.Delivered:
		s.fail(ctx, deliveredElsewhere)
	case job.Gone || now >= job.Expires:
		s.fail(ctx, fileExpired)
	case job.Downloads >= maxDownloads && ctx.IsHead():
		s.fail(ctx, downloadsExhausted.after(now.Until(job.Expires)))
	default:
		return true
	}
	return false
}

// maxDownloads is how often a file may be downloaded (api-spec.md, Limits).
const maxDownloads = 3

var contentTypes = map[string]string{".pdf": "application/pdf", ".png": "image/png", ".jpg": "image/jpeg"}

// describe sets the headers of a file's response.
func describe(ctx *fasthttp.RequestCtx, id events.JobID, job projections.Job) {
	extension := path.Ext(job.File.Name)
	h := &ctx.Response.Header
	ctx.SetContentType(contentTypes[extension])
	h.Set("Content-Disposition", `attachment; filename="`+id.String()+extension+`"`)
	h.Set("Accept-Ranges", "none")
	h.Set("Cache-Control", "private, no-store")
	h.Set("ETag", etagOf(id))
	h.Set("Last-Modified", job.Finished.Time().Format(lastModified))
}

// etagOf is the entity tag of a job's file, which never changes.
func etagOf(id events.JobID) string { return `"` + id.String() + `"` }

const lastModified = "Mon, 02 Jan 2006 15:04:05 GMT"

// precondition evaluates a conditional request (RFC 9110, section 13.2.2): 304 or 412
// when nothing is to be sent, otherwise 0.
func precondition(h *fasthttp.RequestHeader, etag string, modified time.Time) int {
	seconds := modified.Truncate(time.Second)
	if match := h.PeekAll("If-Match"); len(match) > 0 {
		if !lists(match, etag) {
			return fasthttp.StatusPreconditionFailed
		}
	} else if since, err := fasthttp.ParseHTTPDate(h.Peek("If-Unmodified-Since")); err == nil && seconds.After(since) {
		return fasthttp.StatusPreconditionFailed
	}
	if match := h.PeekAll("If-None-Match"); len(match) > 0 {
		if lists(match, etag) {
			return fasthttp.StatusNotModified
		}
	} else if since, err := fasthttp.ParseHTTPDate(h.Peek("If-Modified-Since")); err == nil && !seconds.After(since) {
		return fasthttp.StatusNotModified
	}
	return 0
}

// lists tells whether a list of entity tags has the tag, or is *. The list may be
// spread over several lines of the header.
func lists(lines [][]byte, etag string) bool {
	for item := range bytes.SplitSeq(bytes.Join(lines, []byte(",")), []byte(",")) {
		item = bytes.TrimPrefix(bytes.TrimSpace(item), []byte("W/"))
		if string(item) == "*" || string(item) == etag {
			return true
		}
	}
	return false
}

// stream asks for the stream and sends the file.
func (s *Server) stream(ctx *fasthttp.RequestCtx, caller projections.Caller, id events.JobID, job projections.Job) {
	file, size, err := s.cfg.Open(ctx, job.File.Name)
	if err != nil {
		s.cfg.Logger.Error("open file", "job", id.String(), "error", err)
		s.fail(ctx, internalError)
		return
	}
	download := events.NewDownloadID()
	reply, err := s.cfg.Commands.Do(caller.Account, events.BeginDownload{Job: id, Download: download})
	if err != nil || reply.Code != events.Accepted {
		_ = file.Close() // it was only read
		if err != nil {
			s.cfg.Logger.Warn("command without reply", "job", id.String(), "error", err)
			s.fail(ctx, unavailable)
			return
		}
		s.refuse(ctx, reply)
		return
	}
	describe(ctx, id, job)
	ctx.SetBodyStream(s.newStream(ctx.Conn(), file, size, caller.Account, id, download), int(size))
}

const (
	// renewal is how often a download tells that it goes on; its lease lasts three times as long.
	renewal = 10 * time.Second
	// part is how much is sent at a time, within partTime: slower clients are cut off.
	part     = 1 << 20
	partTime = time.Minute
	// tail is what is held back until the log knows that the download is over, so that
	// a client that has everything finds the stream free.
	tail = 32 << 10
	// endPatience is how long that is waited for.
	endPatience = time.Second
)

// stream is a file on its way to a client. fasthttp writes it with WriteTo and closes
// it, whatever becomes of the client.
type stream struct {
	file io.ReadCloser
	size int64
	conn net.Conn
	// end frees the stream once, and waits until that is durable.
	end func()
}

func (s *Server) newStream(conn net.Conn, file io.ReadCloser, size int64, account events.AccountID, job events.JobID, download events.DownloadID) *stream {
	ctx, cancel := context.WithCancel(context.Background())
	go s.renew(ctx, account, events.RenewDownload{Job: job, Download: download})
	end := sync.OnceFunc(func() {
		cancel()
		s.endDownload(account, events.EndDownload{Job: job, Download: download})
	})
	return &stream{file: file, size: size, conn: conn, end: end}
}

// renew keeps the stream until ctx ends.
func (s *Server) renew(ctx context.Context, account events.AccountID, alive events.RenewDownload) {
	ticker := time.NewTicker(renewal)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			s.cfg.Commands.Tell(account, alive, func(error) {}) // the next one may do
		}
	}
}

// endDownload tells that a download is over. Should that get lost, the stream is
// free when its lease ends.
func (s *Server) endDownload(account events.AccountID, end events.EndDownload) {
	told := make(chan struct{})
	s.cfg.Commands.Tell(account, end, func(err error) {
		if err != nil {
			s.cfg.Logger.Warn("end of download not noted", "job", end.Job.String(), "error", err)
		}
		close(told)
	})
	select {
	case <-told:
	case <-time.After(endPatience):
	}
}

// Read is there because fasthttp wants a Reader; it uses WriteTo.
func (s *stream) Read(b []byte) (int, error) { return s.file.Read(b) }

// WriteTo sends the file. A client that takes longer than a minute for a part of it is gone.
func (s *stream) WriteTo(w io.Writer) (sent int64, err error) {
	for sent < s.size {
		next := min(part, s.size-sent)
		if rest := s.size - sent; rest <= tail {
			s.end()
		} else {
			next = min(next, rest-tail)
		}
		if err := s.conn.SetWriteDeadline(time.Now().Add(partTime)); err != nil {
			return sent, err
		}
		n, err := io.CopyN(w, s.file, next)
		sent += n
		if err != nil {
			return sent, err
		}
	}
	return sent, nil
}

// Close ends the download.
func (s *stream) Close() error {
	s.end()
	return s.file.Close()
}
