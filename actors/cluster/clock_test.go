package cluster

import (
	"errors"
	"maps"
	"testing"
	"time"

	"platen.dev/actors/clock"
	"platen.dev/events"
	"platen.dev/events/testkit"
)

// A node whose clock is far from most others' may not own partitions. One that owns some keeps them
// unless two others contradict it.
func TestCheckClock(t *testing.T) {
	const s = time.Second
	for name, tc := range map[string]struct {
		ahead         []time.Duration // of the other nodes' clocks
		start, owning bool            // whether it may own
	}{
		"alone":                        {nil, true, true},
		"all agree":                    {[]time.Duration{0, s / 10}, true, true},
		"at the bound":                 {[]time.Duration{2 * s, -2 * s}, true, true},
		"above the bound":              {[]time.Duration{2*s + 1, -2*s - 1}, false, false},
		"one other, far away":          {[]time.Duration{time.Hour}, false, true},
		"one of two is far away":       {[]time.Duration{time.Hour, 0}, true, true},
		"both are far away":            {[]time.Duration{time.Hour, time.Hour}, false, false},
		"two of three are":             {[]time.Duration{-time.Hour, 0, -time.Hour}, false, false},
		"half of the others, not most": {[]time.Duration{s, s, time.Hour, time.Hour}, true, true},
	} {
		differences := map[events.NodeID]time.Duration{}
		for i, d := range tc.ahead {
			differences[events.NodeID(rune('a'+i))] = d
		}
		if err := checkClock(differences, false); (err == nil) != tc.start {
			t.Errorf("%s: before it owns any: %v", name, err)
		}
		if err := checkClock(differences, true); (err == nil) != tc.owning {
			t.Errorf("%s: when it owns some: %v", name, err)
		}
	}
}

// Nodes measure one another's clocks. The one that is an hour ahead may own nothing, and says how
// far it is off.
func TestClocksAreCompared(t *testing.T) {
	start := func(name string, ahead time.Duration, others ...*Cluster) *Cluster {
		cfg := Config{
			Node: events.NodeID(name), Gossip: "127.0.0.1:0", Gone: func(events.NodeID) {}, Logger: testkit.Silent(),
			Now: func() time.Time { return time.Now().Add(ahead) }, System: time.Now,
		}
		for _, o := range others {
			cfg.Join = append(cfg.Join, o.Address())
		}
		c, err := Join(cfg)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
	a := start("a", 0)
	b := start("b", 50*time.Millisecond, a)
	c := start("c", time.Hour, a, b)
	for _, all := range []*Cluster{a, b, c} {
		testkit.Eventually(t, "both others are measured", func() bool { return len(all.ClockDifferences()) == 2 })
	}
	if err := errors.Join(a.MayOwn(false), b.MayOwn(false)); err != nil {
		t.Error(err)
	}
	for _, owning := range []bool{false, true} {
		if err := c.MayOwn(owning); !errors.Is(err, ErrClock) {
			t.Errorf("the node that is ahead (owning: %t): %v", owning, err)
		}
	}
	if say := c.SystemClock(); say.Word != clock.Backed || !say.Known || say.Others.Abs() > time.Second {
		t.Errorf("the system's clock of the node that is ahead: %+v, want it backed", say)
	}
	if say := a.SystemClock(); say.Word != clock.Backed || (say.Others-50*time.Millisecond).Abs() > time.Second {
		t.Errorf("of one that is right: %+v, want it backed, and the earlier of two times", say)
	}
	if d := a.ClockDifferences()["c"]; (d - time.Hour).Abs() > time.Second {
		t.Errorf("c is ahead by %s", d)
	}
}

// A node whose oldest secret differs from those of most others owns nothing, unless it owns some already.
func TestSecretsAreCompared(t *testing.T) {
	other := func(secret string) Member { return Member{OldestSecret: secret} }
	for name, tc := range map[string]struct {
		others map[events.NodeID]Member
		owning bool
		ok     bool
	}{
		"alone":        {nil, false, true},
		"alike":        {map[events.NodeID]Member{"b": other("ours")}, false, true},
		"older node":   {map[events.NodeID]Member{"b": other("")}, false, true},
		"the other":    {map[events.NodeID]Member{"b": other("theirs")}, false, false},
		"owning":       {map[events.NodeID]Member{"b": other("theirs")}, true, true},
		"one of two":   {map[events.NodeID]Member{"b": other("theirs"), "c": other("ours")}, false, true},
		"two of three": {map[events.NodeID]Member{"b": other("theirs"), "c": other("ours"), "d": other("theirs")}, false, false},
	} {
		c := &Cluster{cfg: Config{Node: "a", OldestSecret: "ours", Now: time.Now}, begun: time.Now(), alive: map[events.NodeID]Member{"a": other("ours")}}
		maps.Copy(c.alive, tc.others)
		if err := c.MayOwn(tc.owning); (err == nil) != tc.ok || err != nil && !errors.Is(err, ErrSecret) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A node that knows of others owns nothing before it has met one, or waited for long.
func TestJoinBeforeOwning(t *testing.T) {
	c, err := Join(Config{
		Node: "a", Gossip: "127.0.0.1:0", Join: []string{"127.0.0.1:1"}, Now: time.Now, System: time.Now, Gone: func(events.NodeID) {}, Logger: testkit.Silent(),
	})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	if err := c.MayOwn(false); !errors.Is(err, ErrAlone) {
		t.Errorf("before it has met anybody: %v", err)
	}
	c.begun = c.begun.Add(-joinGrace)
	if err := c.MayOwn(false); err != nil {
		t.Errorf("after it has waited: %v", err)
	}
}
