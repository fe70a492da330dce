package stats

import (
	"fmt"
	"math"
	"slices"
)

const (
	// LeastBlocks is the minimum number of blocks of a trend, mostBlocks the maximum.
	LeastBlocks = 10
	mostBlocks  = 24
	// blockSamples is the minimum number of samples in a block: consecutive samples are alike, and would count twice.
	blockSamples = 5
	// LeastSamples is the minimum number of samples, evenly spaced, of a trend.
	LeastSamples = 2 * LeastBlocks * blockSamples
	// z is the quantile of the normal distribution beyond which Level lies.
	z = 2.326
)

// Trend is the change of a measure per hour.
type Trend struct {
	// Slope is the estimate; Low and High are its limits, each exceeded with the probability Level.
	Slope, Low, High float64
	// Middle is the median of the measure.
	Middle float64
	// Bound is the allowed growth per hour.
	Bound float64
}

// Verdict is the verdict on a trend.
type Verdict string

// The verdicts. A trend is undecided if its bound lies within its limits; a longer run decides.
const (
	Flat      Verdict = "flat"
	Grows     Verdict = "GROWS"
	Undecided Verdict = "undecided"
)

// Verdict compares a trend with its bound.
func (t Trend) Verdict() Verdict {
	switch {
	case t.Low > t.Bound:
		return Grows
	case t.High <= t.Bound:
		return Flat
	}
	return Undecided
}

// TrendOf estimates the slope of a measure over the second half of the time, after warming up: the median of the slopes between all pairs of blocks
// (Theil and Sen), which spikes do not tilt, and its interval by Kendall's statistic (Sen). Times are in hours and ascend. bound returns the allowed
// growth per hour, given the median. Too few samples are an error.
func TrendOf(hours, values []float64, bound func(middle float64) float64) (Trend, error) {
	from := secondHalf(hours)
	hours, values = blocks(hours[from:], values[from:])
	if len(hours) < LeastBlocks {
		return Trend{}, fmt.Errorf("the second half shows no trend: it has %d blocks of %d samples, and it takes %d", len(hours), blockSamples, LeastBlocks)
	}
	var slopes []float64
	for i := range hours {
		for j := range i {
			slopes = append(slopes, (values[i]-values[j])/(hours[i]-hours[j]))
		}
	}
	slices.Sort(slopes)
	n, pairs := float64(len(hours)), float64(len(slopes))
	reach := z * math.Sqrt(n*(n-1)*(2*n+5)/18)
	low, high := int((pairs-reach)/2), int(math.Ceil((pairs+reach)/2))
	middle := Median(values)
	return Trend{Slope: Median(slopes), Low: slopes[max(low, 0)], High: slopes[min(high, len(slopes)-1)], Middle: middle, Bound: bound(middle)}, nil
}

// secondHalf returns the index of the first sample in the second half of the time.
func secondHalf(hours []float64) int {
	if len(hours) == 0 {
		return 0
	}
	half := (hours[0] + hours[len(hours)-1]) / 2
	return slices.IndexFunc(hours, func(h float64) bool { return h >= half })
}

// blocks returns the mean times and median values of consecutive samples.
func blocks(hours, values []float64) (times, medians []float64) {
	count := min(mostBlocks, len(hours)/blockSamples)
	for i := range count {
		from, to := i*len(hours)/count, (i+1)*len(hours)/count
		times = append(times, mean(hours[from:to]))
		medians = append(medians, Median(values[from:to]))
	}
	return times, medians
}

func mean(all []float64) float64 {
	sum := 0.0
	for _, v := range all {
		sum += v
	}
	return sum / float64(len(all))
}
