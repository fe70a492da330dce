package stats

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// noisy returns n rates around about, within a fraction of it.
func noisy(seed uint64, n int, about, noise float64) (all []float64) {
	random := rand.New(rand.NewPCG(seed, 1))
	for range n {
		all = append(all, about*(1+noise*(2*random.Float64()-1)))
	}
	return all
}

func TestCompare(t *testing.T) {
	base := noisy(1, 16, 100, 0.03)
	scaled := func(by float64) (all []float64) {
		for _, b := range base {
			all = append(all, b*by)
		}
		return all
	}
	drifting := func(by float64) (all []float64) { // the machine becomes three times as fast
		for i := range 16 {
			all = append(all, by*float64(100+15*i))
		}
		return all
	}
	stalled := scaled(1)
	stalled[4] /= 20
	lucky := noisy(2, 16, 90, 0.03)
	lucky[4] *= 20
	for _, c := range []struct {
		name        string
		today, base []float64
		worse       bool
	}{
		{"equal", base, base, false},
		{"equal but for noise", noisy(2, 16, 100, 0.03), base, false},
		{"a loss of 10 %", noisy(2, 16, 90, 0.03), base, true},
		{"a gain of 10 %", noisy(2, 16, 110, 0.03), base, false},
		{"a loss of 10 % within noise", noisy(2, 16, 90, 0.5), noisy(1, 16, 100, 0.5), false},
		{"a certain loss just below the least", scaled(0.951), base, false},
		{"a certain loss just above the least", scaled(0.949), base, true},
		{"a loss while the machine changes", drifting(0.9), drifting(1), true},
		{"no loss while the machine changes", drifting(1), drifting(1), false},
		{"one stalled sample", stalled, base, false},
		{"a loss of 10 % with one lucky sample", lucky, base, true},
		{"the fewest pairs", scaled(0.9)[:LeastPairs], base[:LeastPairs], true},
	} {
		got, err := Compare(c.today, c.base)
		if err != nil || got.Worse() != c.worse {
			t.Errorf("%s: %+v is worse: %v, want %v; error %v", c.name, got, got.Worse(), c.worse, err)
		}
	}
}

func TestCompareRefuses(t *testing.T) {
	enough := noisy(1, LeastPairs, 100, 0.1)
	for name, today := range map[string][]float64{
		"too few":     enough[1:],
		"none":        nil,
		"a rate of 0": append(slices.Clone(enough[1:]), 0),
		"no number":   append(slices.Clone(enough[1:]), math.NaN()),
	} {
		if got, err := Compare(today, enough[:len(today)]); err == nil {
			t.Errorf("%s: got %+v, want a refusal", name, got)
		}
	}
	if got, err := Compare(enough, enough[1:]); err == nil {
		t.Errorf("unpaired: got %+v, want a refusal", got)
	}
}

// Between equals, a test at Level finds about Level of the runs worse.
func TestSignedRankKeepsItsLevel(t *testing.T) {
	found := 0
	const runs = 5_000
	for seed := range uint64(runs) {
		var differences []float64
		for _, n := range noisy(seed, 10, 1, 1) {
			differences = append(differences, n-1)
		}
		if signedRank(differences) <= Level {
			found++
		}
	}
	if share := float64(found) / runs; share < Level/2 || share > 1.2*Level {
		t.Errorf("it found %.3f of all runs worse, want about %v", share, Level)
	}
}

// Published critical values: with 10 pairs, a sum of 5 is just below 1 %, 6 is above.
func TestSignedRankIsExact(t *testing.T) {
	for bound, want := range map[int]float64{0: 1.0 / 1024, 5: 10.0 / 1024, 6: 14.0 / 1024, 55: 1} {
		if got := shareUpTo(2*bound, []int{2, 4, 6, 8, 10, 12, 14, 16, 18, 20}); math.Abs(got-want) > 1e-12 {
			t.Errorf("a sum up to %d has the share %v, want %v", bound, got, want)
		}
	}
	if got := signedRank([]float64{-1, 1, -1, 2}); got != 0.75 { // the ranks, doubled, are 4, 4, 4 and 8: of 16 sums, 12 are at most 12
		t.Errorf("with ties: %v", got)
	}
}
