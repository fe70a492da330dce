package render

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"platen.dev/actors/render/attempt"
	"platen.dev/document"
	"platen.dev/events"
)

// Preview is an e-invoice to be shown by a block template, outside of any job. The template is JSON that the API accepts.
type Preview struct {
	XML     []byte
	Profile string
	// Format is contract.UBL, "" for contract.FacturX.
	Format   string
	Template []byte
	// Pictures is the maximum number of pages to draw, and Width their width in pixels.
	Pictures, Width int
}

// Previewed is the file of a preview.
type Previewed struct {
	PDF   []byte
	Pages int
	// Pictures are those of the first pages, as PNG.
	Pictures [][]byte
}

const (
	// PreviewTime bounds a preview, including its wait for a page and its pictures.
	PreviewTime = 10 * time.Second
	// MaxPreview bounds the file of a preview, in bytes.
	MaxPreview = 10 << 20
	// previewsAtOnce is how many a node makes at once; each account has at most one.
	previewsAtOnce = 2
)

// ErrPreviewBusy means that the account has enough previews under way, or that no page was free in time.
var ErrPreviewBusy = errors.New("no page for another preview")

// PreviewError is why there is no preview: the error that a job would have ended with.
type PreviewError struct {
	Code events.ErrorCode
	err  error
}

func (e *PreviewError) Error() string { return fmt.Sprintf("preview: %s: %v", e.Code, e.err) }

func (e *PreviewError) Unwrap() error { return e.err }

// previews are the previews under way.
type previews struct {
	room *semaphore.Weighted

	mu sync.Mutex
	of map[events.AccountID]*turn
}

// turn queues the previews of an account: one is made and one more may wait, because somebody who keeps typing, or saves, abandons the previous one.
type turn struct {
	taken chan struct{}
	count int // guarded by previews.mu
}

const mostOfAnAccount = 2

func newPreviews() *previews {
	return &previews{room: semaphore.NewWeighted(previewsAtOnce), of: map[events.AccountID]*turn{}}
}

// enter waits until another preview may begin. It refuses at once what exceeds the account's bound.
func (p *previews) enter(ctx context.Context, account events.AccountID) (leave func(), err error) {
	t := p.begin(account)
	if t == nil {
		return nil, ErrPreviewBusy
	}
	select {
	case t.taken <- struct{}{}:
	case <-ctx.Done():
		p.end(account)
		return nil, ErrPreviewBusy
	}
	if p.room.Acquire(ctx, 1) != nil {
		<-t.taken
		p.end(account)
		return nil, ErrPreviewBusy
	}
	return func() { p.room.Release(1); <-t.taken; p.end(account) }, nil
}

func (p *previews) begin(account events.AccountID) *turn {
	p.mu.Lock()
	defer p.mu.Unlock()
	t := p.of[account]
	if t == nil {
		t = &turn{taken: make(chan struct{}, 1)}
		p.of[account] = t
	}
	if t.count == mostOfAnAccount {
		return nil
	}
	t.count++
	return t
}

func (p *previews) end(account events.AccountID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.of[account].count--; p.of[account].count == 0 {
		delete(p.of, account)
	}
}

// Preview makes the file that a job would make of an e-invoice, by the same steps, and keeps nothing of it: no job, no charge, no stored file. It
// takes a page like a slow job, yielding to all others. The error is ErrPreviewBusy, a *PreviewError, that of ctx, or a fault of something the node
// depends on.
func (r *Renderer) Preview(ctx context.Context, account events.AccountID, p Preview) (Previewed, error) {
	within, cancel := context.WithTimeout(ctx, PreviewTime)
	defer cancel()
	leave, err := r.previews.enter(within, account)
	if err != nil {
		return Previewed{}, err
	}
	defer leave()
	w := previewWork(r.cfg, account, p)
	if err = w.preview(within); err == nil {
		var pictures [][]byte
		if pictures, err = w.pictures(within, p); err == nil {
			return Previewed{w.out.data, w.out.pages, pictures}, nil
		}
	}
	switch {
	case ctx.Err() != nil:
		return Previewed{}, ctx.Err()
	case within.Err() != nil && w.lease == nil:
		return Previewed{}, ErrPreviewBusy
	case within.Err() != nil:
		return Previewed{}, &PreviewError{events.PageTimeout, err}
	case infrastructure(err):
		return Previewed{}, err
	}
	return Previewed{}, &PreviewError{w.faultOf(err).Code, err}
}

// pictures draws the first pages of the file.
func (w *work) pictures(ctx context.Context, p Preview) (all [][]byte, err error) {
	for number := 1; number <= min(w.out.pages, p.Pictures); number++ {
		picture, err := document.Picture(ctx, w.out.data, number, p.Width)
		if err != nil {
			return nil, fmt.Errorf("picture of page %d: %w", number, err)
		}
		all = append(all, picture)
	}
	return all, nil
}

// previewWork is the work of an attempt without a job.
func previewWork(cfg Config, account events.AccountID, p Preview) *work {
	return &work{
		cfg: cfg, account: account, lane: events.Slow, limit: MaxPreview, accepted: cfg.Now(),
		submission: events.Submission{
			SubmitJob: events.SubmitJob{Operation: events.EInvoiceToPDF},
			Content:   events.Content{Invoice: &events.Invoice{Profile: p.Profile, Format: p.Format, XML: events.Deflate(p.XML), Template: p.Template}},
		},
	}
}

// preview does the steps of an attempt that make a file.
func (w *work) preview(ctx context.Context) (err error) {
	lease, err := w.cfg.Acquire(ctx, w.account, w.lane)
	if err != nil {
		return err
	}
	w.lease = lease
	err = w.step(ctx, attempt.Do{Step: attempt.Render})
	w.lease.Return()
	if err != nil {
		return err
	}
	return w.step(ctx, attempt.Do{Step: attempt.Finish})
}
