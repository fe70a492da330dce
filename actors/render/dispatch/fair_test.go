package dispatch

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"platen.dev/actors/job"
	"platen.dev/events"
)

// crowd drives a machine with jobs of several accounts.
type crowd struct {
	*Machine
	t       *testing.T
	jobs    uint32
	owner   map[events.JobID]events.AccountID
	running []events.JobID // in the order in which they began
}

func newCrowd(t *testing.T, set Settings) *crowd {
	return &crowd{Machine: New(set), t: t, owner: map[events.JobID]events.AccountID{}}
}

// step takes an input, and notes what begins.
func (c *crowd) step(in Input) []Output {
	outs := c.Step(in)
	for _, b := range of[Begin](outs) {
		c.running = append(c.running, b.Effect.Job)
	}
	return outs
}

func (c *crowd) submit(account events.AccountID, lane events.Lane, weight, n int) {
	for range n {
		c.jobs++
		id := events.JobID{15: byte(lane)}
		binary.BigEndian.PutUint32(id[:], c.jobs)
		c.owner[id] = account
		c.step(Take{Effect: job.Render{Account: account, Job: id, Lane: lane}, Weight: weight})
	}
}

// end ends the job that began first.
func (c *crowd) end(cost time.Duration) (of events.AccountID) {
	id := c.running[0]
	c.running = c.running[1:]
	c.step(Forget{id})
	c.step(Ended{Job: id, Told: true, Cost: cost})
	return c.owner[id]
}

func (c *crowd) began() map[events.AccountID]int {
	n := map[events.AccountID]int{}
	for _, id := range c.running {
		n[c.owner[id]]++
	}
	return n
}

// An account never holds more than twice as many attempts as are free, so that another one finds
// some at once.
func TestAnAccountLeavesAttempts(t *testing.T) {
	for _, tc := range []struct {
		attempts, first, second int
	}{{1, 1, 0}, {2, 2, 0}, {3, 2, 1}, {4, 3, 1}, {10, 7, 2}, {12, 8, 3}} {
		for lane, set := range map[events.Lane]Settings{events.Quick: {Attempts: tc.attempts}, events.Remote: {Remotes: tc.attempts}} {
			c := newCrowd(t, set)
			c.submit("a", lane, 8, 100)
			c.submit("b", lane, 1, 100)
			if n := c.began(); n["a"] != tc.first || n["b"] != tc.second {
				t.Errorf("%s, %d attempts: a has %d and b %d, want %d and %d", lane, tc.attempts, n["a"], n["b"], tc.first, tc.second)
			}
		}
	}
}

// Remote jobs that never end hold up neither their account's other jobs nor those of others.
func TestPoolsAreApart(t *testing.T) {
	c := newCrowd(t, Settings{Attempts: 4, Remotes: 4})
	c.submit("a", events.Remote, 1, 50)
	c.submit("a", events.Quick, 1, 1)
	c.submit("b", events.Remote, 1, 1)
	c.submit("b", events.Slow, 1, 1)
	if n := c.began(); n["a"] != 4 || n["b"] != 2 {
		t.Errorf("a has %d and b %d under way, want 3 remote jobs and a quick one, and all of b", n["a"], n["b"])
	}
}

// Accounts share the time of the pages by their weights, whatever a job costs.
func TestAccountsShareByCost(t *testing.T) {
	c := newCrowd(t, Settings{Attempts: 3})
	cost := map[events.AccountID]time.Duration{"dear": time.Second, "cheap": 50 * time.Millisecond, "heavy": 100 * time.Millisecond}
	weight := map[events.AccountID]int{"dear": 1, "cheap": 1, "heavy": 4}
	got := map[events.AccountID]time.Duration{}
	for account := range cost {
		c.submit(account, events.Quick, weight[account], 2000)
	}
	for range 1500 {
		of := c.owner[c.running[0]]
		got[of] += cost[of]
		c.end(cost[of])
	}
	all := got["dear"] + got["cheap"] + got["heavy"]
	for account, w := range weight {
		if share := float64(got[account]) / float64(all); share < float64(w)/6-0.03 || share > float64(w)/6+0.03 {
			t.Errorf("%s got %.2f of the time, want %d of 6", account, share, w)
		}
	}
}

// An account that comes later, or comes back, begins at once with its first job, and is not
// compensated for its absence.
func TestNewcomer(t *testing.T) {
	c := newCrowd(t, Settings{Attempts: 2})
	c.submit("old", events.Quick, 1, 1000)
	for range 100 {
		c.end(time.Second)
	}
	for range 2 {
		c.submit("new", events.Quick, 1, 50)
		c.end(time.Second)
		if c.began()["new"] != 1 {
			t.Error("the newcomer waits")
		}
		news := 0
		for range 40 {
			if c.end(time.Second) == "new" {
				news++
			}
		}
		if news < 15 || news > 25 {
			t.Errorf("of 40 jobs, the newcomer had %d", news)
		}
		c.step(ForgetAll{}) // both are gone; the old one comes back
		for len(c.running) > 0 {
			c.end(time.Second)
		}
		if len(c.shares) != 0 {
			t.Errorf("%d accounts are remembered", len(c.shares))
		}
		c.submit("old", events.Quick, 1, 1000)
		c.end(time.Second)
	}
}

// A node that refuses an account's job gets no others of that account for a while. One that is
// silent gets none at all.
func TestRefusalsByAccount(t *testing.T) {
	m := New(Settings{Slots: 1})
	m.Step(PeersChanged{[]Peer{{Node: "b", Load: Load{Slots: 9}}}})
	ask := func(n int, account events.AccountID) []Offer {
		return of[Offer](m.Step(Take{Effect: job.Render{Account: account, Job: jobID(n)}}))
	}
	first := ask(1, "x")[0]
	reminders := of[Remind](m.Step(Answered{Job: jobID(1), Offer: first.Offer, From: "b"}))
	if len(ask(2, "x")) != 0 {
		t.Error("another job of the account was offered")
	}
	other := ask(3, "y")
	if len(other) != 1 {
		t.Fatal("the job of another account was not offered")
	}
	if again := of[Offer](m.Step(reminders[0].Of)); len(again) != 2 {
		t.Errorf("after the pause, %d jobs were offered, want 2", len(again))
	}
	reminders = of[Remind](m.Step(Answered{Job: jobID(3), Offer: other[0].Offer, From: "b", Silent: true}))
	if len(ask(4, "z")) != 0 {
		t.Error("a silent node was asked again at once")
	}
	if again := of[Offer](m.Step(reminders[0].Of)); len(again) != 2 {
		t.Errorf("after its silence, %d jobs were offered, want 2", len(again))
	}
}

// If no node has a page for an account's job, its jobs of other lanes are still handed over.
func TestRefusalsByLane(t *testing.T) {
	m := New(Settings{Slots: 1, Remotes: 1})
	m.Step(PeersChanged{[]Peer{{Node: "b", Load: Load{Slots: 9}}}})
	m.Step(Take{Effect: job.Render{Account: "x", Job: jobID(1), Lane: events.Remote}})
	m.Step(Take{Effect: job.Render{Account: "x", Job: jobID(2), Lane: events.Remote}})
	if got := of[Offer](m.Step(Take{Effect: job.Render{Account: "x", Job: jobID(3)}})); len(got) != 1 {
		t.Errorf("%d quick jobs were offered while remote ones wait, want 1", len(got))
	}
}

// Whatever happens, the counts agree, and the queues stay heaps.
func TestBooks(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	c := newCrowd(t, Settings{Attempts: 5, Slots: 3, Remotes: 4})
	peers := []Peer{{Node: "b", Load: Load{Slots: 3, Remotes: 3}}}
	var offers []Offer
	for range 20_000 {
		switch rng.IntN(8) {
		case 0, 1:
			c.submit(events.AccountID(fmt.Sprint("a", rng.IntN(6))), events.Lane(rng.IntN(Lanes)), 1+rng.IntN(4), 1)
		case 2, 3:
			if len(c.running) > 0 {
				c.end(time.Duration(rng.IntN(1000)) * time.Millisecond)
			}
		case 4:
			peers[0].Load.Taken++
			offers = append(offers, of[Offer](c.step(PeersChanged{peers[:rng.IntN(2)]}))...)
		case 5:
			for id := range c.owner {
				c.step(Forget{id})
				break
			}
		case 6:
			if len(offers) > 0 {
				o := offers[0]
				offers = offers[1:]
				c.step(Answered{Job: o.Effect.Job, Offer: o.Offer, From: o.To, Taken: rng.IntN(2) == 0, Silent: rng.IntN(2) == 0})
			}
		default:
			c.step(NodeGone{"b"})
		}
		c.audit()
	}
}

// audit compares the counts with the tasks.
func (c *crowd) audit() {
	c.t.Helper()
	var queued, begun [Lanes]int
	active := map[events.AccountID]bool{}
	for _, t := range c.tasks {
		switch t.stage {
		case waiting:
			queued[t.lane()]++
		case running:
			begun[t.lane()]++
		default:
			continue
		}
		active[t.effect.Account] = true
		if c.shares[t.effect.Account] != t.share {
			c.t.Fatalf("job %s has a share that its account has not", t.effect.Job)
		}
	}
	if queued != c.queued || begun != c.Machine.running {
		c.t.Fatalf("%v wait and %v are under way, counted %v and %v", queued, begun, c.queued, c.Machine.running)
	}
	for account, s := range c.shares {
		if !active[account] && s.active() {
			c.t.Fatalf("account %s has no jobs, but counts", account)
		}
	}
	for in := range c.queues {
		q := c.queues[in]
		for i, l := range q {
			if l.index != i || i > 0 && l.before(q[(i-1)/2]) {
				c.t.Fatalf("lane %d is not a heap at %d", in, i)
			}
		}
	}
}
