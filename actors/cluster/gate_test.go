package cluster

import (
	"errors"
	"log/slog"
	"slices"
	"strings"
	"testing"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/asynkron/protoactor-go/remote"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

const here, there = "127.0.0.1:7", "127.0.0.1:8"

func testGate() gate {
	return gate{func() string { return here }, map[string]bool{"renderer": true, "rate": true}}
}

// batch returns the messages of a node that asks the renderer something and answers two requests of
// ours.
func batch(address string) *remote.MessageBatch {
	data, _ := proto.Marshal(wrapperspb.Bytes([]byte("text")))
	return &remote.MessageBatch{
		TypeNames: []string{typeBytes, typeDeadLetter},
		Targets:   []*actor.PID{{Address: address, Id: "renderer"}, {Address: address, Id: "future$1"}, {Address: address, Id: "future$7ZZ~+aaaaaa"}},
		Senders:   []*actor.PID{{Address: there, Id: "future$9"}},
		Envelopes: []*remote.MessageEnvelope{{MessageData: data, Sender: 1}, {MessageData: data, Target: 1}, {TypeId: 1, Target: 2}},
	}
}

func framed(b *remote.MessageBatch) *remote.RemoteMessage {
	return &remote.RemoteMessage{MessageType: &remote.RemoteMessage_MessageBatch{MessageBatch: b}}
}

func connection(address, system string) *remote.RemoteMessage {
	return &remote.RemoteMessage{MessageType: &remote.RemoteMessage_ConnectRequest{ConnectRequest: &remote.ConnectRequest{
		ConnectionType: &remote.ConnectRequest_ServerConnection{ServerConnection: &remote.ServerConnection{Address: address, SystemId: system}},
	}}}
}

// full returns a batch of n messages of maximum size.
func full(address string, n int) *remote.MessageBatch {
	b := batch(address)
	data, _ := proto.Marshal(wrapperspb.Bytes(make([]byte, MaxMessage-3))) // the framing takes three bytes
	b.Envelopes = slices.Repeat([]*remote.MessageEnvelope{{MessageData: data}}, n)
	return b
}

// widest returns a batch with as many names as allowed, each of maximum size.
func widest() *remote.MessageBatch {
	b := batch(here)
	b.TypeNames, b.Targets = slices.Repeat(b.TypeNames[:1], maxBatch), slices.Repeat(b.Targets[:1], maxBatch)
	b.Senders = slices.Repeat([]*actor.PID{{Address: strings.Repeat("a", maxAddress-2) + ":7", Id: "future$7ZZ~+aaaaaa"}}, maxBatch)
	b.Envelopes = b.Envelopes[:1]
	return b
}

// intrusions are changes to a batch after which it must not be passed on.
func intrusions(address string) map[string]func(*remote.MessageBatch) {
	to := func(id string) func(*remote.MessageBatch) {
		return func(b *remote.MessageBatch) { b.Targets[0].Id = id }
	}
	of := func(name string) func(*remote.MessageBatch) {
		return func(b *remote.MessageBatch) { b.TypeNames[0] = name }
	}
	first := func(change func(*remote.MessageEnvelope)) func(*remote.MessageBatch) {
		return func(b *remote.MessageBatch) { change(b.Envelopes[0]) }
	}
	return map[string]func(*remote.MessageBatch){
		"type index above":      first(func(e *remote.MessageEnvelope) { e.TypeId = 2 }),
		"type index below":      first(func(e *remote.MessageEnvelope) { e.TypeId = -1 }),
		"target index above":    first(func(e *remote.MessageEnvelope) { e.Target = 3 }),
		"target index below":    first(func(e *remote.MessageEnvelope) { e.Target = -1 }),
		"sender index above":    first(func(e *remote.MessageEnvelope) { e.Sender = 2 }),
		"sender index below":    first(func(e *remote.MessageEnvelope) { e.Sender = -1 }),
		"JSON":                  first(func(e *remote.MessageEnvelope) { e.SerializerId = 1 }),
		"unknown serializer":    first(func(e *remote.MessageEnvelope) { e.SerializerId = 7 }),
		"serializer below":      first(func(e *remote.MessageEnvelope) { e.SerializerId = -1 }),
		"a byte too much":       first(func(e *remote.MessageEnvelope) { e.MessageData = make([]byte, MaxMessage+1) }),
		"header":                first(func(e *remote.MessageEnvelope) { e.MessageHeader = &remote.MessageHeader{} }),
		"request id of target":  first(func(e *remote.MessageEnvelope) { e.TargetRequestId = 1 }),
		"request id of sender":  first(func(e *remote.MessageEnvelope) { e.SenderRequestId = 1 }),
		"dead letter":           first(func(e *remote.MessageEnvelope) { e.TypeId = 1 }),
		"too many messages":     func(b *remote.MessageBatch) { b.Envelopes = full(address, maxBatch+1).Envelopes },
		"too many types":        func(b *remote.MessageBatch) { b.TypeNames = slices.Repeat(b.TypeNames[:1], maxBatch+1) },
		"too many targets":      func(b *remote.MessageBatch) { b.Targets = slices.Repeat(b.Targets[:1], maxBatch+1) },
		"too many senders":      func(b *remote.MessageBatch) { b.Senders = slices.Repeat(b.Senders[:1], maxBatch+1) },
		"unknown type":          of("no.Such"),
		"no type":               of(""),
		"PoisonPill":            of("actor.PoisonPill"),
		"Stop":                  of("actor.Stop"),
		"Watch":                 of("actor.Watch"),
		"Unwatch":               of("actor.Unwatch"),
		"Terminated":            of("actor.Terminated"),
		"PID request":           of("remote.ActorPidRequest"),
		"another type":          of("google.protobuf.StringValue"),
		"supervisor of shards":  to("shards"),
		"host of a shard":       to("shards/$1"),
		"activator":             to("activator"),
		"endpoint supervisor":   to("EndpointSupervisor"),
		"event stream":          to("eventstream"),
		"nobody":                to(""),
		"promise without a no.": to("future$"),
		"promise with a path":   to("future$1/x"),
		"long promise":          to("future$123456789012"),
		"to another node":       func(b *remote.MessageBatch) { b.Targets[0].Address = there },
		"to no node":            func(b *remote.MessageBatch) { b.Targets[0].Address = "nonhost" },
		"target with a request": func(b *remote.MessageBatch) { b.Targets[0].RequestId = 1 },
		"from an actor":         func(b *remote.MessageBatch) { b.Senders[0].Id = "renderer" },
		"from nowhere":          func(b *remote.MessageBatch) { b.Senders[0].Address = "nonhost" },
		"from a long address":   func(b *remote.MessageBatch) { b.Senders[0].Address = strings.Repeat("a", maxAddress) + ":7" },
		"sender with a request": func(b *remote.MessageBatch) { b.Senders[0].RequestId = 1 },
	}
}

// Messages that nodes send are passed on, up to the limits, and nothing else is.
func TestGate(t *testing.T) {
	g := testGate()
	for name, m := range map[string]*remote.RemoteMessage{
		"connection": connection(there, "system"), "batch": framed(batch(here)), "full batch": framed(full(here, maxBatch)), "widest batch": framed(widest()),
		"long system": connection(there, strings.Repeat("a", maxName)), "empty": framed(&remote.MessageBatch{}),
	} {
		if err := g.check(m); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if size := proto.Size(framed(full(here, maxBatch))) + maxBatch*2*(maxAddress+maxName); size > maxFrame {
		t.Errorf("a full batch has %d bytes, more than a frame", size)
	}
	for name, m := range map[string]*remote.RemoteMessage{
		"nothing":             {},
		"client's connection": {MessageType: &remote.RemoteMessage_ConnectRequest{ConnectRequest: &remote.ConnectRequest{ConnectionType: &remote.ConnectRequest_ClientConnection{ClientConnection: &remote.ClientConnection{}}}}},
		"empty connection":    {MessageType: &remote.RemoteMessage_ConnectRequest{}},
		"no address":          connection("", "system"),
		"long system":         connection(there, strings.Repeat("a", maxName+1)),
		"answer":              {MessageType: &remote.RemoteMessage_ConnectResponse{ConnectResponse: &remote.ConnectResponse{}}},
		"farewell":            {MessageType: &remote.RemoteMessage_DisconnectRequest{DisconnectRequest: &remote.DisconnectRequest{}}},
	} {
		if err := g.check(m); !errors.Is(err, errForeign) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name, change := range intrusions(here) {
		b := batch(here)
		change(b)
		if err := g.check(framed(b)); !errors.Is(err, errForeign) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Every refusal is counted. The log has the first one for each reason, and every panic.
func TestRefusals(t *testing.T) {
	var lines strings.Builder
	r := newRefusals(slog.New(slog.NewTextHandler(&lines, nil)))
	for range 3 {
		for _, why := range Refusals() {
			r.add(why, there, errForeign)
		}
	}
	for _, why := range Refusals() {
		want := 1
		if why == Panicked {
			want = 3
		}
		if got := strings.Count(lines.String(), "reason="+string(why)+" "); got != want || r.counts()[why] != 3 {
			t.Errorf("%s: %d lines, %d counted", why, got, r.counts()[why])
		}
	}
}

// FuzzGate passes arbitrary bytes on as a frame from another node. Messages that the gate lets
// through can be looked up and decoded, and are only for reachable actors.
func FuzzGate(f *testing.F) {
	add := func(m *remote.RemoteMessage) {
		if b, err := proto.Marshal(m); err == nil {
			f.Add(b)
		}
	}
	add(connection(there, "system"))
	add(framed(batch(here)))
	for _, change := range intrusions(here) {
		b := batch(here)
		change(b)
		add(framed(b))
	}
	g := testGate()
	f.Fuzz(func(t *testing.T, frame []byte) {
		var m remote.RemoteMessage
		if proto.Unmarshal(frame, &m) != nil || g.check(&m) != nil {
			return
		}
		for _, e := range m.GetMessageBatch().GetEnvelopes() { // as proto.actor does it
			b := m.GetMessageBatch()
			target, name := b.Targets[e.Target], b.TypeNames[e.TypeId]
			if e.Sender > 0 && !isPromise(b.Senders[e.Sender-1].Id) {
				t.Errorf("the answer goes to %v", b.Senders[e.Sender-1])
			}
			message, err := remote.Deserialize(e.MessageData, name, e.SerializerId)
			if _, system := message.(actor.SystemMessage); system && err == nil {
				t.Errorf("a system message %T", message)
			}
			_, bytes := message.(*wrapperspb.BytesValue)
			if promise := isPromise(target.Id); target.Address != here || !promise && !g.targets[target.Id] || !promise && !bytes {
				t.Errorf("%s to %v", name, target)
			}
		}
	})
}
