package clickhouse

import (
	"context"
	"crypto/tls"
	"net"

	driver "github.com/ClickHouse/clickhouse-go/v2"
)

// greeting is a connection between its dialling and the end of the driver's greeting, which does
// not listen to the context and does not close what has failed.
type greeting struct {
	conn net.Conn
	stop func() bool
}

type greetingKey struct{}

// strategy dials the addresses in turn, each within the context.
func strategy(ctx context.Context, id int, o *driver.Options, dial driver.Dial) (driver.DialResult, error) {
	return driver.DefaultDialStrategy(ctx, id, o, func(ctx context.Context, address string, o *driver.Options) (driver.DialResult, error) {
		g := &greeting{}
		result, err := dial(context.WithValue(ctx, greetingKey{}, g), address, o)
		if g.conn == nil {
			return result, err
		}
		if !g.stop() {
			return driver.DialResult{}, ctx.Err() // the connection is closed
		}
		if err != nil {
			_ = g.conn.Close() // the driver has not kept it
		}
		return result, err
	})
}

// dialContext opens a connection that is closed with the context, until its greeting is over.
func dialContext(config *tls.Config) func(context.Context, string) (net.Conn, error) {
	plain := &net.Dialer{Timeout: dialTimeout}
	return func(ctx context.Context, address string) (conn net.Conn, err error) {
		if config == nil {
			conn, err = plain.DialContext(ctx, "tcp", address)
		} else {
			conn, err = (&tls.Dialer{NetDialer: plain, Config: config}).DialContext(ctx, "tcp", address)
		}
		if err != nil {
			return nil, err
		}
		if g, is := ctx.Value(greetingKey{}).(*greeting); is {
			g.conn, g.stop = conn, context.AfterFunc(ctx, func() { _ = conn.Close() })
		}
		return conn, nil
	}
}
