package node

import (
	"context"
	"time"

	"platen.dev/actors/account"
	"platen.dev/edge/usage"
	"platen.dev/events"
)

// freshness is how long a query about quota windows waits for the replica.
const freshness = 5 * time.Second

// quotaWindows returns the state of an account that says which of its quota windows may still change,
// as the replica has it once it holds everything durable by now. It is read in the order that
// usage.Live demands. An account that does not exist has none.
func (n *Node) quotaWindows(id events.AccountID) (live usage.Live, err error) {
	partition := events.Partition(id, n.log.Partitions())
	ctx, cancel := context.WithTimeout(context.Background(), freshness)
	defer cancel()
	if err := n.replica.CatchUp(ctx, partition); err != nil {
		return live, err
	}
	state, err := n.storeOf(id).Account(id)
	if err != nil {
		return live, err
	}
	unfinished, err := account.UnfinishedWindows(n.replica, partition, id, state)
	if err != nil {
		return live, err
	}
	all, _, err := n.replica.Account(id)
	live = usage.Live{
		Window: wholeSecond(state.Window), Charged: usage.Charged{Units: state.Used, Bytes: state.Bytes},
		All: usage.Charged{Units: all.Used, Bytes: all.Bytes},
		End: func(start time.Time) time.Time {
			return wholeSecond(state.WindowEnd(events.At(start.Add(time.Second - time.Millisecond))))
		},
	}
	for _, window := range unfinished {
		live.Unfinished = append(live.Unfinished, wholeSecond(window))
	}
	return live, err
}

// storeOf has the state of an account and its jobs, as this node has read it.
func (n *Node) storeOf(id events.AccountID) account.ReplicaStore {
	return account.ReplicaStore{Reader: n.replica, Partition: events.Partition(id, n.log.Partitions())}
}

// wholeSecond is an instant as the ledger has it: cut to seconds.
func wholeSecond(at events.Instant) time.Time { return at.Time().Truncate(time.Second) }
