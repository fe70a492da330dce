package pagetest

import (
	"net"
	"testing"
)

// ServeConnections has each connection served by itself, and then closed, until the test ends. It
// returns the address: for servers that say what no HTTP library would.
func ServeConnections(t testing.TB, serve func(net.Conn)) *net.TCPAddr {
	t.Helper()
	listener, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				serve(conn)
			}()
		}
	}()
	return listener.Addr().(*net.TCPAddr)
}
