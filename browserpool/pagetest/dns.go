package pagetest

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

// DNS answers for a few names: each A query for a name gets the next of its answers,
// the last one again and again. Queries come over pipes, so that none is a packet.
type DNS struct {
	answers map[string][][]string
	serving sync.WaitGroup

	mu      sync.Mutex
	queries map[string]int // guarded by mu: A queries by name
}

// NewDNS starts a server that ends with the test. The names end with a dot.
func NewDNS(t *testing.T, answers map[string][][]string) *DNS {
	t.Helper()
	s := &DNS{answers: answers, queries: map[string]int{}}
	t.Cleanup(s.serving.Wait)
	return s
}

// Resolver returns a resolver that asks the server.
func (s *DNS) Resolver() *net.Resolver {
	return &net.Resolver{PreferGo: true, Dial: func(context.Context, string, string) (net.Conn, error) {
		client, server := net.Pipe()
		s.serving.Go(func() { s.serve(server) })
		return client, nil
	}}
}

func (s *DNS) serve(conn net.Conn) {
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
		answer, err := s.answer(query)
		if err != nil {
			return
		}
		if _, err := conn.Write(append(binary.BigEndian.AppendUint16(nil, uint16(len(answer))), answer...)); err != nil {
			return
		}
	}
}

func (s *DNS) answer(query []byte) ([]byte, error) {
	var message dnsmessage.Message
	if err := message.Unpack(query); err != nil || len(message.Questions) != 1 {
		return nil, io.ErrUnexpectedEOF
	}
	question := message.Questions[0]
	reply := dnsmessage.Message{Header: message.Header, Questions: message.Questions}
	reply.Response, reply.RCode = true, dnsmessage.RCodeSuccess
	for _, text := range s.next(question) {
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

// next returns the addresses of the type that a question asks for.
func (s *DNS) next(question dnsmessage.Question) (found []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	name := question.Name.String()
	answers := s.answers[name]
	if len(answers) == 0 {
		return nil
	}
	turn := min(s.queries[name], len(answers)-1)
	if question.Type == dnsmessage.TypeA {
		s.queries[name]++
	}
	for _, text := range answers[turn] {
		if netip.MustParseAddr(text).Is4() == (question.Type == dnsmessage.TypeA) {
			found = append(found, text)
		}
	}
	return found
}

// Lookups is how often a name was looked up.
func (s *DNS) Lookups(name string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.queries[name]
}
