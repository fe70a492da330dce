package bus

import (
	"net"
	"sync"
	"time"

	"github.com/IBM/sarama"
	"github.com/ThreeDotsLabs/watermill/message"
)

// leavePatience is how long a closing subscriber waits before it hangs up.
const leavePatience = time.Second

// leaver is a subscriber that hangs up if it cannot close otherwise: sarama cannot cancel its request to join a group, and a broker answers that only
// once every other member has joined again or has been dead for its session timeout. The group is then left on a new connection.
type leaver struct {
	message.Subscriber
	connections *connections
}

func (l leaver) Close() error {
	closed := make(chan error, 1)
	go func() { closed <- l.Subscriber.Close() }()
	for {
		select {
		case err := <-closed:
			return err
		case <-time.After(leavePatience):
			l.connections.hangUp()
		}
	}
}

// connections are those that a client of sarama has opened.
type connections struct {
	dialer net.Dialer
	mu     sync.Mutex
	open   map[*connection]struct{}
}

type connection struct {
	net.Conn
	all *connections
}

// watch makes clients of a configuration dial through the returned connections.
func watch(c *sarama.Config) *connections {
	all := &connections{dialer: net.Dialer{Timeout: c.Net.DialTimeout, KeepAlive: c.Net.KeepAlive}, open: map[*connection]struct{}{}}
	c.Net.Proxy.Enable, c.Net.Proxy.Dialer = true, all
	return all
}

// Dial implements proxy.Dialer.
func (s *connections) Dial(network, address string) (net.Conn, error) {
	raw, err := s.dialer.Dial(network, address)
	if err != nil {
		return nil, err
	}
	c := &connection{raw, s}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.open[c] = struct{}{}
	return c, nil
}

// hangUp closes every open connection.
func (s *connections) hangUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.open {
		_ = c.Conn.Close()
	}
}

func (c *connection) Close() error {
	c.all.mu.Lock()
	defer c.all.mu.Unlock()
	delete(c.all.open, c)
	return c.Conn.Close()
}
