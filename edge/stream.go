package edge

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"platen.dev/events"
	"platen.dev/events/contract"
)

const (
	// renewal is how often a download renews its stream's lease.
	renewal = contract.StreamLease / 3
	// part is how many bytes are sent at a time, each within partTime: slower clients are
	// cut off.
	part     = 1 << 20
	partTime = time.Minute
	// heldBack is how many bytes are held back until the end of the download is durable, so
	// that a client that has received everything finds the stream free.
	heldBack = 32 << 10
	// endTimeout is how long to wait for that.
	endTimeout = time.Second
)

// stream is a file on its way to a client. fasthttp writes it with WriteTo and closes
// it, even if the client is gone.
type stream struct {
	file io.ReadCloser
	size int64
	conn net.Conn
	// end frees the stream once, and waits until that is durable.
	end func()
	// broken is told why the file cannot be read.
	broken func(error)
}

func (s *jobs) newStream(conn net.Conn, file io.ReadCloser, size int64, f found, download events.DownloadID) *stream {
	ctx, cancel := context.WithCancel(context.Background())
	go s.renew(ctx, f.account, events.RenewDownload{Job: f.id, Download: download})
	end := sync.OnceFunc(func() {
		cancel()
		s.endDownload(f.account, events.EndDownload{Job: f.id, Download: download})
	})
	return s.streamOf(conn, file, size, f.id, end)
}

// streamOf is a job's file on its way; end is called at its end.
func (s *jobs) streamOf(conn net.Conn, file io.ReadCloser, size int64, job events.JobID, end func()) *stream {
	return &stream{file: file, size: size, conn: conn, end: end, broken: func(err error) {
		s.cfg.Logger.Error("file truncated while it was sent", "job", job.String(), "error", err)
	}}
}

// renew renews the lease of a stream until ctx ends.
func (s *jobs) renew(ctx context.Context, account events.AccountID, renewed events.RenewDownload) {
	ticker := time.NewTicker(renewal)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			s.cfg.Commands.Tell(account, renewed, func(error) {}) // two more renewals are due before the lease ends
		}
	}
}

// endDownload reports that a download has ended. If the report is lost, the stream
// becomes free when its lease ends.
func (s *jobs) endDownload(account events.AccountID, end events.EndDownload) {
	told := make(chan struct{})
	s.cfg.Commands.Tell(account, end, func(err error) {
		if err != nil {
			s.cfg.Logger.Warn("cannot record the end of a download", "job", end.Job.String(), "error", err)
		}
		close(told)
	})
	select {
	case <-told:
	case <-time.After(endTimeout):
	}
}

// Read satisfies io.Reader, which fasthttp requires; fasthttp uses WriteTo.
func (s *stream) Read(b []byte) (int, error) { return s.file.Read(b) }

// WriteTo sends the file. It gives up on a client that takes longer than partTime for one part.
func (s *stream) WriteTo(w io.Writer) (sent int64, err error) {
	for sent < s.size {
		next := min(part, s.size-sent)
		if rest := s.size - sent; rest <= heldBack {
			s.end()
		} else {
			next = min(next, rest-heldBack)
		}
		if err := s.conn.SetWriteDeadline(time.Now().Add(partTime)); err != nil {
			return sent, err
		}
		from := source{Reader: s.file}
		n, err := io.CopyN(w, &from, next)
		if from.err != nil && !errors.Is(from.err, io.EOF) || errors.Is(err, io.EOF) { // otherwise the client's side failed
			s.broken(err)
		}
		sent += n
		if err != nil {
			return sent, err
		}
	}
	return sent, nil
}

// source records the error that ended a reader.
type source struct {
	io.Reader
	err error
}

func (s *source) Read(b []byte) (n int, err error) {
	n, s.err = s.Reader.Read(b)
	return n, s.err
}

// Close ends the download.
func (s *stream) Close() error {
	s.end()
	return s.file.Close()
}
