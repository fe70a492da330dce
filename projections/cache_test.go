package projections

import (
	"testing"

	"platen.dev/events"
)

// A change of an account's keys or plan makes the cache forget the callers of that account,
// and no others.
func TestForgetCallers(t *testing.T) {
	hashes := map[events.AccountID][32]byte{"acc_a": {1}, "acc_b": {2}}
	for _, ev := range []events.Event{events.PlanChanged{}, events.KeyIssued{}, events.KeyRevoked{}, events.KeyUsed{}, events.TestCounted{}} {
		r := &Replica{}
		for account, hash := range hashes {
			_, _, generation := r.callers.get(hash)
			r.callers.put(hash, Caller{KeyRef: KeyRef{Account: account}}, generation, maxCallers)
		}
		_, _, before := r.callers.get(hashes["acc_a"])
		r.forgetChanged([]Step{{Entry: events.Envelope{Account: "acc_a", Events: []events.Event{ev}}, Accepted: true}})
		_, counted := ev.(events.TestCounted)
		if _, kept, _ := r.callers.get(hashes["acc_a"]); kept != counted {
			t.Errorf("%T: the account's caller is kept: %t", ev, kept)
		}
		if _, kept, _ := r.callers.get(hashes["acc_b"]); !kept {
			t.Errorf("%T: another account's caller is forgotten", ev)
		}
		r.callers.put(hashes["acc_a"], Caller{}, before, maxCallers)
		if _, stale, _ := r.callers.get(hashes["acc_a"]); stale != counted {
			t.Errorf("%T: a value read before the change is cached: %t", ev, stale)
		}
	}
}

// BenchmarkForgetCallers is the cost of one change with a full cache.
func BenchmarkForgetCallers(b *testing.B) {
	var c cache[[32]byte, Caller]
	for i := range maxCallers {
		c.put([32]byte{byte(i), byte(i >> 8)}, Caller{KeyRef: KeyRef{Account: "acc"}}, 0, maxCallers)
	}
	for b.Loop() {
		c.forgetIf(func(c Caller) bool { return c.Account == "another" })
	}
}
