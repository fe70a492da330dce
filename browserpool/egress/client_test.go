package egress

import (
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"testing"

	"platen.dev/events/testkit"
)

// A proxy serves the processes of the users that it is for, and tells others nothing.
func TestUsersOfClients(t *testing.T) {
	server := serve(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "ANSWER") })
	own := uint32(os.Getuid())
	for _, tc := range []struct {
		users  []uint32
		served bool
	}{{nil, true}, {[]uint32{own + 1, own}, true}, {[]uint32{own + 1}, false}} {
		gate := NewGate(Policy{Allow: loopback, Ports: []PortRange{{1, 65535}}}, Limits{}, testkit.Silent())
		gate.Serve(tc.users...)
		proxy, err := gate.Open(nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(proxy.Close)
		answer, err := through(t, proxy).Get(server.URL)
		if err == nil {
			_ = answer.Body.Close()
		}
		if served := err == nil; served != tc.served {
			t.Errorf("for users %d, as %d: served %t, %v", tc.users, own, served, err)
		}
		if !tc.served {
			conn, err := net.Dial("tcp", proxy.Address())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := conn.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
				t.Errorf("a foreign client reads %v, want the end", err)
			}
			_ = conn.Close()
		}
	}
}

// Whose a connection is can be asked on this machine, and of connections within it alone.
func TestUserOf(t *testing.T) {
	if err := checkUserOf(); err != nil {
		t.Error(err)
	}
	pipe, _ := net.Pipe()
	if _, err := userOf(pipe); err == nil {
		t.Error("the user of a pipe's end is known")
	}
}
