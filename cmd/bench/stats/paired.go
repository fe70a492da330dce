// Package stats decides what samples show: whether one of two programs is slower, and whether a measure grows. It is pure.
package stats

import (
	"cmp"
	"fmt"
	"math"
	"slices"
)

const (
	// Level is the significance level: a difference counts if chance produces it at most this often.
	Level = 0.01
	// LeastLoss is the smallest loss that counts, as a fraction: a smaller one is not worth a look, however certain.
	LeastLoss = 0.05
	// LeastPairs is the minimum number of pairs: the fewest that can produce a result as unlikely as Level.
	LeastPairs = 7
)

// Comparison is the result of comparing the two sides of pairs.
type Comparison struct {
	Pairs int
	// Loss estimates how much slower today's side is, as a fraction; negative if it is faster.
	Loss float64
	// P is the probability of a loss at least this clear between equals.
	P float64
}

// Worse reports whether there is a loss that is neither small nor noise.
func (c Comparison) Worse() bool { return c.P <= Level && c.Loss >= LeastLoss }

// Compare compares pairs of rates, measured one right after the other. It is Wilcoxon's exact signed-rank test on the logarithms of their ratios.
// Pairs, because the machine's other load changes slowly and hurts both sides of one; ranks, because a single stalled sample must neither make a loss
// nor hide one; exact, because there are few pairs. The loss is the matching estimate, the median of all pairwise means (Hodges and Lehmann). Too few
// pairs are an error, as are rates that are not positive.
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

// hodgesLehmann returns the median of the means of all pairs, including each value with itself.
func hodgesLehmann(all []float64) float64 {
	var means []float64
	for i := range all {
		for j := range i + 1 {
			means = append(means, (all[i]+all[j])/2)
		}
	}
	return Median(means)
}

// Median returns the median of numbers, the mean of the two middle ones of an even count; NaN for none.
func Median(all []float64) float64 {
	if len(all) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(all))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}

// signedRank returns the probability that the positive differences have a rank sum at most as small as this, if each difference is equally likely to
// be negative. Zero differences do not count.
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

// doubledRanks returns twice the ranks of sorted magnitudes; ties share their mean rank.
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

// shareUpTo returns the fraction of all subsets of ranks whose sum is at most a bound.
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
