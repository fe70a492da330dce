package kafka

import (
	"net"
	"testing"

	"golang.org/x/sys/unix"
)

// A connection to a broker is given up when its host is silent for silence, not when TCP gives up.
func TestDialer(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	c, err := dialer.DialContext(t.Context(), "tcp", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	raw, err := c.(*net.TCPConn).SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	got := map[int]int{}
	if err := raw.Control(func(fd uintptr) {
		for _, option := range []int{unix.TCP_USER_TIMEOUT, unix.TCP_KEEPIDLE, unix.TCP_KEEPINTVL, unix.TCP_KEEPCNT} {
			got[option], _ = unix.GetsockoptInt(int(fd), unix.IPPROTO_TCP, option)
		}
	}); err != nil {
		t.Fatal(err)
	}
	if got[unix.TCP_USER_TIMEOUT] != 3000 || got[unix.TCP_KEEPIDLE]+got[unix.TCP_KEEPINTVL]*got[unix.TCP_KEEPCNT] != 3 {
		t.Errorf("user timeout %d ms, keep-alive after %d s every %d s, %d times", got[unix.TCP_USER_TIMEOUT], got[unix.TCP_KEEPIDLE], got[unix.TCP_KEEPINTVL], got[unix.TCP_KEEPCNT])
	}
}
