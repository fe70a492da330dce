package cluster

import (
	"errors"
	"fmt"
	"strings"

	"github.com/asynkron/protoactor-go/remote"
)

const (
	// MaxMessage bounds a message between actors of different nodes in bytes. Content goes
	// through the log.
	MaxMessage = 4 << 10
	// maxBatch is how many messages travel together at most.
	maxBatch = 64
	// maxFrame bounds a gRPC message in bytes: a full batch with its names.
	maxFrame = 1 << 20
	maxName  = 64
)

// errForeign means that no node of this version sends such a message.
var errForeign = errors.New("a message that no node of this version sends")

// gate decides which messages of other nodes reach the actors of this one. proto.actor trusts all
// input: indexes, the names of types and targets, and system messages that stop an actor.
type gate struct {
	// address returns the address of this node's actors.
	address func() string
	// targets are the names of the actors that other nodes may send to, besides promises.
	targets map[string]bool
}

// The types that nodes exchange. A dead letter answers a request whose target does not exist.
const (
	typeBytes      = "google.protobuf.BytesValue"
	typeDeadLetter = "actor.DeadLetterResponse"
)

// check returns errForeign, with the reason, for a message that must not be passed on.
func (g gate) check(m *remote.RemoteMessage) error {
	switch m := m.GetMessageType().(type) {
	case *remote.RemoteMessage_ConnectRequest:
		server := m.ConnectRequest.GetServerConnection()
		if server == nil || !isAddress(server.Address) || len(server.SystemId) > maxName {
			return foreign("a connection that is not from a node")
		}
		return nil
	case *remote.RemoteMessage_MessageBatch:
		return g.checkBatch(m.MessageBatch)
	}
	return foreign("%T", m.GetMessageType())
}

func (g gate) checkBatch(b *remote.MessageBatch) error {
	if n := max(len(b.GetEnvelopes()), len(b.GetTypeNames()), len(b.GetTargets()), len(b.GetSenders())); n > maxBatch {
		return foreign("a batch of %d", n)
	}
	for _, name := range b.GetTypeNames() {
		if name != typeBytes && name != typeDeadLetter {
			return foreign("type %.64q", name)
		}
	}
	for _, target := range b.GetTargets() {
		if target.GetAddress() != g.address() || !g.targets[target.GetId()] && !isPromise(target.GetId()) || target.GetRequestId() != 0 {
			return foreign("target %.64q at %.64q", target.GetId(), target.GetAddress())
		}
	}
	for _, sender := range b.GetSenders() {
		if !isAddress(sender.GetAddress()) || !isPromise(sender.GetId()) || sender.GetRequestId() != 0 {
			return foreign("sender %.64q at %.64q", sender.GetId(), sender.GetAddress())
		}
	}
	for _, e := range b.GetEnvelopes() {
		if err := checkEnvelope(e, b); err != nil {
			return err
		}
	}
	return nil
}

func checkEnvelope(e *remote.MessageEnvelope, b *remote.MessageBatch) error {
	switch {
	case e == nil, !within(e.TypeId, len(b.TypeNames)), !within(e.Target, len(b.Targets)), e.Sender != 0 && !within(e.Sender-1, len(b.Senders)):
		return foreign("an index that is out of range")
	case e.SerializerId != 0:
		return foreign("serializer %d", e.SerializerId)
	case e.MessageHeader != nil, e.TargetRequestId != 0, e.SenderRequestId != 0:
		return foreign("an envelope with a header or the id of a request")
	case len(e.MessageData) > MaxMessage:
		return foreign("%d bytes", len(e.MessageData))
	case b.TypeNames[e.TypeId] == typeDeadLetter && !isPromise(b.Targets[e.Target].GetId()):
		return foreign("a dead letter to %q", b.Targets[e.Target].GetId())
	}
	return nil
}

func within(index int32, length int) bool { return index >= 0 && int(index) < length }

// isPromise reports whether a name is that of a promise, which proto.actor makes for the answer to
// a request: "future$" and a number in 64 digits.
func isPromise(name string) bool {
	number, is := strings.CutPrefix(name, "future$")
	return is && number != "" && len(number) <= 11 && strings.Trim(number, digits) == ""
}

const digits = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ~+"

func isAddress(text string) bool {
	_, _, err := splitAddress(text)
	return err == nil && len(text) <= maxAddress
}

func foreign(format string, args ...any) error {
	return fmt.Errorf("%w: %s", errForeign, fmt.Sprintf(format, args...))
}
