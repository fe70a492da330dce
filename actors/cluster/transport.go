package cluster

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/hashicorp/memberlist"

	"platen.dev/events/limit"
)

const (
	// maxStreamBytes bounds how much of a stream of gossip is read: the state of a thousand nodes.
	maxStreamBytes = 1 << 20
	// maxGossipStreams and maxStreamsOfHost bound the streams that others have open, each for ten seconds at most.
	maxGossipStreams = 32
	maxStreamsOfHost = 8
)

// transport carries gossip. It bounds what strangers cost: memberlist itself takes any number of streams, and reads up to 20 MB of each, before it knows
// whether who sends them has the secret.
type transport struct {
	*memberlist.NetTransport
	streams  *limit.Concurrent[netip.Addr]
	admitted chan net.Conn
	closing  chan struct{} // closed when it begins to shut down
	closed   chan struct{}
	shutdown func() error
}

// listen opens the gossip port; 0 is a free one.
func listen(host string, port int) (*transport, error) {
	const tries = 10 // a free port of TCP may be in use for UDP
	var failures error
	for range tries {
		opened, err := memberlist.NewNetTransport(&memberlist.NetTransportConfig{BindAddrs: []string{host}, BindPort: port, Logger: log.New(io.Discard, "", 0)})
		if err == nil {
			t := &transport{
				NetTransport: opened, streams: limit.NewConcurrent[netip.Addr](maxGossipStreams, maxStreamsOfHost),
				admitted: make(chan net.Conn), closing: make(chan struct{}), closed: make(chan struct{}),
			}
			t.shutdown = sync.OnceValue(t.close)
			go t.admitAll()
			return t, nil
		}
		if failures = errors.Join(failures, err); port != 0 {
			break
		}
	}
	return nil, failures
}

// admitAll takes connections until the transport is closed: its listener waits for that.
func (t *transport) admitAll() {
	for {
		select {
		case conn := <-t.NetTransport.StreamCh():
			t.admit(conn)
		case <-t.closed:
			return
		}
	}
}

func (t *transport) admit(conn net.Conn) {
	address, _ := limit.AddressOf(conn.RemoteAddr())
	end, ok := t.streams.Begin(limit.Client(address))
	if !ok {
		_ = conn.Close()
		return
	}
	admitted := &stream{Conn: conn, left: maxStreamBytes, end: sync.OnceFunc(end)}
	select {
	case t.admitted <- admitted:
	case <-t.closing:
		_ = admitted.Close()
	}
}

// StreamCh has the streams that were admitted.
func (t *transport) StreamCh() <-chan net.Conn { return t.admitted }

// DialAddressTimeout opens a stream to another node.
func (t *transport) DialAddressTimeout(to memberlist.Address, timeout time.Duration) (net.Conn, error) {
	conn, err := t.NetTransport.DialAddressTimeout(to, timeout)
	if err != nil {
		return nil, err
	}
	return &stream{Conn: conn, left: maxStreamBytes, end: func() {}}, nil
}

// Shutdown closes the port, as often as it is called.
func (t *transport) Shutdown() error { return t.shutdown() }

func (t *transport) close() error {
	close(t.closing)
	defer close(t.closed)
	return t.NetTransport.Shutdown()
}

// stream is a connection of which no more than maxStreamBytes bytes are read.
type stream struct {
	net.Conn
	left int
	end  func() // is called once it is closed
}

func (s *stream) Read(b []byte) (int, error) {
	if s.left == 0 {
		return 0, fmt.Errorf("gossip of more than %d bytes", maxStreamBytes)
	}
	n, err := s.Conn.Read(b[:min(len(b), s.left)])
	s.left -= n
	return n, err
}

func (s *stream) Close() error {
	s.end()
	return s.Conn.Close()
}
