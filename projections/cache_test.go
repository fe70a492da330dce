package projections

import (
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"platen.dev/events"
	"platen.dev/projections/table"
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

// Among all events in the golden records, exactly those that change a caller's reading make the
// cache forget the caller.
func TestForgetWhatChanges(t *testing.T) {
	const golden = "../events/testdata/golden/event-"
	files, err := filepath.Glob(golden + "*.hex")
	if err != nil || len(files) < 30 {
		t.Fatalf("%d golden events, %v", len(files), err)
	}
	partition := func(events.AccountID) int32 { return 0 }
	issued := goldenEvent(t, golden+"KeyIssued.hex")
	hash := issued.Events[0].(events.KeyIssued).Key.Hash
	changed := 0
	for _, file := range files {
		rows, e := table.Memory{}, goldenEvent(t, file)
		fold(t, rows, goldenEvent(t, golden+"AccountCreated.hex"), issued)
		was, _, err := readCaller(rows, partition, hash)
		if err != nil {
			t.Fatal(err)
		}
		fold(t, rows, e)
		is, _, err := readCaller(rows, partition, hash)
		if err != nil {
			t.Fatal(err)
		}
		if _, created := e.Events[0].(events.AccountCreated); is == was || created { // an account is created before it has keys
			continue
		}
		changed++
		r := &Replica{}
		_, _, generation := r.callers.get(hash)
		r.callers.put(hash, was, generation, maxCallers)
		r.forgetChanged([]Step{{Entry: e, Accepted: true}})
		if _, kept, _ := r.callers.get(hash); kept {
			t.Errorf("%T changes the caller, but forget in cache.go does not know it", e.Events[0])
		}
	}
	if changed < 3 {
		t.Errorf("%d golden events change a caller, want the plan's, the key's revocation and its use", changed)
	}
}

func goldenEvent(t *testing.T, file string) events.Envelope {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Fields(string(text)) // the last is the present form
	record, err := hex.DecodeString(lines[len(lines)-1])
	if err != nil {
		t.Fatal(err)
	}
	entry, err := events.DecodeEntry(record)
	if err != nil {
		t.Fatal(err)
	}
	return entry.(events.Envelope)
}

func fold(t *testing.T, rows table.Memory, envelopes ...events.Envelope) {
	t.Helper()
	tx := table.NewTx(rows)
	for _, e := range envelopes {
		ReadModels{}.Apply(tx, 0, e)
	}
	if err := tx.Flush(rows); err != nil {
		t.Fatal(err)
	}
}

// BenchmarkForgetCallers measures one change with a full cache.
func BenchmarkForgetCallers(b *testing.B) {
	var c cache[[32]byte, Caller]
	for i := range maxCallers {
		c.put([32]byte{byte(i), byte(i >> 8)}, Caller{KeyRef: KeyRef{Account: "acc"}}, 0, maxCallers)
	}
	for b.Loop() {
		c.forgetIf(func(c Caller) bool { return c.Account == "another" })
	}
}
