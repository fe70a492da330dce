package dashboard

import (
	"bufio"
	"bytes"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"platen.dev/edge/dashboard/page"
	"platen.dev/events"
	"platen.dev/projections"
)

// Bounds of live pages: their number in all and per account, how often each is updated, and the silence after which a
// keep-alive is sent, which reveals that a browser is gone.
const (
	maxStreams        = 500
	maxAccountStreams = 20
	writeEvery        = 500 * time.Millisecond
	aliveEvery        = 15 * time.Second
)

// live notifies the pages of an account of changes.
type live struct {
	closed chan struct{}
	once   sync.Once

	mu    sync.Mutex
	open  int
	pages map[events.AccountID]map[chan struct{}]bool
}

func newLive() *live {
	return &live{closed: make(chan struct{}), pages: map[events.AccountID]map[chan struct{}]bool{}}
}

func (l *live) close() { l.once.Do(func() { close(l.closed) }) }

// add adds a page of an account; false if there are too many. happened has a value when something has.
func (l *live) add(account events.AccountID) (happened chan struct{}, ok bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open >= maxStreams || len(l.pages[account]) >= maxAccountStreams {
		return nil, false
	}
	happened = make(chan struct{}, 1)
	if l.pages[account] == nil {
		l.pages[account] = map[chan struct{}]bool{}
	}
	l.pages[account][happened] = true
	l.open++
	return happened, true
}

func (l *live) remove(account events.AccountID, happened chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open--
	if delete(l.pages[account], happened); len(l.pages[account]) == 0 {
		delete(l.pages, account)
	}
}

func (l *live) happen(account events.AccountID) {
	for page := range l.pages[account] {
		select {
		case page <- struct{}{}:
		default: // a notification is pending already
		}
	}
}

// Folded notifies the dashboard of what the read models of a partition have just folded. It does not block.
func (d *site) Folded(p projections.Progress) {
	d.live.mu.Lock()
	defer d.live.mu.Unlock()
	if d.live.open == 0 {
		return
	}
	for _, step := range p.Steps {
		if e, ok := step.Entry.(events.Envelope); ok && step.Accepted && len(e.Events) > 0 {
			d.live.happen(e.Account)
		}
	}
}

// stream keeps the live part of a page up to date by server-sent events, until the session ends. view returns what to
// show, nil if there is nothing any more.
func (d *site) stream(ctx *fasthttp.RequestCtx, v visitor, view func() any) {
	happened, ok := d.live.add(v.Account)
	if !ok {
		d.message(ctx, 503, "streams")
		return
	}
	ctx.SetContentType("text/event-stream")
	ctx.Response.Header.Set("X-Accel-Buffering", "no") // so that proxies do not buffer
	ctx.SetBodyStreamWriter(func(w *bufio.Writer) {
		defer d.live.remove(v.Account, happened)
		defer func() { // it runs on a goroutine of fasthttp's
			if r := recover(); r != nil {
				d.cfg.Logger.Error("live page panicked", "panic", fmt.Sprint(r))
			}
		}()
		alive := time.NewTicker(aliveEvery)
		defer alive.Stop()
		var shown []byte
		for {
			_, signedIn := d.signedIn(v.Token)
			if !signedIn || !d.writeEvent(w, view(), &shown) {
				return
			}
			select {
			case <-d.live.closed:
				return
			case <-alive.C:
				_, _ = w.WriteString(": alive\n\n")
			case <-happened:
				d.pause()
			}
		}
	})
}

// pause waits, so that changes in quick succession are written together.
func (d *site) pause() {
	t := time.NewTimer(writeEvery)
	defer t.Stop()
	select {
	case <-t.C:
	case <-d.live.closed:
	}
}

// lineEnds writes all that end a line of an event stream in one way. In HTML they are the same, too.
var lineEnds = strings.NewReplacer("\r\n", "\n", "\r", "\n")

// writeEvent writes the live part of a page if it has changed. It returns false if the browser is gone or there is nothing to show.
func (d *site) writeEvent(w *bufio.Writer, view any, shown *[]byte) bool {
	if view == nil {
		return false
	}
	var b bytes.Buffer
	if err := page.Fragment(&b, view); err != nil {
		d.cfg.Logger.Error("write live page", "error", err)
		return false
	}
	if bytes.Equal(b.Bytes(), *shown) {
		return w.Flush() == nil
	}
	*shown = b.Bytes()
	for line := range strings.SplitSeq(lineEnds.Replace(strings.TrimRight(b.String(), "\n")), "\n") {
		_, _ = w.WriteString("data: " + line + "\n")
	}
	_ = w.WriteByte('\n')
	return w.Flush() == nil
}
