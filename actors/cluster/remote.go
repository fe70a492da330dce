package cluster

import (
	"fmt"
	"net"
	"strconv"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/asynkron/protoactor-go/remote"
	"google.golang.org/grpc"
)

// maxMessage bounds a gRPC message in bytes. The remote writer sends up to 1000 envelopes in
// one message; gRPC's default of 4 MiB would break the stream and lose them silently.
const maxMessage = 64 << 20

// StartRemote lets actors of other nodes reach those of system at address, host:port; port 0
// picks a free one. It must be called before the first actor is spawned, because an actor's
// address contains the node's.
func StartRemote(system *actor.ActorSystem, address string) (stop func(), err error) {
	host, port, err := splitAddress(address)
	if err != nil {
		return nil, err
	}
	defer func() { // the library panics if it cannot listen
		if r := recover(); r != nil {
			err = fmt.Errorf("listen for actors on %s: %v", address, r)
		}
	}()
	r := remote.NewRemote(system, remote.Configure(host, port,
		remote.WithServerOptions(grpc.MaxRecvMsgSize(maxMessage))))
	r.Start()
	return func() { r.Shutdown(false) }, nil
}

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
