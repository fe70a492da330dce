package render

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"platen.dev/browserpool/page"
	"platen.dev/einvoice/sample"
	"platen.dev/events"
	"platen.dev/events/testkit"
)

// lender lends a test's pages: it announces each lease, and prints when the test says so.
type lender struct {
	asked chan events.Lane
	print func(ctx context.Context, p page.Print) (page.Result, error)
}

func (l *lender) acquire(ctx context.Context, account events.AccountID, lane events.Lane) (Lease, error) {
	if account == "acc_hopeless" {
		<-ctx.Done()
		return (*lent)(nil), ctx.Err() // as a pool does
	}
	l.asked <- lane
	return lent{l}, nil
}

type lent struct{ *lender }

func (l lent) Print(ctx context.Context, p page.Print) (page.Result, error) { return l.print(ctx, p) }

func (lent) Capture(context.Context, page.Capture) (page.Image, error) {
	return page.Image{}, errors.New("a preview is no picture")
}

func (lent) Return() {}

// previewer returns a renderer that only makes previews.
func previewer(l *lender) *Renderer {
	return &Renderer{previews: newPreviews(), cfg: Config{Acquire: l.acquire, Logger: testkit.Silent(), Now: time.Now}}
}

var anInvoice = Preview{XML: sample.XML("basic"), Profile: "basic"}

// An account has one preview under way and one waiting, a node two under way: the next waits for as long as it may, and leaves no trace.
func TestPreviewsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := &lender{asked: make(chan events.Lane, 9)}
		l.print = func(ctx context.Context, _ page.Print) (page.Result, error) {
			<-ctx.Done()
			return page.Result{}, ctx.Err()
		}
		r := previewer(l)
		ended := make(chan error, 9)
		begin := func(account events.AccountID) {
			go func() {
				_, err := r.Preview(t.Context(), account, anInvoice)
				ended <- err
			}()
			synctest.Wait()
		}
		start := time.Now()
		at := func(seconds int) { // of the bubble
			time.Sleep(time.Until(start.Add(time.Duration(seconds) * time.Second)))
			synctest.Wait()
		}
		lends := func(want int) {
			t.Helper()
			if len(l.asked) != want {
				t.Errorf("after %v, %d pages were lent, want %d", time.Since(start), len(l.asked), want)
			}
		}
		begin("acc_a")
		at(1)
		begin("acc_b")
		at(2)
		begin("acc_a")
		begin("acc_a")
		if err := <-ended; !errors.Is(err, ErrPreviewBusy) || time.Since(start) != 2*time.Second {
			t.Errorf("the third of an account: %v after %v", err, time.Since(start))
		}
		at(3)
		begin("acc_c")
		lends(2)
		at(10)
		lends(3) // acc_c has that of acc_a
		at(11)
		lends(4) // the second of acc_a has that of acc_b
		at(13)
		for range 4 {
			var failed *PreviewError
			if err := <-ended; !errors.As(err, &failed) || failed.Code != events.PageTimeout {
				t.Errorf("ended with %v", err)
			}
		}
		if waited := time.Since(start); waited != 3*time.Second+PreviewTime {
			t.Errorf("the last ended after %v", waited)
		}
		begin("acc_a")
		lends(5)
		<-ended
		if len(r.previews.of) > 0 {
			t.Errorf("%v are left", r.previews.of)
		}
		for range 5 {
			if lane := <-l.asked; lane != events.Slow {
				t.Errorf("lane %v", lane)
			}
		}
	})
}

// Without a page in time the node is busy; a client that goes away gets its own error.
func TestPreviewWithoutAPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := previewer(&lender{asked: make(chan events.Lane, 1)})
		if _, err := r.Preview(t.Context(), "acc_hopeless", anInvoice); !errors.Is(err, ErrPreviewBusy) {
			t.Errorf("got %v", err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := r.Preview(ctx, "acc_hopeless", anInvoice); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
	})
}

// A failure has the code of a job, and prints are as a job's, within the bound of a preview.
func TestPreviewFails(t *testing.T) {
	l := &lender{asked: make(chan events.Lane, 9)}
	var printed page.Print
	for code, fails := range map[events.ErrorCode]error{events.FileTooLarge: page.ErrTooLarge, events.BrowserCrashed: page.ErrCrashed, events.EInvoiceFailed: page.ErrRender} {
		l.print = func(_ context.Context, p page.Print) (page.Result, error) {
			printed = p
			return page.Result{}, fails
		}
		var failed *PreviewError
		_, err := previewer(l).Preview(t.Context(), "acc_a", anInvoice)
		if !errors.As(err, &failed) || failed.Code != code || !errors.Is(err, fails) {
			t.Errorf("%v: got %v", fails, err)
		}
	}
	l.print = func(context.Context, page.Print) (page.Result, error) { return page.Result{}, page.ErrOutput }
	var failed *PreviewError
	if _, err := previewer(l).Preview(t.Context(), "acc_a", anInvoice); !errors.Is(err, page.ErrOutput) || errors.As(err, &failed) {
		t.Errorf("a fault of the node: got %v", err)
	}
	if printed.MaxBytes != MaxPreview || !strings.Contains(printed.HTML, "R-2026-0042") || printed.URL != "" {
		t.Errorf("printed %+v", printed)
	}
	l.print = func(context.Context, page.Print) (page.Result, error) {
		panic("no page")
	}
	if _, err := previewer(l).Preview(t.Context(), "acc_a", anInvoice); err == nil {
		t.Error("a panic is no error")
	}
}
