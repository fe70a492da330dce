package edge

import (
	"errors"
	"io"
	"io/fs"
	"path"
	"time"

	"github.com/valyala/fasthttp"

	"platen.dev/actors/service"
	"platen.dev/events"
	"platen.dev/events/contract"
	"platen.dev/projections"
)

// download streams a job's file. One of its downloads is spent when the account's shard
// grants the stream; the shard is told when the stream ends.
func (s *jobs) download(ctx *fasthttp.RequestCtx, text string) *problem {
	f, wrong := s.find(ctx, text, true)
	if wrong != nil {
		return wrong
	}
	if wrong := s.downloadable(f.job, ctx.IsHead()); wrong != nil {
		return wrong
	}
	switch precondition(&ctx.Request.Header, etagOf(f.id), modified(f.job)) {
	case fasthttp.StatusPreconditionFailed:
		return preconditionFailed
	case fasthttp.StatusNotModified:
		describe(ctx, f.id, f.job)
		ctx.SetStatusCode(fasthttp.StatusNotModified)
		return nil
	}
	if ctx.IsHead() {
		describe(ctx, f.id, f.job)
		ctx.Response.SkipBody = true
		ctx.Response.Header.SetContentLength(int(f.job.File.Size))
		return nil
	}
	return s.send(ctx, f.by(), f)
}

// downloadable returns why there is no file, according to the read models. The account's shard decides again, by its
// own clock; but a HEAD request does not reach the shard, so expiry and downloads are checked here.
func (s *jobs) downloadable(job projections.Job, head bool) *problem {
	now := events.At(s.cfg.Now())
	switch {
	case job.Status != events.StatusDone:
		return notComplete
	case job.Delivered:
		return deliveredElsewhere
	case job.Gone || head && now >= job.Expires:
		return fileExpired
	case job.Downloads >= contract.MaxDownloads && head:
		return downloadsExhausted.after(now.SecondsUntil(job.Expires))
	}
	return nil
}

var contentTypes = map[string]string{".pdf": "application/pdf", ".png": "image/png", ".jpg": "image/jpeg", ".webp": "image/webp"}

// describe sets the headers of a response with a file.
func describe(ctx *fasthttp.RequestCtx, id events.JobID, job projections.Job) {
	extension := path.Ext(job.File.Name)
	h := &ctx.Response.Header
	ctx.SetContentType(contentTypes[extension])
	h.Set("Content-Disposition", `attachment; filename="`+id.String()+extension+`"`)
	h.Set("Accept-Ranges", "none")
	h.Set("Cache-Control", "private, no-store")
	h.Set("ETag", etagOf(id))
	h.Set("Last-Modified", modified(job).Format(lastModified))
}

// etagOf is the entity tag of a job's file, which never changes.
func etagOf(id events.JobID) string { return `"` + id.String() + `"` }

// modified is the time at which a file counts as made, the same in all answers. It is before the end of its job by more than fasthttp's Date lags, which
// is renewed once a second: a Last-Modified must not be later than Date (RFC 9110, section 8.8.2.1).
func modified(job projections.Job) time.Time { return job.Finished.Time().Add(-2 * time.Second) }

const lastModified = "Mon, 02 Jan 2006 15:04:05 GMT"

// send asks for the stream of a file and sends it.
func (s *jobs) send(ctx *fasthttp.RequestCtx, by service.Principal, f found) *problem {
	file, size, wrong := s.open(ctx, f)
	if wrong != nil {
		return wrong
	}
	download := events.NewDownloadID()
	if wrong := s.answered(f.id, s.cfg.Jobs.BeginDownload(by, f.id, download)); wrong != nil {
		_ = file.Close() // it was only read
		return wrong
	}
	describe(ctx, f.id, f.job)
	ctx.SetBodyStream(s.newStream(ctx.Conn(), file, size, f, download), int(size))
	return nil
}

// open opens the file of a job. A directory keeps no checksums: a file with another size than the job's is not sent as if it were the whole one.
func (s *jobs) open(ctx *fasthttp.RequestCtx, f found) (io.ReadCloser, int64, *problem) {
	file, size, err := s.cfg.Open(ctx, f.job.File.Name)
	switch {
	case err == nil && size != f.job.File.Size:
		_ = file.Close() // it was not even read
		s.cfg.Logger.Error("file is damaged", "job", f.id.String(), "bytes", size, "stored", f.job.File.Size)
		return nil, 0, internalError
	case err == nil:
		return file, size, nil
	case events.At(s.cfg.Now()) >= f.job.Expires: // deleted; the deletion is not folded yet
		return nil, 0, fileExpired
	case !errors.Is(err, fs.ErrNotExist):
		return nil, 0, s.unreadable("open file", err, "job", f.id.String())
	}
	s.cfg.Logger.Error("open file", "job", f.id.String(), "error", err)
	return nil, 0, internalError
}
