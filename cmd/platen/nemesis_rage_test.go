//go:build integration

package main

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"
)

// played is one round: the faults that were played at once, and what came of them.
type played struct {
	kinds     []string
	what      string
	recovered time.Duration // after the end of the faults, when every node served every shard
	requests  tallies       // until then
}

// rage plays faults until the time is over.
func (s *storm) rage() {
	if slices.Equal(s.kinds, []string{"none"}) {
		s.pass(time.Duration(s.minutes*float64(time.Minute)), nil)
		return
	}
	r := s.rand(1)
	for end := time.Now().Add(time.Duration(s.minutes * float64(time.Minute))); time.Now().Before(end); {
		s.pass(seconds(r, 2, 5), nil)
		s.play(s.draw(r))
	}
}

// draw draws a fault, or sometimes two or three of different kinds. Every kind comes before one
// comes again.
func (s *storm) draw(r *rand.Rand) (faults []fault) {
	if len(s.deck) == 0 {
		s.deck = slices.Clone(s.kinds)
		r.Shuffle(len(s.deck), func(i, j int) { s.deck[i], s.deck[j] = s.deck[j], s.deck[i] })
	}
	kinds := []string{s.deck[0]}
	s.deck = s.deck[1:]
	for range []int{1, 1, 1, 2, 2, 3}[r.IntN(6)] - 1 {
		if another := s.kinds[r.IntN(len(s.kinds))]; !slices.Contains(kinds, another) {
			kinds = append(kinds, another)
		}
	}
	for i, kind := range kinds {
		f := catalogue[kind](s, r)
		if i > 0 {
			f.after = seconds(r, 0, 6)
		}
		faults = append(faults, f)
	}
	return faults
}

// act is the beginning or the end of a fault, at a time after the beginning of the round.
type act struct {
	at   time.Duration
	what string
	do   func() error
}

// acts puts the beginnings and ends of faults into their order.
func acts(faults []fault) (all []act) {
	for _, f := range faults {
		all = append(all,
			act{f.after, fmt.Sprintf("%s %s, for %.1f s", f.kind, f.what, f.hold.Seconds()), f.begin},
			act{f.after + f.hold, "", f.end})
	}
	slices.SortStableFunc(all, func(a, b act) int { return cmp.Compare(a.at, b.at) })
	return all
}

// play plays the faults of a round and waits for the recovery.
func (s *storm) play(faults []fault) {
	var row played
	var whats []string
	for _, f := range faults {
		row.kinds, whats = append(row.kinds, f.kind), append(whats, f.kind+" "+f.what)
	}
	row.what = strings.Join(whats, ", and ")
	before, dropped, began := s.crowd.counted(), s.network.Drops(), time.Now()
	for _, a := range acts(faults) {
		s.pass(time.Until(began.Add(a.at)), nil)
		if a.what != "" {
			s.say("%s", a.what)
		}
		s.must(a.do())
	}
	row.recovered = s.await(row.what, s.probe())
	row.requests = s.crowd.counted().minus(before)
	s.say("   all nodes serve all shards %.1f s later; %s; %d packets dropped", row.recovered.Seconds(), row.requests, s.network.Drops()-dropped)
	s.played = append(s.played, row)
}

func (a tallies) String() string {
	return fmt.Sprintf("%d × 202, %d × 503, %d without a response", a.accepted+a.replayed, a.refused, a.unanswered)
}

// table prints what was played, by kind, and why nodes ended by themselves. What was played at once
// counts for each of its kinds.
func (s *storm) table() {
	byKind := map[string][]played{}
	for _, row := range s.played {
		for _, kind := range row.kinds {
			byKind[kind] = append(byKind[kind], row)
		}
	}
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(out, "fault\ttimes\tlongest recovery\t202\t503\tno response\t")
	for _, kind := range slices.Sorted(maps.Keys(byKind)) {
		var sum tallies
		var longest time.Duration
		for _, row := range byKind[kind] {
			longest, sum = max(longest, row.recovered), sum.plus(row.requests)
		}
		fmt.Fprintf(out, "%s\t%d\t%.1f s\t%d\t%d\t%d\t\n", kind, len(byKind[kind]), longest.Seconds(), sum.accepted+sum.replayed, sum.refused, sum.unanswered)
	}
	_ = out.Flush()
	for _, n := range s.nodes {
		for reason, times := range countEach(n.reasons) {
			s.say("%s ended %d times by itself: %.200s", n.name, times, reason)
		}
	}
}

func countEach(all []string) map[string]int {
	counts := map[string]int{}
	for _, text := range all {
		counts[text]++
	}
	return counts
}
