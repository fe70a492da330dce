package testkit

import "go.uber.org/goleak"

// LeftByRemoting makes goleak ignore what proto.actor's remoting leaves behind of a node that is gone: for up to 10 s it sleeps between attempts to
// reach the node, and each attempt has a gRPC connection.
func LeftByRemoting() []goleak.Option {
	return []goleak.Option{
		goleak.IgnoreAnyFunction("github.com/asynkron/protoactor-go/remote.(*endpointWriter).initialize"),
		goleak.IgnoreAnyFunction("google.golang.org/grpc/internal/grpcsync.(*CallbackSerializer).run"),
		goleak.IgnoreAnyFunction("google.golang.org/grpc.(*addrConn).connect"),
	}
}
