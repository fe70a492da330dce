package clickhouse

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"
)

//go:embed 001.sql
var first string

// migrations holds the statements that lead from each version to the next. A released one never changes. Each must be repeatable, because ClickHouse
// has no transactions and nodes start at the same time.
var migrations = []string{first}

const schemaTable = `CREATE TABLE IF NOT EXISTS ledger_schema (
  version UInt32,
  applied_at DateTime('UTC')
) ENGINE = ReplacingMergeTree ORDER BY version;
`

var (
	creates = regexp.MustCompile(`CREATE TABLE IF NOT EXISTS (\w+)`)
	engine  = regexp.MustCompile(`ENGINE = ReplacingMergeTree`)
)

// statements splits a migration. With a cluster, its tables are created on all servers, replicated.
func statements(text string, c Config) (all []string) {
	for s := range strings.SplitSeq(strings.TrimSpace(text), ";\n") {
		s = strings.TrimSuffix(s, ";")
		if c.Cluster != "" {
			table := creates.FindStringSubmatch(s)[1]
			s = creates.ReplaceAllString(s, "CREATE TABLE IF NOT EXISTS "+table+" ON CLUSTER "+c.Cluster)
			s = engine.ReplaceAllString(s, fmt.Sprintf("ENGINE = ReplicatedReplacingMergeTree('/clickhouse/platen/{shard}/%s/%s', '{replica}')", c.Database, table))
		}
		all = append(all, s)
	}
	return all
}

var errNewer = errors.New("the tables are those of a newer program")

// migrate brings the tables to the newest version. Tables that have it are left alone: touching them would need every server of the cluster.
func (l *Ledger) migrate(ctx context.Context, to []string) error {
	version, err := l.version(ctx)
	if err != nil {
		return err
	}
	if int(version) > len(to) {
		return fmt.Errorf("%w: they have version %d, this program knows versions up to %d: use a newer one", errNewer, version, len(to))
	}
	for ; int(version) < len(to); version++ {
		if err := l.apply(ctx, to[version], version+1); err != nil {
			return fmt.Errorf("migrate from version %d: %w", version, err)
		}
	}
	return l.checkEngines(ctx)
}

// version returns the version of the tables, or 0. It creates the table that records it.
func (l *Ledger) version(ctx context.Context) (version uint32, err error) {
	var there uint64
	err = l.conn.QueryRow(ctx, "SELECT count() FROM system.tables WHERE database = currentDatabase() AND name = 'ledger_schema'").Scan(&there)
	if err != nil {
		return 0, err
	}
	if there == 0 {
		if err := l.create(ctx, schemaTable); err != nil {
			return 0, err
		}
	}
	err = l.conn.QueryRow(ctx, "SELECT max(version) FROM ledger_schema").Scan(&version)
	return version, err
}

func (l *Ledger) apply(ctx context.Context, text string, version uint32) error {
	if err := l.create(ctx, text); err != nil {
		return err
	}
	return patiently(ctx, func() error {
		return l.insert(ctx, "", "ledger_schema", []string{"version", "applied_at"}, [][]any{{version, time.Now()}})
	})
}

// create executes the statements of a migration.
func (l *Ledger) create(ctx context.Context, text string) error {
	if l.config.Cluster != "" {
		if err := l.followsQueue(ctx); err != nil {
			return err
		}
	}
	for _, s := range statements(text, l.config) {
		if err := l.conn.Exec(ctx, s); err != nil {
			return err
		}
	}
	return nil
}
