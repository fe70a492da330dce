//go:build !race

// Every start of proto.actor's remote sets gRPC's global logger. That is a data race
// between nodes in one process, which only tests have.

package cluster

import (
	"crypto/tls"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/asynkron/protoactor-go/remote"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"platen.dev/actors/cluster/pki"
	"platen.dev/events/secret"
	"platen.dev/events/testkit"
)

func identity(t testing.TB, text string) *pki.Identity {
	t.Helper()
	i, err := pki.FromSecrets([]secret.Root{secret.Random([]byte(text))})
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// port is a node's port with an actor called renderer, an actor that no other node may reach, and a
// process that panics on its sender's goroutine.
type port struct {
	*Remote
	address  string
	received chan string
	private  chan any
}

type panics struct{}

func (panics) SendUserMessage(*actor.PID, any)   { panic("it cannot handle this") }
func (panics) SendSystemMessage(*actor.PID, any) {}
func (panics) Stop(*actor.PID)                   {}

func startPort(t testing.TB) *port {
	t.Helper()
	system := testkit.System(t)
	r, err := StartRemote(system, RemoteConfig{Address: "127.0.0.1:0", Identity: identity(t, "ours"), Targets: []string{"renderer", "panics"}, Logger: testkit.Silent()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Close)
	p := &port{r, system.Address(), make(chan string, 100), make(chan any, 100)}
	renderer := actor.PropsFromFunc(func(ctx actor.Context) {
		switch m := ctx.Message().(type) {
		case *actor.Started:
		case *wrapperspb.BytesValue:
			p.received <- string(m.Value)
		default:
			p.private <- m
		}
	})
	private := actor.PropsFromFunc(func(ctx actor.Context) {
		if _, started := ctx.Message().(*actor.Started); !started {
			p.private <- ctx.Message()
		}
	})
	for name, props := range map[string]*actor.Props{"renderer": renderer, "shards": private} {
		if _, err := system.Root.SpawnNamed(props, name); err != nil {
			t.Fatal(err)
		}
	}
	system.ProcessRegistry.Add(panics{}, "panics")
	return p
}

func dial(t testing.TB, address string, c credentials.TransportCredentials) remote.RemotingClient {
	t.Helper()
	conn, err := grpc.NewClient(address, grpc.WithTransportCredentials(c))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return remote.NewRemotingClient(conn)
}

// send sends a frame on a stream of its own, and returns how the stream ends.
func send(t testing.TB, c remote.RemotingClient, m *remote.RemoteMessage) codes.Code {
	t.Helper()
	s, err := c.Receive(testkit.Context(t))
	if err != nil {
		return status.Code(err)
	}
	if s.Send(m) == nil {
		_ = s.CloseSend() // if it is taken, the stream ends
	}
	_, err = s.Recv()
	if err != nil && err.Error() == "EOF" {
		return codes.OK
	}
	return status.Code(err)
}

// A member's stream ends at a frame that no node sends, which reaches no actor. The node keeps running.
func TestIntruderWithCertificate(t *testing.T) {
	p := startPort(t)
	member := dial(t, p.address, credentials.NewTLS(identity(t, "ours").Client()))
	if _, err := member.ListProcesses(testkit.Context(t), &remote.ListProcessesRequest{}); status.Code(err) != codes.Unimplemented {
		t.Errorf("ListProcesses: %v", err)
	}
	if _, err := member.GetProcessDiagnostics(testkit.Context(t), &remote.GetProcessDiagnosticsRequest{}); status.Code(err) != codes.Unimplemented {
		t.Errorf("GetProcessDiagnostics: %v", err)
	}
	refused := int64(0)
	for name, change := range intrusions(p.address) {
		b := batch(p.address)
		change(b)
		if code := send(t, member, framed(b)); code != codes.InvalidArgument {
			t.Errorf("%s: %s", name, code)
		}
		refused++
	}
	huge := batch(p.address)
	huge.Envelopes[0].MessageData = make([]byte, maxFrame)
	if code := send(t, member, framed(huge)); code != codes.ResourceExhausted {
		t.Errorf("a huge frame: %s", code)
	}
	refused++
	undecodable := batch(p.address)
	undecodable.Envelopes = undecodable.Envelopes[:1]
	undecodable.Envelopes[0].MessageData = []byte{0xff}
	if code := send(t, member, framed(undecodable)); code == codes.OK {
		t.Error("what cannot be decoded is taken")
	}
	panicking := batch(p.address)
	panicking.Targets[0].Id = "panics"
	if code := send(t, member, framed(panicking)); code != codes.Internal {
		t.Errorf("what panics: %s", code)
	}
	good := batch(p.address)
	good.Envelopes = good.Envelopes[:1]
	if code := send(t, member, framed(good)); code != codes.OK {
		t.Errorf("a good frame: %s", code)
	}
	if got := testkit.Receive(t, p.received, "the good frame"); got != "text" || len(p.received)+len(p.private) > 0 {
		t.Errorf("actors got %q and %d others", got, len(p.received)+len(p.private))
	}
	if code := send(t, member, framed(full(p.address, maxBatch))); code != codes.OK {
		t.Errorf("a full batch: %s", code)
	}
	for range maxBatch {
		if got := testkit.Receive(t, p.received, "a message of the full batch"); len(got) != MaxMessage-3 {
			t.Errorf("got %d bytes", len(got))
		}
	}
	if got := p.Refused(); got[BadCall] != 2 || got[BadMessage] != refused || got[Panicked] != 1 || got[BadPeer] != 0 {
		t.Errorf("refused %v, want %d messages", got, refused)
	}
}

// No call gets through without a certificate of the cluster.
func TestStrangers(t *testing.T) {
	p := startPort(t)
	good := batch(p.address)
	good.Envelopes = good.Envelopes[:1]
	strangers := map[string]credentials.TransportCredentials{
		"in the clear":          insecure.NewCredentials(),
		"without a certificate": credentials.NewTLS(&tls.Config{InsecureSkipVerify: true}),
		"of another cluster":    credentials.NewTLS(anyServer(identity(t, "theirs").Client())),
	}
	for name, c := range strangers {
		if code := send(t, dial(t, p.address, c), framed(good)); code != codes.Unavailable {
			t.Errorf("%s: %s", name, code)
		}
	}
	testkit.Eventually(t, "all are refused", func() bool { return p.Refused()[BadPeer] >= int64(len(strangers)) })
	if code := send(t, dial(t, p.address, credentials.NewTLS(identity(t, "ours").Client())), framed(good)); code != codes.OK {
		t.Errorf("a node: %s", code)
	}
	if got := testkit.Receive(t, p.received, "the node's message"); got != "text" || len(p.received) > 0 {
		t.Errorf("got %q and %d others", got, len(p.received))
	}
}

// anyServer is a client that does not care whom it talks to.
func anyServer(c *tls.Config) *tls.Config {
	c.VerifyConnection = nil
	return c
}

// Two nodes of one cluster exchange requests and answers; one of another cluster gets none.
func TestRequestsBetweenNodes(t *testing.T) {
	node := func(text string) *actor.ActorSystem {
		system := testkit.System(t)
		r, err := StartRemote(system, RemoteConfig{Address: "127.0.0.1:0", Identity: identity(t, text), Targets: []string{"echo"}, Logger: testkit.Silent()})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(r.Close)
		return system
	}
	a, b, other := node("ours"), node("ours"), node("theirs")
	echo := actor.PropsFromFunc(func(ctx actor.Context) {
		if m, ok := ctx.Message().(*wrapperspb.BytesValue); ok {
			ctx.Respond(m)
		}
	})
	if _, err := b.Root.SpawnNamed(echo, "echo"); err != nil {
		t.Fatal(err)
	}
	large := wrapperspb.Bytes(make([]byte, MaxMessage-10))
	for range 3 * maxBatch { // more than a batch
		b.Root.Send(actor.NewPID(a.Address(), "future$1"), large)
	}
	if got, err := a.Root.RequestFuture(actor.NewPID(b.Address(), "echo"), large, 20*time.Second).Result(); err != nil || !proto.Equal(got.(proto.Message), large) {
		t.Errorf("got %v %v", got, err)
	}
	if got, err := other.Root.RequestFuture(actor.NewPID(b.Address(), "echo"), large, 200*time.Millisecond).Result(); err == nil {
		t.Errorf("a node of another cluster got %v", got)
	}
}

// FuzzPort sends frames to a real port over a node's stream. Only messages that the gate would pass
// reach an actor, and the port stays open.
func FuzzPort(f *testing.F) {
	p := startPort(f)
	member := dial(f, p.address, credentials.NewTLS(identity(f, "ours").Client()))
	for _, change := range intrusions(p.address) {
		b := batch(p.address)
		change(b)
		if frame, err := proto.Marshal(framed(b)); err == nil && len(frame) < 1<<12 {
			f.Add(frame)
		}
	}
	f.Fuzz(func(t *testing.T, frame []byte) {
		var m remote.RemoteMessage
		if proto.Unmarshal(frame, &m) != nil {
			return
		}
		before := p.Refused()
		err := gate{func() string { return p.address }, map[string]bool{"renderer": true, "panics": true}}.check(&m)
		if code := send(t, member, &m); (err != nil) != (code == codes.InvalidArgument) {
			t.Errorf("the gate says %v, the port %s", err, code)
		}
		if after := p.Refused(); err == nil && after[BadMessage] != before[BadMessage] {
			t.Errorf("refused: %v", after)
		}
		for len(p.received) > 0 {
			<-p.received
		}
		if len(p.private) > 0 {
			t.Errorf("an actor got a %T", <-p.private)
		}
	})
}
