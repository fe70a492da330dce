package node

import (
	"net"
	"testing"
	"time"

	"platen.dev/edge"
	"platen.dev/events/eventlog"
	"platen.dev/events/testkit"
)

type noPartitions struct{ eventlog.Log }

func (noPartitions) Partitions() int32 { return 0 }

// A node that cannot listen everywhere leaves no listener behind.
func TestListenFails(t *testing.T) {
	busy, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer busy.Close()
	cfg := NewConfig()
	cfg.Listen, cfg.Ops, cfg.Gotenberg.Listen = "127.0.0.1:0", testkit.FreePorts(t, 1)[0], busy.Addr().String()
	b, nw := newBase(cfg, Options{Logger: testkit.Silent()}), newNetwork(cfg)
	server := edge.New(edge.Config{Logger: testkit.Silent(), Now: time.Now})
	if err := listen(b, &storage{log: measuredLog{Log: noPartitions{}}}, &nw, &serving{server: server}); err == nil {
		t.Fatal("two listen at one address")
	}
	if err := b.close(time.Second, 2*time.Second); err != nil {
		t.Error(err)
	}
	again, err := net.Listen("tcp", cfg.Ops)
	if err != nil {
		t.Fatal("the listener of operators is still open", err)
	}
	_ = again.Close()
}

// A browser on this machine does not know the address that means all addresses.
func TestFromHere(t *testing.T) {
	for listener, want := range map[string]string{
		"127.0.0.1:8080": "127.0.0.1:8080", "[::1]:8080": "[::1]:8080", "192.0.2.1:80": "192.0.2.1:80",
		"0.0.0.0:8080": "127.0.0.1:8080", "[::]:8080": "127.0.0.1:8080", "pdf.example:80": "pdf.example:80",
	} {
		if got := fromHere(listener); got != want {
			t.Errorf("%s: got %s, want %s", listener, got, want)
		}
	}
}
