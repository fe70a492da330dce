// Package stats decides what samples show: whether one of two programs is slower, and whether a measure grows. It is pure.
package stats

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

const (
	// Level is how likely a difference may be by chance, at most, to count.
	Level = 0.01
	// LeastLoss is the smallest loss that counts, as a share: what is smaller is not worth a look, however certain.
	LeastLoss = 0.05
	// LeastPairs is how many pairs there must be: the fewest with a result as unlikely as Level.
	LeastPairs = 7
)

// Comparison says how one side of pairs compares with the other.
type Comparison struct {
	Pairs int
	// Loss estimates how much slower today's side is, as a share; below 0 it is faster.
	Loss float64
	// P is how likely as clear a loss, or a clearer one, is between equals.
	P float64
}

// Worse reports whether there is a loss that is neither small nor noise.
func (c Comparison) Worse() bool { return c.P <= Level && c.Loss >= LeastLoss }

// Compare compares pairs of rates, measured one right after the other. It is the exact signed-rank test of Wilcoxon on the
// logarithms of their ratios. Pairs, because what else the machine does changes slowly and hurts both sides of one; ranks, because
// a single stalled sample must neither make a loss nor hide one; exact, because there are few pairs. The loss is the estimate
// that belongs to it, the median of all means of two (Hodges and Lehmann). Too few pairs are an error, as are rates that are not positive.
func Compare(today, base []float64) (Comparison, error) {
	if len(today) != len(base) || len(today) < LeastPairs {
		return Comparison{}, fmt.Errorf("%d and %d samples decide nothing: it takes %d pairs", len(today), len(base), LeastPairs)
	}
	var differences []float64
	for i := range today {
		if !(today[i] > 0) || !(base[i] > 0) {
			return Comparison{}, fmt.Errorf("pair %d has the rates %v and %v", i+1, today[i], base[i])
		}
		differences = append(differences, math.Log(today[i]/base[i]))
	}
	return Comparison{Pairs: len(today), Loss: 1 - math.Exp(hodgesLehmann(differences)), P: signedRank(differences)}, nil
}

// hodgesLehmann is the median of the means of all pairs, each with itself too.
func hodgesLehmann(all []float64) float64 {
	var means []float64
	for i := range all {
		for j := range i + 1 {
			means = append(means, (all[i]+all[j])/2)
		}
	}
	return Median(means)
}

// Median is the middle of numbers, the mean of the two middle ones of an even count; NaN of none.
func Median(all []float64) float64 {
	if len(all) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(all))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// signedRank is how likely it is that positive differences have ranks of so small a sum, or a smaller one, if each is as likely
// to be negative. Differences of 0 say nothing and do not count.
func signedRank(differences []float64) float64 {
	signed := slices.DeleteFunc(slices.Clone(differences), func(d float64) bool { return d == 0 })
	slices.SortFunc(signed, func(a, b float64) int { return cmp.Compare(math.Abs(a), math.Abs(b)) })
	ranks := doubledRanks(signed)
	positive := 0
	for i, d := range signed {
		if d > 0 {
			positive += ranks[i]
		}
	}
	return shareUpTo(positive, ranks)
}

// doubledRanks are twice the ranks of sorted magnitudes; equal ones share the mean of theirs.
func doubledRanks(sorted []float64) []int {
	ranks := make([]int, len(sorted))
	for from := 0; from < len(sorted); {
		to := from
		for to < len(sorted) && math.Abs(sorted[to]) == math.Abs(sorted[from]) {
			to++
		}
		for i := from; i < to; i++ {
			ranks[i] = from + 1 + to
		}
		from = to
	}
	return ranks
}

// shareUpTo is the share of all subsets of ranks whose sum is not above a bound.
func shareUpTo(bound int, ranks []int) float64 {
	shares := []float64{1} // of the subsets of the ranks so far, by their sum
	for _, rank := range ranks {
		next := make([]float64, len(shares)+rank)
		for sum, share := range shares {
			next[sum] += share / 2
			next[sum+rank] += share / 2
		}
		shares = next
	}
	total := 0.0
	for _, share := range shares[:min(bound+1, len(shares))] {
		total += share
	}
	return total
}
