package shard_test

import (
	"testing"

	"platen.dev/actors/shard"
	"platen.dev/events"
	"platen.dev/events/testkit"
	"platen.dev/projections/table"
)

// spoiling is a projection that makes the state of the account undecodable the first times that its key is issued. The event poison
// makes it panic.
type spoiling struct{ times *int }

func (s spoiling) Apply(tx *table.Tx, p int32, e events.Envelope) {
	for _, ev := range e.Events {
		switch ev := ev.(type) {
		case events.KeyIssued:
			if *s.times > 0 {
				*s.times--
				states := table.Table[string]{Name: 'A'}
				states.Put(tx, states.Key(p, []byte(e.Account)...), "not a state")
			}
		case events.KeyRevoked:
			panic(ev)
		}
	}
}

// A row that is damaged only on this node is rebuilt, and nobody notices. If the journal itself is the cause, the command that needs the row is set
// aside and the partition continues.
func TestDamagedState(t *testing.T) {
	for name, tc := range map[string]struct {
		times int
		want  events.ReplyCode
		void  int64
	}{
		"once":       {1, events.Accepted, 0},
		"every time": {100, events.Internal, 1},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t)
			c.also = []table.Projection{spoiling{&tc.times}}
			n := c.start("n1")
			defer n.stop()
			n.open()
			p := events.Partition("acc", 2)
			n.shards.Lost([]int32{p}) // the next owner has the state to read
			n.shards.Assigned([]int32{p})
			if reply := n.do(events.ChangePlan{Plan: events.PlanPro}); reply.Code != tc.want {
				t.Errorf("the reply is %s, want %s", reply.Code, tc.want)
			}
			if n.replica.Renewed() != 1 || n.shards.SetAside() != tc.void {
				t.Errorf("the rows were made again %d times, %d commands are set aside, want %d", n.replica.Renewed(), n.shards.SetAside(), tc.void)
			}
			if len(n.failed) > 0 {
				t.Errorf("the node has ended: %v", <-n.failed)
			}
			if reply, err := n.Do(events.PartitionID(p), events.RaiseLevel{Level: events.NewestLevel}); err != nil || reply.Code != events.Accepted {
				t.Errorf("the partition does not go on: %v %v", reply, err)
			}
		})
	}
}

// A partition whose journal cannot be folded halts and says where. The node keeps running, even after a restart, and writes nothing more to that
// journal.
func TestRecordThatCannotBeFolded(t *testing.T) {
	c := newCluster(t)
	none := 0
	c.also = []table.Projection{spoiling{&none}}
	p := events.Partition("acc", 2)
	var end int64
	for range 2 {
		n := c.start("n1")
		if end == 0 {
			n.open()
			n.tellOnly(events.RevokeKey{Key: "key"})
		}
		testkit.Eventually(t, "the partition halts", func() bool {
			for _, s := range n.shards.Status() {
				if s.Partition == p && s.State == shard.Halted && s.Err != nil {
					return true
				}
			}
			return false
		})
		if reply, err := n.Do(events.PartitionID(1-p), events.RaiseLevel{Level: events.NewestLevel}); err != nil || reply.Code != events.Accepted {
			t.Errorf("the other partition: %v %v", reply, err)
		}
		if len(n.failed) > 0 {
			t.Errorf("the node has ended: %v", <-n.failed)
		}
		n.stop()
		_, now, err := c.log.Bounds(t.Context(), events.TopicJournal, p)
		if err != nil || end > 0 && now > end+1 { // an owner may announce itself before it knows
			t.Errorf("the journal goes on from %d to %d, %v", end, now, err)
		}
		end = now
	}
}
