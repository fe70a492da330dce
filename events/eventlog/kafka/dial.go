package kafka

import (
	"context"
	"errors"
	"net"
	"syscall"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
	"golang.org/x/sys/unix"

	"platen.dev/events/eventlog/kafka/access"
)

const (
	// dialTimeout bounds a connection attempt.
	dialTimeout = 2 * time.Second
	// handshakeTimeout bounds an attempt that includes TLS.
	handshakeTimeout = 5 * time.Second
	// silence is how long a broker's host may leave sent data, or probes of an idle connection,
	// unacknowledged. TCP alone would wait as long again as the network was cut, leaving a partition
	// without an owner after the cut has ended.
	silence = 3 * time.Second
	// requestOverhead is how long a broker may take for a request beyond the request's own timeout;
	// produceTimeout is the timeout of a produce request.
	requestOverhead = 5 * time.Second
	produceTimeout  = 5 * time.Second
)

// dialer connects to brokers by connections that soon notice when their host is gone.
var dialer = net.Dialer{
	Timeout:         dialTimeout,
	KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: silence / 3, Interval: silence / 3, Count: 2},
	Control: func(_, _ string, c syscall.RawConn) (err error) {
		controlled := c.Control(func(fd uintptr) {
			err = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(silence.Milliseconds()))
		})
		if err == nil {
			err = controlled
		}
		return err
	},
}

// enter tries once whether the brokers admit this process, because a client would retry forever. It
// returns access.ErrRefused if they do not; unreachable brokers are noticed elsewhere.
func (c Config) enter(ctx context.Context) error {
	if c.Access.IsOpen() {
		return nil
	}
	client, err := c.client(kgo.RequestRetries(0))
	if err != nil {
		return err
	}
	defer client.Close()
	if err = c.Access.Explain(client.Ping(ctx)); errors.Is(err, access.ErrRefused) {
		return err
	}
	return nil
}
