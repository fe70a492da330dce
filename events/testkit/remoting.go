package testkit

import "go.uber.org/goleak"

// LeftByRemoting has goleak ignore what proto.actor's remoting leaves behind of a node that is gone: for up to 10 s it sleeps
// between attempts to reach it, and each attempt has a connection of gRPC.
func LeftByRemoting() []goleak.Option {
	return []goleak.Option{
		goleak.IgnoreAnyFunction("github.com/asynkron/protoactor-go/remote.(*endpointWriter).initialize"),
		goleak.IgnoreAnyFunction("google.golang.org/grpc/internal/grpcsync.(*CallbackSerializer).run"),
		goleak.IgnoreAnyFunction("google.golang.org/grpc.(*addrConn).connect"),
	}
}
