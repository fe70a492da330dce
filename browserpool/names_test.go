package browserpool

import (
	"context"
	"encoding/binary"
	"io"
	"net"
	"net/netip"
	"sync"
	"testing"

	"golang.org/x/net/dns/dnsmessage"
)

// names answers for a few names, a lookup at a time: each A query for a name gets
// the next of its answers, the last again and again. It is asked over pipes, so
// that no packet is a query of ours.
type names struct {
	mu      sync.Mutex
	answers map[string][][]string
	asked   map[string]int // A queries by name
	serving sync.WaitGroup
}

func newNames(t *testing.T, answers map[string][][]string) *names {
	t.Helper()
	n := &names{answers: answers, asked: map[string]int{}}
	t.Cleanup(n.serving.Wait)
	return n
}

func (n *names) resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		n.serving.Go(func() { n.serve(server) })
		return client, nil
	}}
}

func (n *names) serve(conn net.Conn) {
	defer conn.Close()
	for {
		var size uint16
		if binary.Read(conn, binary.BigEndian, &size) != nil {
			return
		}
		query := make([]byte, size)
		if _, err := io.ReadFull(conn, query); err != nil {
			return
		}
		answer, err := n.answer(query)
		if err != nil {
			return
		}
		if _, err := conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...)); err != nil {
			return
		}
	}
}

func (n *names) answer(query []byte) ([]byte, error) {
	var message dnsmessage.Message
	if err := message.Unpack(query); err != nil || len(message.Questions) != 1 {
		return nil, io.ErrUnexpectedEOF
	}
	question := message.Questions[0]
	reply := dnsmessage.Message{Header: message.Header, Questions: message.Questions}
	reply.Response, reply.RCode = true, dnsmessage.RCodeSuccess
	for _, text := range n.next(question) {
		reply.Answers = append(reply.Answers, resource(question, netip.MustParseAddr(text)))
	}
	return reply.Pack()
}

func resource(question dnsmessage.Question, addr netip.Addr) dnsmessage.Resource {
	header := dnsmessage.ResourceHeader{Name: question.Name, Type: question.Type, Class: question.Class}
	if addr.Is4() {
		return dnsmessage.Resource{Header: header, Body: &dnsmessage.AResource{A: addr.As4()}}
	}
	return dnsmessage.Resource{Header: header, Body: &dnsmessage.AAAAResource{AAAA: addr.As16()}}
}

// next returns the addresses of the kind that is asked for.
func (n *names) next(question dnsmessage.Question) (found []string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	name := question.Name.String()
	answers := n.answers[name]
	if len(answers) == 0 {
		return nil
	}
	turn := min(n.asked[name], len(answers)-1)
	if question.Type == dnsmessage.TypeA {
		n.asked[name]++
	}
	for _, text := range answers[turn] {
		if netip.MustParseAddr(text).Is4() == (question.Type == dnsmessage.TypeA) {
			found = append(found, text)
		}
	}
	return found
}

// lookups is how often a name was asked for.
func (n *names) lookups(name string) int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.asked[name]
}
