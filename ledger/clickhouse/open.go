// Package clickhouse keeps the usage ledger in a ClickHouse server or cluster of version 18.16 or
// newer, over the native protocol.
//
// ClickHouse has no transactions, so the order of the inserts makes entries count once: first the
// rows, one insert for each month that they touch; then their ids, by which other content under the
// same id is noticed; then the marker, which moves Next. Each insert is one block, so it is atomic.
// Interrupted work is repeated, inserting only what is missing; if a row is nevertheless there
// twice, because of two concurrent writers, every read counts it once. If two writers bring
// different content under one id at the same moment, neither may notice; every later read of it is
// ErrConflict.
//
// On replicas, most of the registered ones confirm each insert before the next one begins, whichever servers they
// go to. So a marker is never without its rows, unless more than half of the replicas are lost. Reads see exactly
// what was confirmed: rows whose confirmation never came may vanish, and are inserted again. While most replicas
// do not answer, nothing is appended.
//
// The server settings that decide what is confirmed, visible and complete are set on every statement,
// and a server that does not accept them is refused.
//
// ClickHouse does not sync its files, so a power cut of a server, or of most replicas at once, may lose
// rows whose marker survives. Ledger.RowsOf reveals that, and appending the same offsets again repairs
// it.
package clickhouse

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"

	"platen.dev/ledger"
)

// Ledger is a ledger in ClickHouse.
type Ledger struct {
	config  Config
	conn    driver.Conn
	gate    *ledger.Gate
	memory  *memory
	runRows uint64

	migration chan struct{} // holds one while a call migrates
	migrated  atomic.Bool

	mu    sync.Mutex
	clean map[string]int64 // by partition: the end of the last append, if that succeeded
}

var _ ledger.Ledger = (*Ledger)(nil)

// ErrUnreachable means that no server answered.
var ErrUnreachable = errors.New("ClickHouse cannot be reached")

// Open connects to ClickHouse and brings its tables up to date. It refuses tables of a newer
// version.
func Open(ctx context.Context, c Config) (*Ledger, error) {
	l, err := Connect(c)
	if err != nil {
		return nil, err
	}
	if err := l.Check(ctx); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// Connect returns a ledger without contacting a server. The first call that reaches one does what
// Open does.
func Connect(c Config) (*Ledger, error) {
	if err := c.Validate(); err != nil {
		return nil, fmt.Errorf("open the ledger: %w", err)
	}
	c.Timeout = cmp.Or(c.Timeout, DefaultTimeout)
	options, err := c.options()
	if err != nil {
		return nil, fmt.Errorf("open the ledger: %w", err)
	}
	conn, err := driver.Open(options)
	if err != nil {
		return nil, fmt.Errorf("open the ledger: %w", err)
	}
	return &Ledger{config: c, conn: whole{conn}, gate: ledger.NewGate(), memory: newMemory(), runRows: runRows, clean: map[string]int64{}, migration: make(chan struct{}, 1)}, nil
}

// Check does what Open does. The error is ErrUnreachable if no server answered; any other persists
// until somebody fixes its cause.
func (l *Ledger) Check(ctx context.Context) error {
	return classified(l.call(ctx, "open", func(context.Context) error { return nil }))
}

// classified marks an error as ErrUnreachable unless it persists until somebody fixes its cause.
func classified(err error) error {
	if err == nil || codeOf(err) != 0 && !passes(err) || errors.Is(err, errNewer) || errors.Is(err, errUnfit) || errors.Is(err, ledger.ErrClosed) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrUnreachable, err)
}

// Ping returns nil if a server answers and has the database. It changes nothing, and brings no tables up to date. Its errors are those of Check.
func (l *Ledger) Ping(ctx context.Context) error {
	bounded, cancel := context.WithTimeout(ctx, l.config.Timeout)
	defer cancel()
	var there uint64
	err := l.conn.QueryRow(bounded, "SELECT count() FROM system.tables WHERE database = currentDatabase()").Scan(&there)
	if err != nil {
		return classified(fmt.Errorf("ledger on ClickHouse %s: %w", strings.Join(l.config.Addresses, ","), explain(err)))
	}
	return nil
}

// upToDate brings the tables up to date, once.
func (l *Ledger) upToDate(ctx context.Context) error {
	if l.migrated.Load() {
		return nil
	}
	select {
	case l.migration <- struct{}{}:
		defer func() { <-l.migration }()
	case <-ctx.Done():
		return ctx.Err()
	}
	err := l.migrate(ctx, migrations)
	l.migrated.Store(err == nil)
	return err
}

// Close implements ledger.Ledger.
func (l *Ledger) Close() error {
	if !l.gate.Close() {
		return nil
	}
	return l.conn.Close()
}

// call makes a call within Config.Timeout; doing names it in its errors.
func (l *Ledger) call(ctx context.Context, doing string, f func(ctx context.Context) error) error {
	ctx, leave, err := l.gate.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	bounded, cancel := context.WithTimeout(ctx, l.config.Timeout)
	defer cancel()
	if err = l.upToDate(bounded); err == nil {
		err = f(bounded)
	}
	if deadline, _ := bounded.Deadline(); err != nil && !time.Now().Before(deadline) {
		<-bounded.Done() // the connection has the same deadline, and may fail a moment earlier
	}
	switch {
	case err == nil:
		return nil
	case l.gate.Closed():
		return ledger.ErrClosed
	case ctx.Err() != nil:
		err = ctx.Err() // the driver says only that the connection is closed
	case bounded.Err() != nil && codeOf(err) == 0: // a code would say why the server was asked again until then
		err = fmt.Errorf("no answer within %s: %w", l.config.Timeout, context.DeadlineExceeded)
	}
	return fmt.Errorf("ledger on ClickHouse %s: %s: %w", strings.Join(l.config.Addresses, ","), doing, explain(err))
}

// remedies maps the server's error codes to advice.
var remedies = map[int32]string{
	81:              "create the database first",                                                   // UNKNOWN_DATABASE
	164:             "the profile of the ledger's user must not be readonly",                       // READONLY
	216:             "another attempt at this batch is under way: try again when it has ended",     // QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING
	452:             "remove the constraint of this setting from the profile of the ledger's user", // SETTING_CONSTRAINT_VIOLATION
	719:             "turn use_query_cache off in the profile of the ledger's user",                // QUERY_CACHE_USED_WITH_SYSTEM_TABLE
	tableIsReadOnly: "the replica has lost its connection to ZooKeeper",
	tooFewReplicas:  "most replicas must answer: start them again, or replace those that are lost for good",
	quorumIsBusy:    "an earlier insert waits until most replicas have it: start them again, or replace those that are lost for good",
	replicaIsBehind: "the replica still fetches what the others have, or somebody has dropped rows: then drop all tables of the ledger",
	noQuorumInTime:  "not as many replicas as needed have fetched the rows in time: the batch is appended again",
}

// explain adds advice to an error of the server, after its own text.
func explain(err error) error {
	if what := remedies[codeOf(err)]; what != "" {
		return fmt.Errorf("%w (%s)", err, what)
	}
	return err
}
