package clickhouse

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"net"

	driver "github.com/ClickHouse/clickhouse-go/v2"
)

// greeting is a connection between its dialling and the end of the driver's greeting, which ignores the context and does not close a failed
// connection.
type greeting struct {
	conn net.Conn
	stop func() bool
}

type greetingKey struct{}

// strategy dials the addresses in turn, and takes the first whose server is fit: it accepts the pinned settings and, if there are several servers,
// has what most replicas have. Each address has dialTimeout.
func strategy(ctx context.Context, _ int, o *driver.Options, dial driver.Dial) (driver.DialResult, error) {
	var failed []error
	for _, address := range o.Addr {
		result, err := reach(ctx, address, o, dial)
		if err == nil || len(o.Addr) == 1 {
			return result, err
		}
		failed = append(failed, fmt.Errorf("%s: %w", address, err))
	}
	return driver.DialResult{}, errors.Join(failed...)
}

func reach(ctx context.Context, address string, o *driver.Options, dial driver.Dial) (driver.DialResult, error) {
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	set, err := probe(ctx, address, o)
	if err != nil {
		return driver.DialResult{}, err
	}
	with := *o
	with.Settings = maps.Clone(o.Settings)
	maps.Copy(with.Settings, set)
	return greet(ctx, address, &with, dial)
}

// probe returns the settings for connections to a server, over a connection without any. The context has the query id and tables of the call that
// needs the connection; probe's own statements must not use them.
func probe(ctx context.Context, address string, o *driver.Options) (driver.Settings, error) {
	own, cancel := context.WithTimeout(context.Background(), dialTimeout)
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	bare := *o
	bare.Addr, bare.Settings, bare.MaxOpenConns, bare.MaxIdleConns = []string{address}, nil, 1, 1
	bare.DialStrategy = func(ctx context.Context, _ int, o *driver.Options, dial driver.Dial) (driver.DialResult, error) {
		return greet(ctx, address, o, dial)
	}
	conn, err := driver.Open(&bare)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	set, err := pinned(own, conn)
	if err == nil && len(o.Addr) > 1 {
		err = current(driver.Context(own, driver.WithSettings(maps.Clone(set))), conn)
	}
	if ctx.Err() != nil {
		err = ctx.Err() // the driver says only that the connection is closed
	}
	return set, err
}

// greet dials an address within the context.
func greet(ctx context.Context, address string, o *driver.Options, dial driver.Dial) (driver.DialResult, error) {
	g := &greeting{}
	result, err := dial(context.WithValue(ctx, greetingKey{}, g), address, o)
	if g.conn == nil {
		return result, err
	}
	if !g.stop() {
		return driver.DialResult{}, ctx.Err() // the connection is closed
	}
	if err != nil {
		_ = g.conn.Close() // the driver has dropped it
	}
	return result, err
}

// dialContext opens a connection that is closed with the context until its greeting is over.
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
