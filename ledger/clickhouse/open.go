// Package clickhouse keeps the usage ledger in a ClickHouse server or cluster of version 18.16 or
// newer, over the native protocol.
//
// ClickHouse has no transactions, so the order of the inserts is what makes entries count once:
// first the rows, one insert for each month that they touch; then their ids, by which other
// content under the same id is noticed; then the marker, which moves Next. Each insert is one
// block, so it is there or not. What stops anywhere is done again. It inserts what is missing; if
// a row is there twice all the same, because two writers were at work, every read counts it once.
// If two writers bring different content under one id at the same moment, neither may notice;
// every read that comes upon it is ErrConflict then.
//
// ClickHouse does not sync its files, so a power cut may lose rows after their marker is there.
// Ledger.RowsOf shows that, and appending the same offsets again repairs it. Replicas prevent it.
package clickhouse

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"
	"github.com/ClickHouse/clickhouse-go/v2/lib/proto"

	"platen.dev/ledger"
)

// Ledger is a ledger in ClickHouse.
type Ledger struct {
	config Config
	conn   driver.Conn
	gate   *ledger.Gate

	mu    sync.Mutex
	clean map[string]int64 // by partition: the end of the last append, if that succeeded
}

var _ ledger.Ledger = (*Ledger)(nil)

// Open connects to ClickHouse and brings its tables up to date. It refuses tables of a newer
// version.
func Open(ctx context.Context, c Config) (*Ledger, error) {
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
	l := &Ledger{config: c, conn: conn, gate: ledger.NewGate(), clean: map[string]int64{}}
	if err := l.call(ctx, "open", func(ctx context.Context) error { return l.migrate(ctx, migrations) }); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return l, nil
}

// Close implements ledger.Ledger.
func (l *Ledger) Close() error {
	if !l.gate.Close() {
		return nil
	}
	return l.conn.Close()
}

// call makes a call, which may take Config.Timeout; doing names it in its errors.
func (l *Ledger) call(ctx context.Context, doing string, f func(ctx context.Context) error) error {
	ctx, leave, err := l.gate.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	bounded, cancel := context.WithTimeout(ctx, l.config.Timeout)
	defer cancel()
	err = f(bounded)
	if deadline, _ := bounded.Deadline(); err != nil && !time.Now().Before(deadline) {
		<-bounded.Done() // the connection has the same deadline, and may be first by a moment
	}
	switch {
	case err == nil:
		return nil
	case l.gate.Closed():
		return ledger.ErrClosed
	case ctx.Err() != nil:
		err = ctx.Err() // the driver says only that the connection is closed
	case bounded.Err() != nil:
		err = fmt.Errorf("no answer within %s: %w", l.config.Timeout, context.DeadlineExceeded)
	}
	return fmt.Errorf("ledger on ClickHouse %s: %s: %w", strings.Join(l.config.Addresses, ","), doing, explain(err))
}

// explain adds what to do about an error of the server, whose own text comes first.
func explain(err error) error {
	var refused *proto.Exception
	if !errors.As(err, &refused) {
		return err
	}
	switch refused.Code {
	case 81: // UNKNOWN_DATABASE
		return fmt.Errorf("%w (create the database first)", err)
	case 216: // QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING
		return fmt.Errorf("%w (another attempt at this batch is under way: try again when it has ended)", err)
	}
	return err
}
