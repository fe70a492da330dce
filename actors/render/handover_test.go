package render

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/fxamacker/cbor/v2"
	"google.golang.org/protobuf/types/known/wrapperspb"

	"platen.dev/actors/job"
	"platen.dev/events"
)

// Jobs belong to an account of partition 0, of which the log of a shop has one.
var idle = Load{Slots: 2}

// neighbours are the other nodes of a shop: actors in the same process.
type neighbours struct {
	shop *shop
	mu   sync.Mutex
	all  []Peer
	told Load
}

func (n *neighbours) Peers() []Peer {
	n.mu.Lock()
	defer n.mu.Unlock()
	return append([]Peer(nil), n.all...)
}

func (n *neighbours) Tell(l Load) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.told = l
}

// heard is what this node told last.
func (n *neighbours) heard() Load {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.told
}

// change sets the nodes, and says so as the cluster does.
func (n *neighbours) change(all ...Peer) {
	n.mu.Lock()
	n.all = all
	n.mu.Unlock()
	n.shop.renderer.PeersChanged()
}

// peer is a node that gives every handover it gets to the test, and answers as it says.
func (n *neighbours) peer(id events.NodeID, load Load, answers func(handover) *answer) (Peer, <-chan handover) {
	got := make(chan handover, 100)
	pid := n.shop.system.Root.Spawn(actor.PropsFromFunc(func(ctx actor.Context) {
		m, ok := ctx.Message().(*wrapperspb.BytesValue)
		if !ok {
			return
		}
		var h handover
		if err := cbor.Unmarshal(m.Value, &h); err != nil {
			n.shop.t.Error(err)
		}
		if a := answers(h); a != nil {
			b, _ := cbor.Marshal(*a)
			ctx.Respond(wrapperspb.Bytes(b))
		}
		got <- h
	}))
	return Peer{Node: id, Renderer: pid, Load: load}, got
}

func takes(h handover) *answer { return &answer{h.Job, true} }
func refuses(h handover) *answer {
	return &answer{h.Job, false}
}
func silent(handover) *answer { return nil }

// busyShop is a node whose attempts are all taken, until its page is given back.
func busyShop(t *testing.T) (*shop, *neighbours) {
	n := &neighbours{}
	s := newShopWith(t, func(c *Config) { c.Peers, c.Slots = n, 1 })
	n.shop = s
	<-s.pages
	s.order("one")
	s.order("two")
	s.figures("both attempts taken", func(f Figures) bool { return f.Load.total() == 2 })
	return s, n
}

// figures waits until the renderer's are as they should be.
func (s *shop) figures(what string, so func(Figures) bool) {
	s.t.Helper()
	deadline := time.After(time.Minute)
	poll := time.NewTicker(2 * time.Millisecond)
	defer poll.Stop()
	for !so(s.renderer.Figures()) {
		select {
		case <-poll.C:
		case <-deadline:
			s.t.Fatalf("never: %s: %+v", what, s.renderer.Figures())
		}
	}
}

func receive[T any](t *testing.T, from <-chan T, what string) T {
	t.Helper()
	select {
	case v := <-from:
		return v
	case <-time.After(time.Minute):
		t.Fatalf("waited too long for %s", what)
		panic("unreachable")
	}
}

// What a node has no attempt for goes to the one that has most room, with all that
// it needs to know, until it has what fits.
func TestHandOver(t *testing.T) {
	s, n := busyShop(t)
	b, atB := n.peer("b", idle, takes)
	c, atC := n.peer("c", Load{Slots: 2, Running: [lanes]int{1}}, takes)
	d, atD := n.peer("d", Load{Slots: 8, Draining: true}, takes)
	n.change(b, c, d)
	third := s.order("three")
	if h := receive(t, atB, "the third at b"); h.Job != third || h.Account != "acc" || h.Content <= 0 {
		t.Errorf("b was given %+v", h)
	}
	s.order("four") // b has one, c had one: they are even, b is the first
	receive(t, atB, "the fourth at b")
	s.order("five")
	receive(t, atC, "the fifth at c")
	s.order("six")
	s.figures("the sixth waits here", func(f Figures) bool { return f.Load.Queued[0] == 1 && f.Counts.HandedOver == 3 })
	c.Load.Running[0] = 0 // has told anew
	n.change(b, c, d)
	receive(t, atC, "the sixth at c")
	s.figures("nothing waits", func(f Figures) bool { return f.Load.total() == 2 && f.Counts.HandedOver == 4 })
	if len(atD) > 0 {
		t.Error("a node that drains was given a job")
	}
}

// While there is an attempt left here, nothing is handed over.
func TestNoHandOverWithoutNeed(t *testing.T) {
	n := &neighbours{}
	s := newShopWith(t, func(c *Config) { c.Peers, c.Slots = n, 1 })
	n.shop = s
	b, atB := n.peer("b", idle, takes)
	n.change(b)
	for range 5 {
		s.order("x")
		s.told(2)
	}
	if got := len(atB); got > 0 {
		t.Errorf("%d jobs were handed over", got)
	}
}

// A refused job, and one of which nothing is heard, stays here and is rendered.
func TestRefusedAndSilent(t *testing.T) {
	for name, answers := range map[string]func(handover) *answer{
		"refused": refuses, "silent": silent,
		"another's answer": func(handover) *answer { return &answer{events.NewJobID(), true} },
	} {
		t.Run(name, func(t *testing.T) {
			s, n := busyShop(t)
			b, atB := n.peer("b", idle, answers)
			n.change(b)
			third := s.order("three")
			receive(t, atB, "the offer")
			s.figures("the job is back", func(f Figures) bool { return f.Counts.Refused == 1 && f.Load.Queued[0] == 1 })
			s.pages <- struct{}{}
			s.finished(3, third)
		})
	}
}

// finished waits for n jobs to end, of which one is given.
func (s *shop) finished(n int, want events.JobID) {
	s.t.Helper()
	ended := map[events.JobID]int{}
	for _, body := range s.told(2 * n) {
		if f, ok := body.(events.FinishRender); ok {
			ended[f.Job]++
		}
	}
	if len(ended) != n || ended[want] != 1 {
		s.t.Errorf("%d jobs ended, the one %d times", len(ended), ended[want])
	}
}

// What a node took is taken up here again when it is gone.
func TestNodeGone(t *testing.T) {
	s, n := busyShop(t)
	b, atB := n.peer("b", idle, takes)
	n.change(b)
	third := s.order("three")
	receive(t, atB, "the handover")
	s.figures("the job is away", func(f Figures) bool { return f.Counts.HandedOver == 1 })
	n.change()
	s.order("four")
	s.renderer.NodeGone("x") // has nothing of ours
	s.renderer.NodeGone("b")
	s.figures("the job is back", func(f Figures) bool { return f.Counts.TakenBack == 1 && f.Load.Queued[0] == 2 })
	s.pages <- struct{}{}
	s.finished(4, third)
}

// Who comes back stands where it stood.
func TestOldPlace(t *testing.T) {
	d := newDispatcher(t.Context(), Config{}, nil)
	var all []*entry
	for range 5 {
		id := events.NewJobID()
		d.onTake(take{effect: job.Render{Job: id}})
		all = append(all, d.known[id])
	}
	for range 3 {
		d.dequeue(d.queues[0][0])
	}
	for _, i := range []int{1, 2, 0} {
		d.takeBack(all[i])
	}
	if !slices.Equal(d.queues[0], all) {
		t.Error("the order is another")
	}
}

// What the journal gave to an attempt is nobody's concern here any more.
func TestBegun(t *testing.T) {
	s, n := busyShop(t)
	b, atB := n.peer("b", idle, takes)
	n.change(b)
	third := s.order("three")
	receive(t, atB, "the handover")
	s.figures("the job is away", func(f Figures) bool { return f.Counts.HandedOver == 1 })
	n.change()
	fourth := s.order("four")
	s.renderer.Begun(third)
	s.renderer.Begun(fourth) // by an attempt that was believed lost
	s.renderer.NodeGone("b")
	s.figures("nothing waits", func(f Figures) bool { return f.Load.total() == 2 })
	if got := s.renderer.Figures().Counts.TakenBack; got != 0 {
		t.Errorf("%d jobs were taken back", got)
	}
}

// A node takes what it can begin at once, renders it as its own, and nothing else.
func TestTakeOver(t *testing.T) {
	s := newShopWith(t, func(c *Config) { c.Peers, c.Slots = &neighbours{}, 2 })
	<-s.pages
	ask := func(h handover) bool {
		b, _ := cbor.Marshal(h)
		result, err := s.system.Root.RequestFuture(s.renderer.pid, wrapperspb.Bytes(b), 20*time.Second).Result()
		if err != nil {
			t.Fatal(err)
		}
		return isTaken(h.Job, result, nil)
	}
	offer := func(lane events.Lane) handover {
		id := events.NewJobID()
		return handover{Account: "acc", Job: id, Content: s.append(events.Submission{SubmitJob: events.SubmitJob{Job: id}, Content: events.Content{HTML: "x"}}), Lane: lane}
	}
	first, second := offer(events.Slow), offer(events.Slow)
	for range 2 { // what is under way is taken once more
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

// A node that is to stop begins nothing more, says so, and gives away what waits.
func TestRetire(t *testing.T) {
	s, n := busyShop(t)
	waiting := s.order("three")
	s.renderer.Retire()
	s.figures("it drains", func(f Figures) bool { return f.Load.Draining })
	if !n.heard().Draining {
		t.Error("the others were not told")
	}
	s.pages <- struct{}{}
	s.told(4)
	s.figures("the third waits", func(f Figures) bool { return f.Load.total() == 1 })
	b, atB := n.peer("b", idle, takes)
	n.change(b)
	if h := receive(t, atB, "the third"); h.Job != waiting {
		t.Errorf("b was given %+v", h)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	s.renderer.Close(ctx)
}

// Of what others send, only a job that can be is begun.
func TestForeignHandovers(t *testing.T) {
	good := handover{Account: "acc", Job: events.NewJobID(), Content: 1}
	encode := func(change func(*handover)) []byte {
		h := good
		change(&h)
		b, _ := cbor.Marshal(h)
		return b
	}
	if got, err := decodeHandover(encode(func(*handover) {}), 1); err != nil || got.effect != (job.Render{Account: "acc", Job: good.Job, Content: 1}) {
		t.Errorf("got %+v, %v", got, err)
	}
	for name, b := range map[string][]byte{
		"nothing":           nil,
		"text":              []byte("hello"),
		"too long":          encode(func(h *handover) { h.Account = events.AccountID(strings.Repeat("a", 2000)) }),
		"long account":      encode(func(h *handover) { h.Account = events.AccountID(strings.Repeat("a", maxID+1)) }),
		"no account":        encode(func(h *handover) { h.Account = "" }),
		"no job":            encode(func(h *handover) { h.Job = events.JobID{} }),
		"foreign partition": encode(func(h *handover) { h.Partition = 1 }),
		"no partition":      encode(func(h *handover) { h.Partition = -1 }),
		"no offset":         encode(func(h *handover) { h.Content = -1 }),
		"no size":           encode(func(h *handover) { h.MaxFile = -1 }),
		"a vast size":       encode(func(h *handover) { h.MaxFile = 1 << 50 }),
		"a new lane":        encode(func(h *handover) { h.Lane = 2 }),
	} {
		if got, err := decodeHandover(b, 1); err == nil {
			t.Errorf("%s: got %+v", name, got)
		}
	}
}

// A handover cannot have content rendered for an account that it is not of.
func TestContentOfAnotherAccount(t *testing.T) {
	s := newShop(t)
	id := events.NewJobID()
	offset := s.append(events.Submission{SubmitJob: events.SubmitJob{Job: id}, Content: events.Content{HTML: "secret"}})
	s.renderer.Render(0, job.Render{Account: "other", Job: id, Content: offset})
	if fail, ok := s.told(2)[1].(events.FailRender); !ok || fail.Code != events.RenderFailed {
		t.Errorf("told %+v", fail)
	}
}
