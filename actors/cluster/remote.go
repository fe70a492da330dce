package cluster

import (
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/asynkron/protoactor-go/remote"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials"

	"platen.dev/actors/cluster/pki"
)

// RemoteConfig configures a Remote.
type RemoteConfig struct {
	// Address is where other nodes reach this one's actors, host:port; port 0 picks a free one.
	Address string
	// Identity is this node's identity; it decides which peers are accepted.
	Identity *pki.Identity
	// Targets are the names of the actors that other nodes may send to.
	Targets []string
	Logger  *slog.Logger
}

// Remote carries messages between the actors of this node and those of others, over mutual TLS.
type Remote struct {
	remote   *remote.Remote
	refusals *refusals
}

const (
	// handshakeTimeout bounds the handshake of a connection.
	handshakeTimeout = 5 * time.Second
	// maxStreams bounds the streams of a connection. A node uses one.
	maxStreams = 4
)

// StartRemote lets actors of other nodes reach those of system. It must be called before the
// first actor is spawned, because an actor's address contains the node's.
func StartRemote(system *actor.ActorSystem, c RemoteConfig) (r *Remote, err error) {
	host, port, err := splitAddress(c.Address)
	if err != nil {
		return nil, err
	}
	defer func() { // the library panics if it cannot listen
		if panicked := recover(); panicked != nil {
			r, err = nil, fmt.Errorf("listen for actors on %s: %v", c.Address, panicked)
		}
	}()
	r = &Remote{refusals: newRefusals(c.Logger)}
	g := gate{address: system.Address, targets: map[string]bool{}}
	for _, name := range c.Targets {
		g.targets[name] = true
	}
	guard := &guard{gate: g, refusals: r.refusals}
	r.remote = remote.NewRemote(system, remote.Configure(host, port,
		remote.WithEndpointWriterBatchSize(maxBatch),
		remote.WithServerOptions(
			grpc.Creds(observed{credentials.NewTLS(c.Identity.Server()), r.refusals}),
			grpc.ConnectionTimeout(handshakeTimeout), grpc.MaxConcurrentStreams(maxStreams), grpc.MaxRecvMsgSize(maxFrame),
			grpc.ChainUnaryInterceptor(guard.unary), grpc.ChainStreamInterceptor(guard.stream),
		),
		remote.WithDialOptions(
			grpc.WithTransportCredentials(observed{credentials.NewTLS(c.Identity.Client()), r.refusals}),
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(maxFrame)),
		)))
	r.remote.Start()
	return r, nil
}

// Close ends all connections.
func (r *Remote) Close() { r.remote.Shutdown(false) }

// Refused returns the number of refusals, by reason.
func (r *Remote) Refused() map[Refusal]int64 { return r.refusals.counts() }

func splitAddress(address string) (host string, port int, err error) {
	host, text, err := net.SplitHostPort(address)
	if err != nil {
		return "", 0, fmt.Errorf("address %q: %w", address, err)
	}
	port, err = strconv.Atoi(text)
	if err != nil || port < 0 || port > 65535 {
		return "", 0, fmt.Errorf("address %q: port must be 0 to 65535", address)
	}
	return host, port, nil
}
