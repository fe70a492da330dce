package disk

import (
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// ErrDamaged means that the files of a database are not as they were written.
var ErrDamaged = errors.New("the files are damaged")

// Damaged reports whether err, from opening or using a Pebble database, means that its files are damaged: a checksum is wrong, or a file is missing.
func Damaged(err error) bool {
	return errors.Is(err, ErrDamaged) || pebble.IsCorruptionError(err)
}

// Opening returns the error of opening a Pebble database: ErrInUse if it is open already, else ErrDamaged, unless the system reports lack of space or
// permission.
func Opening(err error) error {
	if err = InUse(err); errors.Is(err, ErrInUse) {
		return err
	}
	var number syscall.Errno
	if err == nil || errors.Is(err, pebble.ErrDBDoesNotExist) || errors.As(err, &number) && number != syscall.ENOENT && number != syscall.EIO {
		return err
	}
	return fmt.Errorf("%w: %w", ErrDamaged, Plain(err))
}

// Plain returns an error of Pebble without the line that it adds to carry details, which says nothing.
func Plain(err error) error { return plain{err} }

type plain struct{ error }

func (p plain) Error() string {
	return strings.ReplaceAll(p.error.Error(), "\n<corruption detail carrier>", "")
}

func (p plain) Unwrap() error { return p.error }

// Guard notices when a Pebble database can no longer be trusted: it reads damaged data, it calls Fatalf, which must not return, or it cannot write
// its write-ahead log, after which it panics. Any of these breaks the database: nobody may use it any more. Except after damage, the goroutine is
// stuck in it for good, perhaps holding its locks, so that it cannot even be closed. The files are left as after a crash; the next process recovers
// what was durable.
//
// Open the database through Open and close it through Call, and stop waiting for it once Broken
// is closed.
type Guard struct {
	name    string
	logger  *slog.Logger
	last    atomic.Int64 // Unix second of the last background error logged
	opening atomic.Bool

	breaking sync.Once
	broken   chan struct{}
	err      error // readable once broken is closed
	sticking sync.Once
	stuck    chan struct{} // closed when a goroutine is stuck in the database
}

// NewGuard returns the guard of a database, called name in the log and in errors.
func NewGuard(name string, logger *slog.Logger) *Guard {
	return &Guard{name: name, logger: logger, broken: make(chan struct{}), stuck: make(chan struct{})}
}

// Broken is closed when the database can no longer be used.
func (g *Guard) Broken() <-chan struct{} { return g.broken }

// Err returns why the database is broken, or nil if it is not.
func (g *Guard) Err() error {
	select {
	case <-g.broken:
		return g.err
	default:
		return nil
	}
}

// Call runs f, which uses the database, and returns its error. If a goroutine gets stuck in the database, Call
// returns the reason at once, although f may never do so.
func (g *Guard) Call(f func() error) error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return err
	case <-g.stuck:
		return g.err
	}
}

// Open is Call for opening the database. An error of background work then breaks the database: otherwise Pebble would retry forever, and the opening
// would wait for it.
func (g *Guard) Open(f func() error) error {
	g.opening.Store(true)
	defer g.opening.Store(false)
	return g.Call(f)
}

// must breaks the database if err is not nil, and then does not return.
func (g *Guard) must(err error) {
	if err == nil {
		return
	}
	g.breakFor(err)
	g.sticking.Do(func() { close(g.stuck) })
	select {}
}

func (g *Guard) breakFor(err error) {
	g.breaking.Do(func() {
		g.err = fmt.Errorf("%s: %w", g.name, err)
		close(g.broken)
	})
}

// Options has the guard watch over the database that is opened with o. The file system of o
// may be nil for the disk.
func (g *Guard) Options(o *pebble.Options) *pebble.Options {
	if o.FS == nil {
		o.FS = vfs.Default
	}
	o.FS, o.Logger = fs{o.FS, g}, g
	o.EventListener = &pebble.EventListener{BackgroundError: g.backgroundError, DataCorruption: g.corruption}
	return o
}

// Infof implements pebble.Logger. It drops the message.
func (g *Guard) Infof(string, ...any) {}

// Errorf implements pebble.Logger.
func (g *Guard) Errorf(format string, args ...any) {
	g.logger.Error(g.name, "error", fmt.Sprintf(format, args...))
}

// Fatalf implements pebble.Logger. It breaks the database and never returns.
func (g *Guard) Fatalf(format string, args ...any) {
	err := fmt.Errorf(format, args...)
	for _, arg := range args {
		if cause, is := arg.(error); is && Damaged(cause) {
			err = fmt.Errorf("%w: %w", ErrDamaged, err)
		}
	}
	g.must(err)
}

// Damage breaks a database one of whose files turned out to be damaged.
func (g *Guard) Damage(why error) { g.breakFor(fmt.Errorf("%w: %w", ErrDamaged, why)) }

// corruption breaks a database one of whose files is damaged. Readers get the error of the file.
func (g *Guard) corruption(info pebble.DataCorruptionInfo) {
	g.breakFor(fmt.Errorf("%w: %s: %w", ErrDamaged, info.Path, info.Details))
}

// backgroundError breaks a database that is being opened. Otherwise it logs the error, at most every ten seconds, because Pebble retries without a
// pause.
func (g *Guard) backgroundError(err error) {
	if g.opening.Load() && !Damaged(err) { // damage does not hold up the opening
		g.must(err)
	}
	now := time.Now().Unix()
	if last := g.last.Load(); now-last >= 10 && g.last.CompareAndSwap(last, now) {
		g.logger.Error(g.name+": background work failed, writes may have to wait: check the disk", "error", err.Error()) // without its stack
	}
}
