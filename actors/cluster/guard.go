package cluster

import (
	"context"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"runtime/debug"
	"sync"
	"time"

	"github.com/asynkron/protoactor-go/remote"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"
)

// guard stands between the network and proto.actor, which panics on unexpected input, on goroutines
// that nobody else recovers.
type guard struct {
	gate     gate
	refusals *refusals
}

// receiveMethod is the only call that nodes make: a stream of messages.
const receiveMethod = "/remote.Remoting/Receive"

// unary refuses every call that is not a stream: proto.actor panics on such calls.
func (g *guard) unary(ctx context.Context, _ any, info *grpc.UnaryServerInfo, _ grpc.UnaryHandler) (any, error) {
	g.refusals.add(BadCall, from(ctx), fmt.Errorf("call of %s", info.FullMethod))
	return nil, status.Errorf(codes.Unimplemented, "%s is not served", info.FullMethod)
}

// stream lets nodes send messages, and checks each one. A refused message ends the stream.
func (g *guard) stream(srv any, s grpc.ServerStream, info *grpc.StreamServerInfo, handler grpc.StreamHandler) (err error) {
	if info.FullMethod != receiveMethod {
		g.refusals.add(BadCall, from(s.Context()), fmt.Errorf("call of %s", info.FullMethod))
		return status.Errorf(codes.Unimplemented, "%s is not served", info.FullMethod)
	}
	defer func() {
		if r := recover(); r != nil {
			g.refusals.add(Panicked, from(s.Context()), fmt.Errorf("%v\n%s", r, debug.Stack()))
			err = status.Error(codes.Internal, "the message could not be handled")
		}
	}()
	return handler(srv, checkedStream{s, g})
}

// checkedStream passes on only what the gate lets through.
type checkedStream struct {
	grpc.ServerStream
	guard *guard
}

// RecvMsg receives into a *remote.RemoteMessage.
func (s checkedStream) RecvMsg(into any) error {
	if err := s.ServerStream.RecvMsg(into); err != nil {
		if status.Code(err) == codes.ResourceExhausted { // it exceeds maxFrame
			s.guard.refusals.add(BadMessage, from(s.Context()), err)
		}
		return err
	}
	m, is := into.(*remote.RemoteMessage)
	if !is {
		return status.Errorf(codes.Internal, "received into a %T", into)
	}
	if err := s.guard.gate.check(m); err != nil {
		s.guard.refusals.add(BadMessage, from(s.Context()), err)
		return status.Error(codes.InvalidArgument, err.Error())
	}
	return nil
}

func from(ctx context.Context) string {
	if p, known := peer.FromContext(ctx); known {
		return p.Addr.String()
	}
	return "unknown"
}

// observed wraps credentials to count failed handshakes.
type observed struct {
	credentials.TransportCredentials
	refusals *refusals
}

func (o observed) ServerHandshake(c net.Conn) (net.Conn, credentials.AuthInfo, error) {
	secured, info, err := o.TransportCredentials.ServerHandshake(c)
	if err != nil {
		o.refusals.add(BadPeer, c.RemoteAddr().String(), err)
	}
	return secured, info, err
}

func (o observed) ClientHandshake(ctx context.Context, authority string, c net.Conn) (net.Conn, credentials.AuthInfo, error) {
	secured, info, err := o.TransportCredentials.ClientHandshake(ctx, authority, c)
	if err != nil && ctx.Err() == nil {
		o.refusals.add(BadPeer, c.RemoteAddr().String(), err)
	}
	return secured, info, err
}

func (o observed) Clone() credentials.TransportCredentials {
	return observed{o.TransportCredentials.Clone(), o.refusals}
}

// Refusal is why something was refused to a peer.
type Refusal string

// The refusals: a peer that is not a node of this cluster, a call that no node makes, a message that
// no node sends, and an accepted message that could not be handled.
const (
	BadPeer    Refusal = "peer"
	BadCall    Refusal = "call"
	BadMessage Refusal = "message"
	Panicked   Refusal = "panic"
)

// Refusals lists all refusals.
func Refusals() []Refusal { return []Refusal{BadPeer, BadCall, BadMessage, Panicked} }

// refusalPause is the minimum time between two log lines about refusals for the same reason: anybody
// who reaches the port can cause any number.
const refusalPause = 10 * time.Second

// refusals counts refusals, and logs some of them.
type refusals struct {
	logger *slog.Logger

	mu     sync.Mutex
	byKind map[Refusal]int64     // guarded by mu
	told   map[Refusal]time.Time // guarded by mu: of the last line in the log
}

func newRefusals(logger *slog.Logger) *refusals {
	return &refusals{logger: logger, byKind: map[Refusal]int64{}, told: map[Refusal]time.Time{}}
}

func (r *refusals) add(why Refusal, peer string, err error) {
	r.mu.Lock()
	r.byKind[why]++
	count := r.byKind[why]
	tell := why == Panicked || time.Since(r.told[why]) >= refusalPause
	if tell {
		r.told[why] = time.Now()
	}
	r.mu.Unlock()
	if tell {
		r.logger.Warn("refused at the port of the actors", "reason", string(why), "peer", peer, "error", err, "times", count)
	}
}

func (r *refusals) counts() map[Refusal]int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return maps.Clone(r.byKind)
}
