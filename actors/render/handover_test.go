package render

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/fxamacker/cbor/v2"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"platen.dev/actors/job"
	"platen.dev/actors/render/dispatch"
	"platen.dev/events"
	"platen.dev/events/testkit"
)

// Jobs belong to an account of partition 0, the only partition of a fixture's log.
var idle = dispatch.Load{Slots: 2}

// fakePeers are the other nodes: actors in the same process.
type fakePeers struct {
	fixture *fixture

	mu        sync.Mutex
	all       []dispatch.Peer
	renderers map[events.NodeID]*actor.PID
	told      dispatch.Load
}

func (n *fakePeers) Renderer(id events.NodeID) *actor.PID {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.renderers[id]
}

func (n *fakePeers) Peers() []dispatch.Peer {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]dispatch.Peer(nil), n.all...)
}

func (n *fakePeers) Tell(l dispatch.Load) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.told = l
}

func newFakePeers() *fakePeers { return &fakePeers{renderers: map[events.NodeID]*actor.PID{}} }

// heard returns the load that this node reported last.
func (n *fakePeers) heard() dispatch.Load {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.told
}

// change sets the nodes and announces the change as the cluster does.
func (n *fakePeers) change(all ...dispatch.Peer) {
	n.mu.Lock()
	n.all = all
	n.mu.Unlock()
	n.fixture.renderer.PeersChanged()
}

// peer returns a node that passes every offer to the test and answers as the test says.
func (n *fakePeers) peer(id events.NodeID, load dispatch.Load, answers func(offerMessage) *offerAnswer) (dispatch.Peer, <-chan offerMessage) {
	got := make(chan offerMessage, 100)
	pid := n.fixture.system.Root.Spawn(actor.PropsFromFunc(func(ctx actor.Context) {
		m, ok := ctx.Message().(*wrapperspb.BytesValue)
		if !ok {
			return
		}
		var h offerMessage
		if err := cbor.Unmarshal(m.Value, &h); err != nil {
			n.fixture.t.Error(err)
		}
		if a := answers(h); a != nil {
			b, _ := cbor.Marshal(*a)
			ctx.Respond(wrapperspb.Bytes(b))
		}
		got <- h
	}))
	n.mu.Lock()
	defer n.mu.Unlock()
	n.renderers[id] = pid
	return dispatch.Peer{Node: id, Load: load}, got
}

func takes(h offerMessage) *offerAnswer { return &offerAnswer{h.Job, true} }
func refuses(h offerMessage) *offerAnswer {
	return &offerAnswer{h.Job, false}
}
func silent(offerMessage) *offerAnswer { return nil }

// newSaturatedFixture is a node whose attempts are all busy until its page is returned.
func newSaturatedFixture(t *testing.T) (*fixture, *fakePeers) {
	n := newFakePeers()
	s := newFixtureWith(t, func(c *Config) { c.Peers, c.Slots = n, 1 })
	n.fixture = s
	<-s.pages
	s.submit("one")
	s.submit("two")
	s.figures("both attempts taken", func(f Figures) bool { return f.Load.Total() == 2 })
	return s, n
}

// figures waits until the renderer's figures satisfy a condition.
func (s *fixture) figures(what string, so func(Figures) bool) {
	s.t.Helper()
	if !testkit.Becomes(func() bool { return so(s.renderer.Figures()) }) {
		s.t.Fatalf("never: %s: %+v", what, s.renderer.Figures())
	}
}

// A job for which a node has no free attempt goes to the node with the most room, with everything
// that it needs to know, until that node is full.
func TestHandOver(t *testing.T) {
	s, n := newSaturatedFixture(t)
	b, atB := n.peer("b", idle, takes)
	c, atC := n.peer("c", dispatch.Load{Slots: 2, Running: [dispatch.Lanes]int{1}}, takes)
	d, atD := n.peer("d", dispatch.Load{Slots: 8, Draining: true}, takes)
	n.change(b, c, d)
	third := s.submit("three")
	if h := testkit.Receive(t, atB, "the third at b"); h.Job != third || h.Account != "acc" || h.Content <= 0 || h.Queued != 5 {
		t.Errorf("b was given %+v", h)
	}
	s.submit("four") // b has one, c had one: they are even, b is the first
	testkit.Receive(t, atB, "the fourth at b")
	s.submit("five")
	testkit.Receive(t, atC, "the fifth at c")
	s.submit("six")
	s.figures("the sixth waits here", func(f Figures) bool { return f.Load.Queued[0] == 1 && f.Counts.HandedOver == 3 })
	c.Load.Running[0] = 0 // reports its load again
	n.change(b, c, d)
	testkit.Receive(t, atC, "the sixth at c")
	s.figures("nothing waits", func(f Figures) bool { return f.Load.Total() == 2 && f.Counts.HandedOver == 4 })
	if len(atD) > 0 {
		t.Error("a node that drains was given a job")
	}
}

// While a node has a free attempt, nothing is handed over.
func TestNoHandOverWithoutNeed(t *testing.T) {
	n := newFakePeers()
	s := newFixtureWith(t, func(c *Config) { c.Peers, c.Slots = n, 1 })
	n.fixture = s
	b, atB := n.peer("b", idle, takes)
	n.change(b)
	for range 5 {
		s.submit("x")
		s.told(2)
	}
	if got := len(atB); got > 0 {
		t.Errorf("%d jobs were handed over", got)
	}
}

// A job whose offer is refused or not answered stays on its node and is rendered there.
func TestRefusedAndSilent(t *testing.T) {
	for name, answers := range map[string]func(offerMessage) *offerAnswer{
		"refused": refuses, "silent": silent,
		"another's answer": func(offerMessage) *offerAnswer { return &offerAnswer{events.NewJobID(), true} },
	} {
		t.Run(name, func(t *testing.T) {
			s, n := newSaturatedFixture(t)
			b, atB := n.peer("b", idle, answers)
			n.change(b)
			third := s.submit("three")
			testkit.Receive(t, atB, "the offer")
			s.figures("the job is back", func(f Figures) bool { return f.Counts.Refused == 1 && f.Load.Queued[0] == 1 })
			s.pages <- struct{}{}
			s.finished(3, third)
		})
	}
}

// finished waits for n jobs to end, and for the given job to be among them.
func (s *fixture) finished(n int, want events.JobID) {
	s.t.Helper()
	ended := map[events.JobID]int{}
	for _, body := range s.told(2 * n) {
		if f, ok := body.(events.FinishRender); ok {
			ended[f.Job]++
		}
	}
	if len(ended) != n || ended[want] != 1 {
		s.t.Errorf("%d jobs ended, the given one %d times", len(ended), ended[want])
	}
}

// The owner takes a job back when the node that took it is gone.
func TestNodeGone(t *testing.T) {
	s, n := newSaturatedFixture(t)
	b, atB := n.peer("b", idle, takes)
	n.change(b)
	third := s.submit("three")
	testkit.Receive(t, atB, "the handover")
	s.figures("the job is away", func(f Figures) bool { return f.Counts.HandedOver == 1 })
	n.change()
	s.submit("four")
	s.renderer.NodeGone("x") // has no job of ours
	s.renderer.NodeGone("b")
	s.figures("the job is back", func(f Figures) bool { return f.Counts.TakenBack == 1 && f.Load.Queued[0] == 2 })
	s.pages <- struct{}{}
	s.finished(4, third)
}

// A job that the journal gave to another attempt is forgotten.
func TestForget(t *testing.T) {
	s, n := newSaturatedFixture(t)
	b, atB := n.peer("b", idle, takes)
	n.change(b)
	third := s.submit("three")
	testkit.Receive(t, atB, "the handover")
	s.figures("the job is away", func(f Figures) bool { return f.Counts.HandedOver == 1 })
	n.change()
	fourth := s.submit("four")
	s.renderer.Forget(job.Render{Job: third}.Key())
	s.renderer.Forget(job.Render{Job: fourth}.Key()) // by an attempt that was believed lost
	s.renderer.NodeGone("b")
	s.figures("nothing waits", func(f Figures) bool { return f.Load.Total() == 2 })
	if got := s.renderer.Figures().Counts.TakenBack; got != 0 {
		t.Errorf("%d jobs were taken back", got)
	}
}

// A node takes only jobs that it can begin at once, and renders them like its own.
func TestTakeOver(t *testing.T) {
	s := newFixtureWith(t, func(c *Config) { c.Peers, c.Slots = newFakePeers(), 2 })
	<-s.pages
	ask := func(h offerMessage) bool {
		b, _ := cbor.Marshal(h)
		result, err := s.system.Root.RequestFuture(s.renderer.pid, wrapperspb.Bytes(b), 20*time.Second).Result()
		if err != nil {
			t.Fatal(err)
		}
		return isTaken(h.Job, result, nil)
	}
	offer := func(lane events.Lane) offerMessage {
		id := events.NewJobID()
		return offerMessage{Account: "acc", Job: id, Content: s.append(events.Submission{SubmitJob: events.SubmitJob{Job: id}, Content: events.Content{HTML: "x"}}), Lane: lane}
	}
	first, second := offer(events.Slow), offer(events.Slow)
	for range 2 { // a job under way may be offered again
		if !ask(first) {
			t.Error("a job is not taken")
		}
	}
	if ask(second) {
		t.Error("a second slow job is taken, of two attempts")
	}
	if !ask(offer(events.Quick)) || ask(offer(events.Quick)) {
		t.Error("not as many quick jobs are taken as there are attempts")
	}
	s.pages <- struct{}{}
	s.finished(2, first.Job)
	s.renderer.Retire()
	if ask(offer(events.Quick)) {
		t.Error("a node that drains takes a job")
	}
	if got := s.renderer.Figures(); got.Counts.TakenOver != 2 || got.Load.Taken != 2 || !got.Load.Draining {
		t.Errorf("figures are %+v", got)
	}
}

// A node that is about to stop begins nothing more, says so, and hands over its waiting jobs.
func TestRetire(t *testing.T) {
	s, n := newSaturatedFixture(t)
	waiting := s.submit("three")
	s.renderer.Retire()
	s.figures("it drains", func(f Figures) bool { return f.Load.Draining })
	if !n.heard().Draining {
		t.Error("the others were not told")
	}
	s.pages <- struct{}{}
	s.told(4)
	s.figures("the third waits", func(f Figures) bool { return f.Load.Total() == 1 })
	b, atB := n.peer("b", idle, takes)
	n.change(b)
	if h := testkit.Receive(t, atB, "the third"); h.Job != waiting {
		t.Errorf("b was given %+v", h)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s.renderer.Close(ctx)
}

// Of the messages from other nodes, only a valid offer begins a job.
func TestForeignHandovers(t *testing.T) {
	good := offerMessage{Account: "acc", Job: events.NewJobID(), Content: 1, Queued: 5}
	encode := func(change func(*offerMessage)) []byte {
		h := good
		change(&h)
		b, _ := cbor.Marshal(h)
		return b
	}
	if got, err := decodeOffer(encode(func(*offerMessage) {}), 1); err != nil || got.Effect != (job.Render{Account: "acc", Job: good.Job, Content: 1, Queued: 5}) {
		t.Errorf("got %+v, %v", got, err)
	}
	for name, b := range map[string][]byte{
		"nothing":           nil,
		"text":              []byte("hello"),
		"too long":          encode(func(h *offerMessage) { h.Account = events.AccountID(strings.Repeat("a", 2000)) }),
		"long account":      encode(func(h *offerMessage) { h.Account = events.AccountID(strings.Repeat("a", maxID+1)) }),
		"no account":        encode(func(h *offerMessage) { h.Account = "" }),
		"no job":            encode(func(h *offerMessage) { h.Job = events.JobID{} }),
		"foreign partition": encode(func(h *offerMessage) { h.Partition = 1 }),
		"no partition":      encode(func(h *offerMessage) { h.Partition = -1 }),
		"no offset":         encode(func(h *offerMessage) { h.Content = -1 }),
		"no size":           encode(func(h *offerMessage) { h.MaxFile = -1 }),
		"a vast size":       encode(func(h *offerMessage) { h.MaxFile = 1 << 50 }),
		"a new lane":        encode(func(h *offerMessage) { h.Lane = 3 }),
		"queued never":      encode(func(h *offerMessage) { h.Queued = -1 }),
		"negative weight":   encode(func(h *offerMessage) { h.Weight = -1 }),
		"heavy":             encode(func(h *offerMessage) { h.Weight = maxWeight + 1 }),
	} {
		if got, err := decodeOffer(b, 1); err == nil {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}

// A hand-over cannot make a node render content for an account that does not own it.
func TestContentOfAnotherAccount(t *testing.T) {
	s := newFixture(t)
	id := events.NewJobID()
	offset := s.append(events.Submission{SubmitJob: events.SubmitJob{Job: id}, Content: events.Content{HTML: "secret"}})
	s.renderer.Perform(0, job.Render{Account: "other", Job: id, Content: offset})
	if fail, ok := s.told(2)[1].(events.FailRender); !ok || fail.Code != events.ContentLost {
		t.Errorf("told %+v", fail)
	}
}
