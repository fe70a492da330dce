package testkit

import (
	"fmt"
	"net"
	"os"
	"sync/atomic"
	"testing"
)

// lastPort is the last port that FreePorts looked at. Ports start below those that the kernel gives
// to connections (32768 and up on Linux), so that none is taken before somebody listens on it.
// Parallel processes begin at different ones.
var lastPort atomic.Int32

func init() { lastPort.Store(int32(20000 + os.Getpid()*61%10000)) }

// FreePorts returns loopback addresses, host:port, on which nobody listens.
func FreePorts(t testing.TB, n int) (addresses []string) {
	t.Helper()
	for len(addresses) < n {
		address := fmt.Sprintf("127.0.0.1:%d", lastPort.Add(1))
		if l, err := net.Listen("tcp", address); err == nil {
			l.Close()
			addresses = append(addresses, address)
		}
	}
	return addresses
}
