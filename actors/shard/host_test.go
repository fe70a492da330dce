package shard_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"go.uber.org/goleak"

	"platen.dev/actors/account"
	"platen.dev/actors/job"
	"platen.dev/actors/shard"
	"platen.dev/events"
	"platen.dev/events/eventlog"
	"platen.dev/events/eventlog/embedded"
	"platen.dev/events/testkit"
	"platen.dev/projections"
	"platen.dev/projections/table"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m,
		goleak.IgnoreAnyFunction("github.com/asynkron/protoactor-go/actor.NewThrottleWithLogger.func1"), // waits for its interval to end
		goleak.IgnoreAnyFunction("github.com/asynkron/protoactor-go/actor.NewThrottle.func1"))
}

// cluster is a log, and what the nodes over it share.
type cluster struct {
	t        *testing.T
	log      *embedded.Log
	patience time.Duration                   // of the nodes' gateways
	journal  func(eventlog.Log) eventlog.Log // what the nodes' shards write to
	also     []table.Projection              // what the nodes' replicas fold besides
	number   int64                           // of the last public event of each partition
}

func newCluster(t *testing.T) *cluster {
	t.Helper()
	l, err := embedded.Open(embedded.Config{Dir: filepath.Join(t.TempDir(), "log"), Partitions: 2, Logger: testkit.Silent()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return &cluster{t: t, log: l, patience: 20 * time.Second, journal: func(l eventlog.Log) eventlog.Log { return l }}
}

// node has a replica and shards over the cluster's log, and a performer that only records
// effects.
type node struct {
	*shard.Gateway
	t       *testing.T
	log     eventlog.Log
	system  *actor.ActorSystem
	replica *projections.Replica
	id      events.NodeID
	shards  *shard.Shards
	effects chan job.Effect
	failed  chan error
	panics  atomic.Int32 // the number of effects, from now on, that panic
	mu      sync.Mutex
	clock   time.Time
	dead    map[events.NodeID]bool
	// forgotten are the effects that were withdrawn, withdrawn the partitions whose effects all were.
	forgotten []job.EffectKey
	withdrawn chan int32
	holds     chan struct{} // the next effect waits for it, unless it is nil
}

func (c *cluster) start(name string) *node {
	c.t.Helper()
	n := &node{t: c.t, id: events.NodeID(name), effects: make(chan job.Effect, 100), withdrawn: make(chan int32, 100), failed: make(chan error, 10), clock: time.UnixMilli(1_770_000_000_000), dead: map[events.NodeID]bool{}}
	replica, err := projections.Open(c.t.Context(), projections.Config{
		Dir: filepath.Join(c.t.TempDir(), "replica"), Log: c.log, Logger: testkit.Silent(),
		Projections: append([]table.Projection{account.States{}, projections.ReadModels{}}, c.also...),
	})
	if err != nil {
		c.t.Fatal(err)
	}
	replica.Start()
	system := testkit.NewSystem()
	n.log, n.system, n.replica = c.log, system, replica
	n.Gateway, err = shard.NewGateway(shard.GatewayConfig{Log: c.log, Replica: replica, System: system, Patience: c.patience, Now: n.now})
	if err != nil {
		c.t.Fatal(err)
	}
	performers := shard.Performers{}
	for _, kind := range job.Kinds() {
		performers[kind] = n
	}
	n.shards, err = shard.Start(system, shard.Config{
		Node: n.id, Log: c.journal(c.log), Replica: replica, Effects: performers, Nodes: n, Logger: testkit.Silent(), Now: n.now, Latest: n.now, TrimCommands: true,
		Published: func(context.Context, int32) (int64, error) { return c.number, nil },
		Failed:    func(err error) { n.failed <- err },
	})
	if err != nil {
		c.t.Fatal(err)
	}
	return n
}

func (n *node) stop() {
	n.t.Helper()
	if err := n.shards.Close(); err != nil {
		n.t.Error(err)
	}
	n.system.Shutdown()
	if err := n.replica.Close(); err != nil {
		n.t.Error(err)
	}
}

func (n *node) now() time.Time {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.clock
}

func (n *node) advance(d time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.clock = n.clock.Add(d)
}

// Resume does nothing: no effect gets lost here.
func (n *node) Resume(int32, job.Effect) {}

func (n *node) Perform(_ int32, e job.Effect) {
	if n.panics.Add(-1) >= 0 {
		panic("bug")
	}
	n.mu.Lock()
	holds := n.holds
	n.holds = nil
	n.mu.Unlock()
	n.effects <- e
	if holds != nil {
		<-holds
	}
}

func (n *node) Forget(key job.EffectKey) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.forgotten = append(n.forgotten, key)
}

func (n *node) ForgetAll(p int32) { n.withdrawn <- p }

func (n *node) Alive(id events.NodeID) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return !n.dead[id]
}

func (n *node) do(body events.CommandBody) events.Reply {
	n.t.Helper()
	reply, err := n.Do("acc", body)
	if err != nil {
		n.t.Fatal(err)
	}
	return reply
}

func (n *node) accepted(body events.CommandBody) {
	n.t.Helper()
	if reply := n.do(body); reply.Code != events.Accepted {
		n.t.Fatalf("%T: %s", body, reply.Code)
	}
}

// open opens the account and issues a key.
func (n *node) open() {
	n.t.Helper()
	n.accepted(events.CreateAccount{Plan: events.PlanFree, Anchor: events.At(n.now())})
	n.accepted(events.IssueKey{Key: events.Key{ID: "key", Hash: [32]byte{1}}})
}

func (n *node) submit() events.JobID {
	n.t.Helper()
	id := events.NewJobID()
	n.accepted(events.Submission{SubmitJob: events.SubmitJob{Job: id, Key: "key", Operation: events.HTMLToPDF}, Content: events.Content{HTML: "x"}})
	return id
}

// render waits for the next effect, which must be a Render.
func (n *node) render() job.Render {
	n.t.Helper()
	e := testkit.Receive(n.t, n.effects, "an effect")
	r, ok := e.(job.Render)
	if !ok {
		n.t.Fatalf("effect %T, want Render", e)
	}
	return r
}

// tell appends a command and waits until its envelope is folded.
func (n *node) tell(body events.CommandBody) {
	n.t.Helper()
	n.append(events.Command{ID: events.NewCommandID(), Account: "acc", At: events.At(n.now()), Body: body})
}

// tellOnly appends a command and does not wait for its decision.
func (n *node) tellOnly(body events.CommandBody) {
	n.t.Helper()
	value, err := events.EncodeCommand(events.Command{ID: events.NewCommandID(), Account: "acc", At: events.At(n.now()), Body: body})
	if err != nil {
		n.t.Fatal(err)
	}
	n.appendOnly(value)
}

func (n *node) append(c events.Command) {
	n.t.Helper()
	value, err := events.EncodeCommand(c)
	if err != nil {
		n.t.Fatal(err)
	}
	n.appendBytes(value)
}

func (n *node) appendBytes(value []byte) {
	n.t.Helper()
	n.decided(events.Partition("acc", 2), n.appendOnly(value))
}

// appendOnly appends a command and does not wait for its decision.
func (n *node) appendOnly(value []byte) (offset int64) {
	n.t.Helper()
	offset, err := eventlog.AppendWait(n.t.Context(), n.log, events.TopicCommands, events.Partition("acc", 2), eventlog.Record{Key: []byte("acc"), Value: value})
	if err != nil {
		n.t.Fatal(err)
	}
	return offset
}

// decided waits until the replica has folded the envelope of a command.
func (n *node) decided(p int32, cause int64) {
	n.t.Helper()
	n.until(p, "the command is decided", func() bool { return n.replica.Cursor(p).Cause >= cause })
}

// until waits until a condition holds, checking it after each progress of the partition.
func (n *node) until(p int32, what string, is func() bool) {
	n.t.Helper()
	progress := make(chan struct{}, 1)
	stop := n.replica.Watch(p, func(projections.Progress) {
		select {
		case progress <- struct{}{}:
		default:
		}
	})
	defer stop()
	for late := time.After(testkit.Patience); !is(); {
		select {
		case <-progress:
		case <-late:
			n.t.Fatalf("not in time: %s", what)
		}
	}
}

func (n *node) status(id events.JobID) projections.Job {
	n.t.Helper()
	j, ok, err := n.replica.Job("acc", id)
	if err != nil || !ok {
		n.t.Fatalf("job %s: found %t, %v", id, ok, err)
	}
	return j
}

// A job goes from its submit to its end: reply, effect, and the attempt's commands.
func TestAJobGoesThrough(t *testing.T) {
	n := newCluster(t).start("n1")
	defer n.stop()
	n.open()
	id := n.submit()
	if r := n.render(); r.Job != id || r.Account != "acc" {
		t.Errorf("asked to render %+v", r)
	}
	n.tell(events.StartRender{Job: id, Attempt: 7, Node: n.id})
	if s := n.status(id).Status; s != events.StatusRendering {
		t.Errorf("status %s", s)
	}
	n.tell(events.FinishRender{Job: id, Attempt: 7, File: events.File{Name: "f", Size: 9}})
	if j := n.status(id); j.Status != events.StatusDone || j.File.Size != 9 {
		t.Errorf("job %+v", j)
	}
}

// A command that arrives twice is decided once, and unreadable commands do not block later ones.
func TestDuplicatesAndGarbage(t *testing.T) {
	n := newCluster(t).start("n1")
	defer n.stop()
	n.open()
	c := events.Command{ID: events.NewCommandID(), Account: "acc", At: 5, Body: events.SubmitJob{Job: events.NewJobID(), Key: "key", Test: true}}
	n.append(c)
	n.append(c)
	n.appendBytes([]byte("garbage"))
	n.appendBytes([]byte{99, 9, 9, 9})
	last := n.submit()
	if first, second := n.render(), n.render(); first.Job != c.Body.(events.SubmitJob).Job || second.Job != last {
		t.Errorf("asked to render %s and %s", first.Job, second.Job)
	}
	if reply, ok, err := n.replica.Reply("acc", c.ID); err != nil || !ok || reply.Code != events.Accepted {
		t.Errorf("stored reply %+v %t %v", reply, ok, err)
	}
}

// A command that another program has copied into the wrong partition is not decided there: two owners would decide for one account.
func TestCommandOfAnotherPartition(t *testing.T) {
	n := newCluster(t).start("n1")
	defer n.stop()
	n.open()
	stray := events.AccountID("acc")
	for events.Partition(stray, 2) == events.Partition("acc", 2) {
		stray += "x"
	}
	n.append(events.Command{ID: events.NewCommandID(), Account: stray, At: 5, Body: events.CreateAccount{Plan: events.PlanFree}})
	newer := slices.Concat([]byte{1, 1, 0xa2, 2, 0x60 | byte(len(stray))}, []byte(stray), []byte{0x0f, 0x82, 0x19, 0x27, 0x0f, 0xa0}) // type 9999
	if c, err := events.DecodeCommand(newer); !errors.Is(err, events.ErrNewer) || c.Account != stray {
		t.Fatalf("%+v (%v)", c, err)
	}
	n.appendBytes(newer)
	n.submit()
	n.render()
	if state, err := (account.ReplicaStore{Reader: n.replica, Partition: events.Partition("acc", 2)}).Account(stray); err != nil || state.Exists() {
		t.Errorf("the account is %+v (%v)", state, err)
	}
}

// A command of a newer version is not skipped: the node ends, and one that knows it decides it.
func TestNewerCommand(t *testing.T) {
	n := newCluster(t).start("n1")
	defer n.stop()
	n.open()
	p := events.Partition("acc", 2)
	newer := n.appendOnly([]byte{2, 1, 0xa0})
	where := fmt.Sprintf("at offset %d of platen.commands/%d", newer, p)
	if err := testkit.Receive(t, n.failed, "the node's end"); !errors.Is(err, events.ErrNewer) || !strings.Contains(err.Error(), where) {
		t.Errorf("the node ended with %v", err)
	}
	if cursor := n.replica.Cursor(p); cursor.Cause >= newer {
		t.Errorf("the command at %d was passed over: %+v", newer, cursor)
	}
}

// A partition without history begins with the newest level. One that is older keeps its level until
// that is raised, and it is never lowered.
func TestLevel(t *testing.T) {
	n := newCluster(t).start("n1")
	defer n.stop()
	n.open()
	p := events.Partition("acc", 2)
	if got := n.replica.Cursor(p).Level(); got != events.NewestLevel {
		t.Errorf("a new partition has level %d", got)
	}
	for _, level := range []events.Level{events.NewestLevel, events.FirstLevel} {
		if reply, err := n.Do(events.PartitionID(p), events.RaiseLevel{Level: level}); err != nil || reply.Code != events.Accepted {
			t.Fatalf("raising to %d: %v %v", level, reply, err)
		}
		n.until(p, "the level", func() bool { return n.replica.Cursor(p).Level() == events.NewestLevel })
	}
	if all, err := n.replica.Accounts(); err != nil || len(all) != 1 {
		t.Errorf("the partition counts as an account: %v %v", all, err)
	}
}

// A new owner begins everything pending again, and counts renders on dead nodes as lost.
func TestTakeOver(t *testing.T) {
	h := newCluster(t)
	first := h.start("n1")
	first.open()
	queued, running := first.submit(), first.submit()
	first.tell(events.StartRender{Job: running, Attempt: 7, Node: first.id})
	first.stop()

	second := h.start("n2")
	defer second.stop()
	second.mu.Lock()
	second.dead["n1"] = true
	second.mu.Unlock()
	if r := second.render(); r.Job != queued {
		t.Errorf("asked to render %s, want the queued %s", r.Job, queued)
	}
	second.shards.NodeGone("n1") // whether or not it was known to be dead at the takeover
	second.until(events.Partition("acc", 2), "the lost job is queued again", func() bool {
		return second.status(running).Status == events.StatusQueued
	})
	second.advance(time.Second) // the delay before the next attempt
	if r := second.render(); r.Job != running {
		t.Errorf("asked to render %s, want the lost %s", r.Job, running)
	}
	second.tell(events.FinishRender{Job: running, Attempt: 7, File: events.File{Name: "stale"}})
	e := testkit.Receive(t, second.effects, "the deletion of the stale file")
	if d, ok := e.(job.DeleteFile); !ok || d.Name != "stale" {
		t.Errorf("effect %+v, want the deletion of the stale file", e)
	}
}

// A host that panics is replaced by another, which completes its work.
func TestAPanickingHostIsReplaced(t *testing.T) {
	n := newCluster(t).start("n1")
	defer n.stop()
	n.open()
	n.panics.Store(1)
	id := n.submit()
	if r := n.render(); r.Job != id {
		t.Errorf("asked to render %s, want %s", r.Job, id)
	}
}

// A foreign marker makes the owner stop. If the node still holds the partition, a new
// owner announces itself.
func TestASupersededOwnerComesBackWithANewEpoch(t *testing.T) {
	n := newCluster(t).start("n1")
	defer n.stop()
	n.open()
	p := events.Partition("acc", 2)
	value, err := events.EncodeEntry(events.Marker{Owner: "zombie"})
	if err != nil {
		t.Fatal(err)
	}
	foreign, err := eventlog.AppendWait(t.Context(), n.log, events.TopicJournal, p, eventlog.Record{Value: value})
	if err != nil {
		t.Fatal(err)
	}
	n.submit() // waits for the reply, which only an owner with a newer marker can send
	if epoch := n.replica.Cursor(p).Epoch; epoch <= foreign {
		t.Errorf("epoch %d, the foreign marker is at %d", epoch, foreign)
	}
}

// unreadable fails to read commands.
type unreadable struct{ eventlog.Log }

type unreadableReader struct{ eventlog.Reader }

var errForbidden = errors.New("TOPIC_AUTHORIZATION_FAILED")

func (unreadableReader) Next(context.Context) ([]eventlog.Record, error) { return nil, errForbidden }

func (l unreadable) Read(topic string, partition int32, offset int64) eventlog.Reader {
	r := l.Log.Read(topic, partition, offset)
	if topic == events.TopicCommands {
		return unreadableReader{r}
	}
	return r
}

// A node that cannot read commands fails, rather than holding partitions that it cannot serve.
func TestUnreadableCommands(t *testing.T) {
	h := newCluster(t)
	h.journal = func(l eventlog.Log) eventlog.Log { return unreadable{l} }
	n := h.start("n1")
	defer n.stop()
	if err := <-n.failed; !errors.Is(err, errForbidden) {
		t.Errorf("failed with %v", err)
	}
}

// Two nodes share the partitions. When one leaves, the other serves them all.
func TestHandOver(t *testing.T) {
	h := newCluster(t)
	first := h.start("n1")
	defer first.stop()
	first.open()
	second := h.start("n2")
	other := events.NewAccountID()
	for events.Partition(other, 2) == events.Partition("acc", 2) {
		other = events.NewAccountID()
	}
	for _, n := range []*node{first, second} {
		if err := n.replica.CatchUp(testkit.Context(t), events.Partition("acc", 2)); err != nil {
			t.Error(err)
		}
	}
	first.submit()
	second.stop()
	first.submit()
	if reply, err := first.Do(other, events.CreateAccount{Plan: events.PlanPro}); err != nil || reply.Code != events.Accepted {
		t.Errorf("the partition of the node that left: %+v, %v", reply, err)
	}
}

// With no owner, the gateway returns an error in time and leaves nothing registered.
func TestNoOwnerNoReply(t *testing.T) {
	h := newCluster(t)
	h.patience = 50 * time.Millisecond
	n := h.start("n1")
	if err := n.shards.Close(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		n.system.Shutdown()
		if err := n.replica.Close(); err != nil {
			t.Error(err)
		}
	}()
	if _, err := n.Do("acc", events.CreateAccount{Plan: events.PlanPro}); err == nil {
		t.Error("a command that nobody decides has a reply")
	}
}

// A command that a wrong clock stamped a year ahead does not move the account's window: the
// owner stamps what it decides.
func TestAClockThatIsWrong(t *testing.T) {
	n := newCluster(t).start("n1")
	defer n.stop()
	n.open()
	ahead := n.now().AddDate(1, 0, 0)
	id := events.NewJobID()
	n.append(events.Command{
		ID: events.NewCommandID(), Account: "acc", At: events.At(ahead),
		Body: events.SubmitJob{Job: id, Key: "key", Operation: events.HTMLToPDF},
	})
	if created := n.status(id).Created.Time(); created.After(n.now().Add(time.Second)) {
		t.Errorf("the job was created at %s, now is %s", created, n.now())
	}
}

// A host that is stopped withdraws its effects even if it is busy, and the node's next host waits for that.
func TestALostPartitionIsWithdrawn(t *testing.T) {
	n := newCluster(t).start("n1")
	defer n.stop()
	n.open()
	p := events.Partition("acc", 2)
	busy := make(chan struct{})
	n.mu.Lock()
	n.holds = busy
	n.mu.Unlock()
	first := n.submit()
	if r := n.render(); r.Job != first {
		t.Fatalf("asked to render %s", r.Job)
	}
	n.shards.Lost([]int32{p})
	n.shards.Assigned([]int32{p})
	close(busy)
	if got := testkit.Receive(t, n.withdrawn, "the effects are withdrawn"); got != p {
		t.Errorf("those of partition %d are withdrawn", got)
	}
	if r := n.render(); r.Job != first {
		t.Errorf("the next host asks to render %s", r.Job)
	}
	for range len(job.Kinds()) - 1 { // each kind has a performer, and all are this node
		testkit.Receive(t, n.withdrawn, "the effects of another kind are withdrawn")
	}
	if len(n.withdrawn) > 0 {
		t.Errorf("effects were withdrawn once more")
	}
}
