package kafka

import (
	"net"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// dialTimeout bounds a connection attempt.
	dialTimeout = 2 * time.Second
	// silence is how long a broker's host may leave what was sent unacknowledged, or probes of
	// an idle connection. TCP alone waits as long again as the network was cut, so that a
	// partition stays without an owner after the cut has ended.
	silence = 3 * time.Second
	// requestOverhead is how long a broker may take for a request, beyond the time that the
	// request itself gives it; produceTimeout is what a produce request gives it.
	requestOverhead = 5 * time.Second
	produceTimeout  = 5 * time.Second
)

// dialer connects to brokers by connections that notice soon when their host is gone.
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
