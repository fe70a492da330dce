package simulation

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"platen.dev/actors/drain"
	"platen.dev/events/testkit"
)

// faultSeeds is the number of schedules within which every seeded fault is found, starting with the first or with the one in rare.
const faultSeeds = 2_000

// defaultSeeds is the number of schedules that `make test` plays. `make integration` plays ten times as many as it takes to show every known fault.
// SEEDS=n plays n, SEED=n replays one, and TRACE=1 prints the inputs and outputs of its machines.
const defaultSeeds = 500

func number(t *testing.T, name string, fallback uint64) uint64 {
	t.Helper()
	text := os.Getenv(name)
	if text == "" {
		return fallback
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		t.Fatalf("%s=%q is not a number", name, text)
	}
	return n
}

// play runs count seeds from first on, on two goroutines, and returns the violations.
func play(first, count uint64, rules Rules, stopAt int) (violations []error) {
	var next atomic.Uint64
	var mu sync.Mutex
	var group sync.WaitGroup
	for range 2 {
		group.Go(func() {
			for {
				i := next.Add(1) - 1
				mu.Lock()
				enough := len(violations) >= stopAt
				mu.Unlock()
				if i >= count || enough {
					return
				}
				if err := Run(first+i, rules); err != nil {
					mu.Lock()
					violations = append(violations, err)
					mu.Unlock()
				}
			}
		})
	}
	group.Wait()
	return violations
}

// The protocol holds over every schedule.
func TestTheProtocolHolds(t *testing.T) {
	if os.Getenv("SEED") != "" {
		rules := Rules{}
		if os.Getenv("TRACE") != "" {
			rules.Trace = os.Stderr
		}
		if err := Run(number(t, "SEED", 0), rules); err != nil {
			t.Fatal(err)
		}
		return
	}
	count := number(t, "SEEDS", defaultSeeds)
	for _, err := range play(1, count, Rules{}, 5) {
		t.Errorf("%v (replay with SEED=n)", err)
	}
	t.Logf("played seeds 1 to %d", count)
}

// The simulation finds violations when any one rule is broken.
func TestEveryBrokenRuleIsFound(t *testing.T) {
	for name, rules := range map[string]Rules{
		"no marker":                            {IgnoreMarkers: true},
		"holes in the causes":                  {AcceptHoles: true},
		"reply on acknowledgement":             {ReplyOnAck: true},
		"no command id dedup":                  {ForgetReplies: true},
		"two records per command":              {SplitEnvelopes: true},
		"no idempotency keys":                  {ForgetRequests: true},
		"no download attempts":                 {ForgetDownloads: true},
		"replicas ahead":                       {KeepDiverged: true},
		"no timeline for what follows a loss":  {ForgetPublished: true},
		"undecidable commands again and again": {RetryUndecidable: true},
	} {
		t.Run(name, func(t *testing.T) { expectFound(t, rules, 1) })
	}
}

// The simulation finds every fault seeded into the orchestration of shards, jobs and
// attempts.
func TestEveryFaultIsFound(t *testing.T) {
	testkit.Long(t)
	for name, fault := range Faults() {
		t.Run(name, func(t *testing.T) { expectFound(t, Rules{Fault: fault}, max(1, rare[name])) })
	}
}

// rare are the faults that few schedules show, each with a seed near which one does.
var rare = map[string]uint64{
	"the end of a node is ignored":                                7_200,
	"a start that is decided after its attempt has ended is kept": 2_000,
	"an owner that resigned withdraws the next owner's effects":   4_500,
}

func expectFound(t *testing.T, rules Rules, first uint64) {
	t.Helper()
	found := play(first, faultSeeds, rules, 1)
	if len(found) == 0 {
		t.Fatalf("%d schedules show no violation", faultSeeds)
	}
	t.Logf("found: %v", found[0])
}

// Schedules raise the level, and it ends nodes of the older version in every possible way.
func TestVersionsArePlayed(t *testing.T) {
	ended, raised := map[string]int{}, 0
	for seed := range uint64(400) {
		w := newWorld(seed, Rules{})
		for range stepCount {
			w.step()
		}
		if w.raised {
			raised++
		}
		for why, n := range w.outdated {
			ended[why] += n
		}
	}
	if t.Logf("%d of 400 schedules raise the level; nodes ended by %v", raised, ended); raised == 0 || ended["level"] == 0 || ended["command"] == 0 || ended["journal"] == 0 {
		t.Error("the schedules do not show what they should")
	}
}

// Schedules damage rows, and owners meet them.
func TestDamageIsPlayed(t *testing.T) {
	renewed := 0
	for seed := range uint64(300) {
		w := newWorld(seed, Rules{})
		for range stepCount {
			w.step()
		}
		renewed += w.renewed
	}
	if t.Logf("the rows of a partition are made again %d times in 300 schedules", renewed); renewed < 20 {
		t.Error("the schedules do not show what they should")
	}
}

// Schedules have all nodes drain at once, so that one takes its share back, and leaves again.
func TestDrainsArePlayed(t *testing.T) {
	nobody, kept, again := 0, 0, 0
	for seed := range uint64(200) {
		w := newWorld(seed, Rules{})
		var before [nodeCount]drain.State
		for range stepCount {
			w.step()
			if len(w.owners()) == 0 {
				nobody++
			}
			for i, n := range w.nodes {
				if n.told.Keeps && !before[i].Keeps {
					kept++
				}
				if n.told.Left() && before[i].Keeps {
					again++
				}
				before[i] = n.told
			}
		}
	}
	if t.Logf("nobody owns for %d steps, %d times a node takes its share back, %d times it leaves again", nobody, kept, again); min(nobody, kept, again) < 10 {
		t.Error("the schedules do not show what they should")
	}
}

// A seed plays the same schedule every time.
func TestASeedIsReproducible(t *testing.T) {
	for seed := uint64(1); seed < 20; seed++ {
		first, second := fingerprint(seed), fingerprint(seed)
		if first != second {
			t.Fatalf("seed %d played %s, then %s", seed, first, second)
		}
	}
}

// fingerprint identifies everything that a schedule wrote.
func fingerprint(seed uint64) string {
	w := newWorld(seed, Rules{})
	for range stepCount {
		w.step()
	}
	w.settle()
	h := sha256.New()
	for p := range partitions {
		for _, c := range w.commands[p] {
			h.Write(c)
		}
		for _, r := range w.journal[p] {
			h.Write(r.bytes)
		}
	}
	return hex.EncodeToString(h.Sum(nil)[:8])
}
