//go:build integration

package clickhouse

import (
	"context"
	"strings"
	"sync"

	"platen.dev/ledger/clickhouse/clickhousetest"

	driver "github.com/ClickHouse/clickhouse-go/v2"
	api "github.com/ClickHouse/clickhouse-go/v2/lib/driver"
)

// faultyConn is a connection whose inserts may fail.
type faultyConn struct {
	driver.Conn
	fault func(step string) error
}

// PrepareBatch begins an insert that may fail.
func (c faultyConn) PrepareBatch(ctx context.Context, text string, options ...api.PrepareBatchOption) (api.Batch, error) {
	batch, err := c.Conn.PrepareBatch(ctx, text, options...)
	return faultyBatch{batch, text, c.fault}, err
}

type faultyBatch struct {
	api.Batch
	text  string
	fault func(step string) error
}

// Send may fail before the server has the block, or after it has confirmed it.
func (b faultyBatch) Send() error {
	if err := b.fault("before " + b.text); err != nil {
		return err
	}
	if err := b.Batch.Send(); err != nil {
		return err
	}
	return b.fault("after " + b.text)
}

// killAt kills the server beside an insert that has begun, the last of some. What it returns waits
// until that is done, also if there were fewer inserts.
func killAt(s *clickhousetest.Server, l *Ledger, inserts int) (wait func()) {
	killed := make(chan struct{})
	kill := sync.OnceFunc(func() {
		s.Kill()
		close(killed)
	})
	l.conn = faultyConn{l.conn, func(step string) error {
		if strings.HasPrefix(step, "before") {
			if inserts--; inserts == 0 {
				go kill()
			}
		}
		return nil
	}}
	return func() {
		if inserts > 0 {
			kill()
		}
		<-killed
	}
}
