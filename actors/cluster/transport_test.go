package cluster

import (
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"platen.dev/events"
	"platen.dev/events/testkit"
)

// A node reads a bounded part of a stranger's stream, and holds a few streams of one host. Meanwhile, nodes can still join.
func TestStrangersGossip(t *testing.T) {
	a := join(t, "a", "0123456789abcdef", make(chan events.NodeID, 10))
	defer a.Close()
	open := func() net.Conn {
		conn, err := net.Dial("tcp", a.Address())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		return conn
	}
	// isClosed reports whether the node closes a stream before its time-out, which is ten seconds.
	isClosed := func(conn net.Conn, within time.Duration) bool {
		if err := conn.SetReadDeadline(time.Now().Add(within)); err != nil {
			t.Fatal(err)
		}
		_, err := io.Copy(io.Discard, conn)
		return !errors.Is(err, os.ErrDeadlineExceeded)
	}
	const encrypted, declared = 10, 20<<20 - 100 // memberlist's mark, and what it would read
	for size, want := range map[int]bool{maxStreamBytes - 5: false, maxStreamBytes + 1: true} {
		conn := open()
		sent := append(binary.BigEndian.AppendUint32([]byte{encrypted}, declared), make([]byte, size-5)...)
		if _, err := conn.Write(sent); err != nil {
			t.Fatal(err)
		}
		if got := isClosed(conn, map[bool]time.Duration{true: 5 * time.Second, false: time.Second}[want]); got != want {
			t.Errorf("a stream of %d bytes: closed: %t, want %t", size, got, want)
		}
		conn.Close()
	}
	testkit.Eventually(t, "no stream is left", func() bool { return a.transport.streams.Under() == 0 })
	var held []net.Conn
	for range maxStreamsOfHost - 1 {
		held = append(held, open())
	}
	testkit.Eventually(t, "all are held", func() bool { return a.transport.streams.Under() == len(held) })
	b := join(t, "b", "0123456789abcdef", make(chan events.NodeID, 10), a)
	defer b.Close()
	testkit.Eventually(t, "b has joined", func() bool { return a.Alive("b") && b.Alive("a") })
	testkit.Eventually(t, "its stream has ended", func() bool { return a.transport.streams.Under() == len(held) })
	held = append(held, open())
	if !isClosed(open(), 5*time.Second) {
		t.Errorf("stream %d is held", maxStreamsOfHost+1)
	}
	for _, conn := range held {
		conn.Close()
	}
	testkit.Eventually(t, "they have ended", func() bool { return a.transport.streams.Under() == 0 })
}
