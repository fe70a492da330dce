package clickhouse

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	driver "github.com/ClickHouse/clickhouse-go/v2"
	api "github.com/ClickHouse/clickhouse-go/v2/lib/driver"
	"github.com/ClickHouse/clickhouse-go/v2/lib/proto"
)

// Error codes of a server that is one of several replicas. The errors pass once the others answer.
const (
	timeoutExceeded = 159
	noZooKeeper     = 225
	tableIsReadOnly = 242 // the replica has no ZooKeeper
	tooFewReplicas  = 285
	quorumIsBusy    = 286 // another insert into the table waits for its quorum; nothing was written
	replicaIsBehind = 289
	noQuorumInTime  = 319
	keeperException = 999
)

// codeOf returns the server's code of an error, or 0.
func codeOf(err error) int32 {
	var refused *proto.Exception
	if !errors.As(err, &refused) {
		return 0
	}
	return refused.Code
}

// passes reports whether an error of the server passes without a change to its tables or users.
func passes(err error) bool {
	switch codeOf(err) {
	case timeoutExceeded, noZooKeeper, tableIsReadOnly, tooFewReplicas, quorumIsBusy, replicaIsBehind, noQuorumInTime, keeperException:
		return true
	}
	return false
}

// quorum returns how many replicas must have rows inserted into a table before the server confirms them: a majority of those registered, whether they
// answer or not. So where a marker is, most of them have the rows before it, and half of them can be lost. It is 0 if the table has no replicas. A
// single replica is errUnfit: rows whose confirmation it never got would hide all later ones.
func (l *Ledger) quorum(ctx context.Context, table string) (int, error) {
	var tables, replicas uint64
	err := l.conn.QueryRow(ctx, "SELECT count(), toUInt64(max(total_replicas)) FROM system.replicas WHERE database = currentDatabase() AND table = ?", table).
		Scan(&tables, &replicas)
	switch {
	case err != nil || tables == 0:
		return 0, err
	case replicas == 0:
		return 0, fmt.Errorf("the server does not know the replicas of %s: it has no connection to ZooKeeper", table)
	case replicas == 1:
		return 0, fmt.Errorf("%w: %s has one replica and must have two: add one, or make the tables anew without [ledger] cluster", errUnfit, table)
	}
	return int(replicas/2 + 1), nil
}

// followsQueue waits until the server watches the queue of the cluster's statements in ZooKeeper, for half of the call's time, so that its error
// arrives within the call. A server of version 18.16 that gets a statement before that ends with a segmentation fault.
func (l *Ledger) followsQueue(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, l.config.Timeout/2)
	defer cancel()
	missing := errors.New("the server has no connection to ZooKeeper, through which the tables of a cluster are created")
	for answers := 0; ; answers++ {
		var watches int64
		err := l.conn.QueryRow(ctx, "SELECT toInt64(sum(value)) FROM system.metrics WHERE metric = 'ZooKeeperWatch'").Scan(&watches)
		switch {
		case err != nil && answers == 0:
			return err
		case err != nil: // mostly, the time ends during a question
			return fmt.Errorf("%w: %w", missing, err)
		case watches > 0:
			return nil
		case !pause(ctx):
			return missing
		}
	}
}

// quorumSettings returns the settings of an insert into a table. The server waits for half of the call's time, so that its error arrives within the
// call.
func (l *Ledger) quorumSettings(ctx context.Context, table string) (driver.Settings, error) {
	n, err := l.quorum(ctx, table)
	return driver.Settings{"insert_quorum": n, "insert_quorum_timeout": int(l.config.Timeout.Milliseconds() / 2)}, err
}

// patiently repeats f while inserts of other writers wait for their quorum: a table handles one at a time.
func patiently(ctx context.Context, f func() error) error {
	_, err := again(ctx, quorumIsBusy, func() (struct{}, error) { return struct{}{}, f() })
	return err
}

// again repeats ask while the server answers with a code, until the context ends. Then it returns the server's last error, which says why.
func again[T any](ctx context.Context, code int32, ask func() (T, error)) (T, error) {
	last, why := ask()
	for codeOf(why) == code && pause(ctx) {
		if answer, err := ask(); err == nil || ctx.Err() == nil {
			last, why = answer, err
		}
	}
	return last, why
}

// pause waits some hundredths of a second, and reports whether the context allows another try.
func pause(ctx context.Context) bool {
	select {
	case <-time.After(time.Duration(10+rand.IntN(40)) * time.Millisecond):
		return true
	case <-ctx.Done():
		return false
	}
}

// whole is a connection whose reads wait until the replica has what most have.
type whole struct{ driver.Conn }

// Query retries while the replica is behind, which it reports before it answers anything.
func (c whole) Query(ctx context.Context, query string, args ...any) (api.Rows, error) {
	return again(ctx, replicaIsBehind, func() (api.Rows, error) { return c.Conn.Query(ctx, query, args...) })
}

// QueryRow retries like Query. Its error is in the row.
func (c whole) QueryRow(ctx context.Context, query string, args ...any) api.Row {
	row, _ := again(ctx, replicaIsBehind, func() (api.Row, error) {
		row := c.Conn.QueryRow(ctx, query, args...)
		return row, row.Err()
	})
	return row
}

// current returns an error if a server cannot answer with what most replicas have: it is behind, or has no ZooKeeper. One without tables lacks
// nothing.
func current(ctx context.Context, conn driver.Conn) error {
	err := conn.Exec(ctx, "SELECT count() FROM usage_ledger WHERE account = '' UNION ALL SELECT count() FROM ledger_entry WHERE entry_id = '' "+
		"UNION ALL SELECT count() FROM ledger_batch WHERE src_topic = ''")
	if codeOf(err) == unknownTable {
		return nil
	}
	return err
}

const unknownTable = 60

// checkEngines returns errUnfit if the tables are not replicated as configured, or only some of them are.
func (l *Ledger) checkEngines(ctx context.Context) error {
	replicated, alone, err := l.engines(ctx)
	switch {
	case err != nil || alone == nil:
		return err
	case replicated != nil:
		return fmt.Errorf("%w: %s have replicas and %s have none: make all of them anew", errUnfit, strings.Join(replicated, ", "), strings.Join(alone, ", "))
	case l.config.Cluster != "":
		return fmt.Errorf("%w: the tables have no replicas: they were made before [ledger] cluster was set: make them anew", errUnfit)
	case len(l.config.Addresses) > 1:
		return fmt.Errorf("%w: the tables have no replicas, so only one address may be given: set [ledger] cluster and make them anew", errUnfit)
	}
	return nil
}

// engines returns the tables that have replicas, and those that have none.
func (l *Ledger) engines(ctx context.Context) (replicated, alone []string, err error) {
	err = l.each(ctx, func(row scanner) error {
		var table, engine string
		if err := row.Scan(&table, &engine); err != nil {
			return err
		}
		if strings.HasPrefix(engine, "Replicated") || strings.HasPrefix(engine, "Shared") {
			replicated = append(replicated, table)
		} else {
			alone = append(alone, table)
		}
		return nil
	}, "SELECT name, engine FROM system.tables WHERE database = currentDatabase() AND name IN ('usage_ledger', 'ledger_entry', 'ledger_batch') ORDER BY name")
	return replicated, alone, err
}
