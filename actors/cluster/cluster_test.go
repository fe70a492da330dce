package cluster

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/fxamacker/cbor/v2"
	"github.com/hashicorp/memberlist"

	"platen.dev/actors/cluster/pki"
	"platen.dev/events"
	"platen.dev/events/secret"
	"platen.dev/events/testkit"
)

// join joins with secrets, separated by spaces.
func join(t *testing.T, name, secrets string, gone chan events.NodeID, others ...*Cluster) *Cluster {
	t.Helper()
	return joinLogging(t, testkit.Silent(), name, secrets, gone, others...)
}

func joinLogging(t *testing.T, logger *slog.Logger, name, secrets string, gone chan events.NodeID, others ...*Cluster) *Cluster {
	t.Helper()
	cfg := Config{Node: events.NodeID(name), Gossip: "127.0.0.1:0", Actors: "127.0.0.1:7", Secrets: roots(secrets), Now: time.Now, System: time.Now, Gone: func(id events.NodeID) { gone <- id }, Logger: logger}
	for _, o := range others {
		cfg.Join = append(cfg.Join, o.Address())
	}
	c, err := Join(cfg)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func roots(secrets string) (all []secret.Root) {
	for _, s := range strings.Fields(secrets) {
		all = append(all, secret.Random([]byte(s)))
	}
	return all
}

// Nodes see one another join, leave and die. One that died is remembered until another gossips from its
// address; one that left is not.
func TestMembers(t *testing.T) {
	gone := make(chan events.NodeID, 10)
	const ours = "0123456789abcdef"
	a := join(t, "a", ours, gone)
	b := join(t, "b", ours, make(chan events.NodeID, 10), a)
	c := join(t, "c", ours, make(chan events.NodeID, 10), a)
	testkit.Eventually(t, "everybody knows everybody", func() bool { return a.Nodes() == 3 && b.Nodes() == 3 && c.Nodes() == 3 })
	if !a.Alive("b") || !b.Alive("a") || !a.Alive("a") || a.Alive("x") {
		t.Error("a or b has the wrong nodes alive")
	}
	if err := b.Close(); err != nil {
		t.Error(err)
	}
	if id := <-gone; id != "b" || a.Alive("b") {
		t.Errorf("%s is gone, b alive: %t", id, a.Alive("b"))
	}
	if down := a.Down(); len(down) > 0 {
		t.Errorf("down, after one has left: %v", down)
	}
	address := c.Address()
	close(c.stop) // dies without leaving
	c.stopped.Wait()
	if err := c.list.Shutdown(); err != nil {
		t.Error(err)
	}
	if id := <-gone; id != "c" {
		t.Errorf("%s is gone, want c", id)
	}
	if down := a.Down(); len(down) != 1 || down[0].Node != "c" || down[0].Gossip.String() != address {
		t.Errorf("down, after c at %s has died: %v", address, down)
	}
	d, err := Join(Config{Node: "d", Gossip: address, Actors: "127.0.0.1:7", Secrets: roots(ours), Join: []string{a.Address()}, Now: time.Now, System: time.Now, Gone: func(events.NodeID) {}, Logger: testkit.Silent()})
	if err != nil {
		t.Fatal(err)
	}
	testkit.Eventually(t, "c is replaced", func() bool { return len(a.Down()) == 0 })
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if err := a.Close(); err != nil {
		t.Error(err)
	}
}

// The metadata last set by a node reaches the others, including one that joins later.
func TestMetadata(t *testing.T) {
	changed := make(chan struct{}, 100)
	a := join(t, "a", "0123456789abcdef", make(chan events.NodeID, 10))
	defer a.Close()
	b, err := Join(Config{
		Node: "b", Gossip: "127.0.0.1:0", Actors: "127.0.0.1:7", Secrets: roots("0123456789abcdef"), Join: []string{a.Address()},
		Now: time.Now, System: time.Now, Gone: func(events.NodeID) {}, Changed: func() { changed <- struct{}{} }, Logger: testkit.Silent(),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	metadata := func(c *Cluster, of events.NodeID) string {
		for _, m := range c.Members() {
			if m.Node == of && m.Gossip.IsLoopback() {
				return string(m.Metadata)
			}
		}
		return "not there"
	}
	for _, text := range []string{"one", "two", "three"} {
		b.SetMetadata([]byte(text))
	}
	testkit.Eventually(t, "b's metadata at a", func() bool { return metadata(a, "b") == "three" })
	if address, _ := a.Actors("b"); address != "127.0.0.1:7" {
		t.Errorf("b's actors are at %q", address)
	}
	for len(changed) > 0 {
		<-changed
	}
	c := join(t, "c", "0123456789abcdef", make(chan events.NodeID, 10), a)
	defer c.Close()
	<-changed // b sees c
	testkit.Eventually(t, "b's metadata at c", func() bool { return metadata(c, "b") == "three" })
}

// Metadata that no node of this version publishes is ignored.
func TestForeignMetadata(t *testing.T) {
	good, _ := cbor.Marshal(nodeMeta{Actors: "127.0.0.1:7", Metadata: []byte("text"), Current: 1_700_000_000, Level: 3, Version: "1.2"})
	if got := decodeNodeMeta(good); got.Actors != "127.0.0.1:7" || string(got.Metadata) != "text" || unix(got.Current).Unix() != 1_700_000_000 || !unix(-1).IsZero() || got.Level != 3 || got.Version != "1.2" {
		t.Errorf("got %+v", got)
	}
	for name, c := range map[string]nodeMeta{
		"no address":    {},
		"no port":       {Actors: "127.0.0.1"},
		"long address":  {Actors: strings.Repeat("a", maxAddress) + ":7"},
		"long metadata": {Actors: "127.0.0.1:7", Metadata: make([]byte, MaxMetadata+1)},
		"long version":  {Actors: "127.0.0.1:7", Version: strings.Repeat("a", maxVersion+1)},
		"level below 0": {Actors: "127.0.0.1:7", Level: -1},
		"long secret":   {Actors: "127.0.0.1:7", Secret: strings.Repeat("a", maxSecret+1)},
		"protocol":      {Actors: "127.0.0.1:7", Protocol: -1},
	} {
		b, _ := cbor.Marshal(c)
		if got := decodeNodeMeta(b); got.Actors != "" || got.Metadata != nil {
			t.Errorf("%s: got %+v", name, got)
		}
	}
	if got := decodeNodeMeta([]byte("127.0.0.1:7")); got.Actors != "" {
		t.Errorf("text: got %+v", got)
	}
}

// Nodes that went down are remembered for an hour, the newest ones up to the limit.
func TestDown(t *testing.T) {
	w := &watcher{alive: map[events.NodeID]Member{}, down: map[events.NodeID]Down{}}
	for i := range maxDown + 1 {
		id := events.NodeID(rune('A' + i))
		w.alive[id] = Member{Node: id}
		w.noteDown(id, netip.AddrPortFrom(netip.IPv6Loopback(), uint16(i+1)))
	}
	if _, first := w.down["A"]; first || len(w.down) != maxDown {
		t.Errorf("%d are remembered, the first one: %t", len(w.down), first)
	}
	late, early := w.down["B"], w.down["C"]
	late.Since, early.Since = time.Now().Add(-downKept-time.Second), time.Now().Add(-downKept+time.Minute)
	w.down["B"], w.down["C"] = late, early
	if down := (*Cluster)(w).Down(); len(down) != maxDown-1 || down[0].Node != "C" {
		t.Errorf("%d are remembered after an hour, the first is %s", len(down), down[0].Node)
	}
}

// memberlist has room for the longest metadata.
func TestMetadataFits(t *testing.T) {
	d := &delegate{metadata: make([]byte, MaxMetadata), current: 1 << 60, leaving: true}
	d.cfg.OldestSecret = strings.Repeat("s", maxSecret)
	d.cfg.Actors, d.cfg.Version = strings.Repeat("a", maxAddress), strings.Repeat("v", maxVersion)
	if d.NodeMeta(memberlist.MetaMaxSize) == nil {
		t.Error("the metadata is too long")
	}
}

// While the secret is rotated, nodes before, amid and after it know one another.
func TestRotation(t *testing.T) {
	const first, second = "0123456789abcdef", "fedcba9876543210"
	gone := make(chan events.NodeID, 10)
	prepared := join(t, "a", first+" "+second, gone)
	rotated := join(t, "b", second+" "+first, gone, prepared)
	again := join(t, "c", first+" "+second, gone, rotated)
	testkit.Eventually(t, "everybody knows everybody", func() bool {
		return prepared.Nodes() == 3 && rotated.Nodes() == 3 && again.Nodes() == 3
	})
	for _, c := range []*Cluster{again, rotated, prepared} {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A node with another secret is not admitted.
func TestSecret(t *testing.T) {
	warned := make(lines, 100)
	a := joinLogging(t, slog.New(slog.NewTextHandler(warned, nil)), "a", "0123456789abcdef", make(chan events.NodeID, 10))
	defer a.Close()
	b := join(t, "b", "fedcba9876543210", make(chan events.NodeID, 10), a)
	defer b.Close()
	if a.Nodes() != 1 || b.Nodes() != 1 {
		t.Errorf("%d and %d nodes, want 1 and 1", a.Nodes(), b.Nodes())
	}
	for told := ""; !strings.Contains(told, "refused at the port of gossip"); {
		told = testkit.Receive(t, warned, "a warning")
	}
}

// lines receives what is written.
type lines chan string

func (l lines) Write(b []byte) (int, error) {
	l <- string(b)
	return len(b), nil
}

// A node with another secret, or without one, is told of once in five minutes.
func TestGossipLog(t *testing.T) {
	var out bytes.Buffer
	now := time.Now()
	log := &gossipLog{logger: slog.New(slog.NewTextHandler(&out, nil)), now: func() time.Time { return now }, told: map[string]time.Time{}}
	write := func(line string, warnings int) {
		t.Helper()
		if _, err := log.Write([]byte(line)); err != nil {
			t.Fatal(err)
		}
		if have := strings.Count(out.String(), "refused at the port of gossip"); have != warnings {
			t.Errorf("after %q: %d warnings, want %d", line, have, warnings)
		}
	}
	const refused = "[ERR] memberlist: failed to receive: no installed keys could decrypt the message from=192.0.2.7:4321\n"
	write("[ERR] memberlist: failed to receive: EOF from=192.0.2.7:4321\n", 0)
	write(refused, 1)
	now = now.Add(tellAgain - time.Second)
	write(refused, 1)
	write(strings.ReplaceAll(refused, "4321", "4322"), 1)
	now = now.Add(time.Second)
	write("[ERR] memberlist: failed to receive: encryption is configured but remote state is not encrypted from=[2001:db8::7]:4321\n", 2)
	write(refused, 3)
	for i := range maxTold {
		write(strings.ReplaceAll(refused, "0.2.7", fmt.Sprintf("0.2.%d", 100+i)), min(4+i, 3+maxTold-2))
	}
	testkit.Contains(t, out.String(), "peer=192.0.2.7:4321", "peer=[2001:db8::7]:4321")
}

func TestBadAddresses(t *testing.T) {
	for _, address := range []string{"", "nonsense", "127.0.0.1:99999", "127.0.0.1:x"} {
		if _, err := Join(Config{Gossip: address, Logger: testkit.Silent()}); err == nil || !strings.Contains(err.Error(), "address") {
			t.Errorf("gossip on %q: %v", address, err)
		}
	}
	system := actor.NewActorSystem()
	if _, err := StartRemote(system, RemoteConfig{Address: "192.0.2.1:1", Identity: anyIdentity(t), Logger: testkit.Silent()}); err == nil || !strings.Contains(err.Error(), "192.0.2.1:1") {
		t.Errorf("actors on a foreign address: %v", err)
	}
}

func anyIdentity(t *testing.T) *pki.Identity {
	t.Helper()
	i, err := pki.FromSecrets(roots("any"))
	if err != nil {
		t.Fatal(err)
	}
	return i
}
