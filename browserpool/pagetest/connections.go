package pagetest

import (
	"net"
	"testing"
)

// ServeConnections serves each connection with serve, and then closes it, until the test ends. It returns the address.
// It is for servers that send what no HTTP library would.
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
