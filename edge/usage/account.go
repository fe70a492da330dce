package usage

import (
	"context"
	"time"

	accounts "platen.dev/actors/account"
	"platen.dev/events"
	"platen.dev/projections"
)

// freshness is how long a query about quota windows waits for the replica.
const freshness = 5 * time.Second

// Accounts are the accounts as a node's replica has them.
type Accounts struct {
	Replica *projections.Replica
	// Partitions is how many the log has.
	Partitions int32
}

// Live returns the state of an account once the replica holds everything that is durable by now. An account that does not exist has
// no windows. An error means that the state cannot be known now.
func (a Accounts) Live(id events.AccountID) (live Live, err error) {
	store := accounts.StoreOf(a.Replica, a.Partitions, id)
	ctx, cancel := context.WithTimeout(context.Background(), freshness)
	defer cancel()
	if err := a.Replica.CatchUp(ctx, store.Partition); err != nil {
		return live, err
	}
	state, err := store.Account(id)
	if err != nil {
		return live, err
	}
	unfinished, err := accounts.Unfinished(a.Replica, store.Partition, id, state)
	if err != nil {
		return live, err
	}
	all, _, err := a.Replica.Account(id)
	return liveOf(state, unfinished, Charged{all.Used, all.Bytes}), err
}

// liveOf converts the state of an account to the ledger's seconds.
func liveOf(state accounts.State, unfinished map[events.Instant]int64, all Charged) Live {
	live := Live{
		Window: wholeSecond(state.Window), Charged: Charged{state.Used, state.Bytes}, All: all,
		End: func(start time.Time) time.Time {
			return wholeSecond(state.WindowEnd(events.At(start.Add(time.Second - time.Millisecond))))
		},
	}
	for window := range unfinished {
		live.Unfinished = append(live.Unfinished, wholeSecond(window))
	}
	return live
}

// wholeSecond truncates an instant to seconds, as in the ledger.
func wholeSecond(at events.Instant) time.Time { return at.Time().Truncate(time.Second) }
