package dashboard

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/valyala/fasthttp"

	"platen.dev/events"
	"platen.dev/projections"
)

// Bounds of the looks that members take at a file without downloading it: how many of its pages, how wide, how large the
// file may be, and how long one may take with the wait for its turn.
const (
	maxLookPages = 4
	lookWidth    = 800
	maxLookFile  = 20 << 20
	lookTime     = 15 * time.Second
)

// Bounds of all looks of a node: how many pictures are made at a time, how many one account may wait for, and how much
// is remembered for how long. An account has one picture made at a time.
const (
	maxLooks        = 2
	maxAccountLooks = 3 * maxLookPages
	keptLooks       = 16 << 20
	keepLook        = 5 * time.Minute
)

// look is a page of the file of a job.
type look struct {
	account events.AccountID
	job     events.JobID
	page    int
}

// looks makes pictures of pages, a few at a time, and remembers the newest.
type looks struct {
	making chan struct{}

	mu   sync.Mutex
	by   map[events.AccountID]*lookTurn
	kept map[look]keptLook
	// order is the order in which they were made, bytes is their total size.
	order []look
	bytes int
}

// lookTurn is the turn of one account.
type lookTurn struct {
	held  chan struct{}
	users int // holders and waiters; guarded by looks.mu
}

type keptLook struct {
	png  []byte
	made time.Time
}

func newLooks() *looks {
	return &looks{making: make(chan struct{}, maxLooks), by: map[events.AccountID]*lookTurn{}, kept: map[look]keptLook{}}
}

// errManyLooks means that an account has as many pictures made as it may.
var errManyLooks = errors.New("too many previews at once")

// picture returns a remembered picture, or has it made.
func (l *looks) picture(ctx context.Context, of look, now func() time.Time, draw func(context.Context) ([]byte, error)) ([]byte, error) {
	if png, ok := l.recall(of, now()); ok {
		return png, nil
	}
	ctx, cancel := context.WithTimeout(ctx, lookTime)
	defer cancel()
	done, err := l.take(ctx, of.account)
	if err != nil {
		return nil, err
	}
	defer done()
	if png, ok := l.recall(of, now()); ok { // made while this one waited
		return png, nil
	}
	png, err := draw(ctx)
	if err == nil {
		l.keep(of, keptLook{png, now()})
	}
	return png, err
}

// take waits until a picture of an account may be made. The caller must call done, unless there is an error.
func (l *looks) take(ctx context.Context, account events.AccountID) (done func(), err error) {
	turn, ok := l.join(account)
	if !ok {
		return nil, errManyLooks
	}
	if err := enter(ctx, turn.held); err != nil {
		l.leave(account, turn)
		return nil, err
	}
	if err := enter(ctx, l.making); err != nil {
		<-turn.held
		l.leave(account, turn)
		return nil, err
	}
	return func() { <-l.making; <-turn.held; l.leave(account, turn) }, nil
}

func enter(ctx context.Context, room chan struct{}) error {
	select {
	case room <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (l *looks) join(account events.AccountID) (*lookTurn, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	turn := l.by[account]
	if turn == nil {
		turn = &lookTurn{held: make(chan struct{}, 1)}
		l.by[account] = turn
	}
	if turn.users >= maxAccountLooks {
		return nil, false
	}
	turn.users++
	return turn, true
}

func (l *looks) leave(account events.AccountID, turn *lookTurn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if turn.users--; turn.users == 0 {
		delete(l.by, account)
	}
}

func (l *looks) recall(of look, now time.Time) ([]byte, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.forget(now)
	k, ok := l.kept[of]
	return k.png, ok
}

func (l *looks) keep(of look, k keptLook) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.kept[of] = k
	l.order = append(l.order, of)
	l.bytes += len(k.png)
	l.forget(k.made)
}

// forget drops the oldest pictures: expired ones, and more of them while the total is too large. The caller holds the lock.
func (l *looks) forget(now time.Time) {
	for len(l.order) > 0 {
		oldest := l.order[0]
		k := l.kept[oldest]
		if l.bytes <= keptLooks && now.Sub(k.made) < keepLook {
			return
		}
		delete(l.kept, oldest)
		l.order, l.bytes = l.order[1:], l.bytes-len(k.png)
	}
}

// pagesShown returns how many pages of a job's file can be previewed: none if it is delivered, expired or too large.
func pagesShown(j projections.Job, now events.Instant) int {
	if j.Status != events.StatusDone || j.Delivered || j.Gone || now >= j.Expires || j.File.Size > maxLookFile {
		return 0
	}
	return min(maxLookPages, max(1, j.File.Pages)) // an image has no page count, and counts as one page
}

// pageInPath is the user value that holds the rest of a path after a job's pages.
type pageInPath struct{}

// pageOf reads the number of a page: 1.png.
func pageOf(ctx *fasthttp.RequestCtx) (int, bool) {
	text, _ := ctx.UserValue(pageInPath{}).(string)
	digits, ok := strings.CutSuffix(text, ".png")
	n, err := strconv.Atoi(digits)
	return n, ok && err == nil && strconv.Itoa(n) == digits
}

// lookAt shows a page of a job's file as a picture. It is a look, and spends no download.
func (d jobPages) lookAt(ctx *fasthttp.RequestCtx, v visitor) {
	id, j, ok := d.inPath(ctx, v)
	if !ok {
		return
	}
	n, ok := pageOf(ctx)
	if !ok || n < 1 || n > pagesShown(j, d.now()) {
		d.message(ctx, 404, "nolook")
		return
	}
	png, err := d.looks.picture(context.Background(), look{v.Account, id, n}, d.cfg.Now, func(ctx context.Context) ([]byte, error) {
		return d.makeLook(ctx, j.File.Name, n)
	})
	switch {
	case errors.Is(err, errManyLooks), errors.Is(err, context.DeadlineExceeded):
		d.message(ctx, 429, "looks")
	case err != nil: // a file with a password, for example
		d.cfg.Logger.Info("cannot render a preview of a page", "job", id.String(), "error", err)
		d.message(ctx, 422, "nolook")
	default:
		ctx.SetContentType("image/png")
		ctx.SetBody(png)
	}
}

// makeLook reads a stored file and makes the picture of one of its pages.
func (d jobPages) makeLook(ctx context.Context, name string, n int) ([]byte, error) {
	file, size, err := d.cfg.Files.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	if size > maxLookFile {
		return nil, fmt.Errorf("%d bytes", size)
	}
	b, err := io.ReadAll(io.LimitReader(file, maxLookFile))
	if err != nil {
		return nil, err
	}
	return d.cfg.Files.Picture(ctx, b, n, lookWidth)
}
