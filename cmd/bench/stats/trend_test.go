package stats

import (
	"math"
	"testing"
)

// fivePercent is a bound.
func fivePercent(middle float64) float64 { return 0.05 * middle }

// over returns two hours with a sample every five seconds.
func over(value func(hour float64, i int) float64) (hours, values []float64) {
	for i := range 1440 {
		hour := float64(i) / 720
		hours, values = append(hours, hour), append(values, value(hour, i))
	}
	return hours, values
}

func TestTrends(t *testing.T) {
	noise := noisy(1, 1440, 0, 0)
	for i, n := range noisy(1, 1440, 1, 1) {
		noise[i] = n - 1
	}
	for _, c := range []struct {
		name  string
		value func(hour float64, i int) float64
		want  Verdict
	}{
		{"constant", func(float64, int) float64 { return 100 }, Flat},
		{"nothing at all", func(float64, int) float64 { return 0 }, Flat},
		{"noise", func(_ float64, i int) float64 { return 100 + 10*noise[i] }, Flat},
		{"a leak of 10 % an hour in noise", func(h float64, i int) float64 { return 100 + 10*h + 5*noise[i] }, Grows},
		{"a leak just above the bound", func(h float64, i int) float64 { return 100 + 5.8*h }, Grows},
		{"a leak just below the bound", func(h float64, i int) float64 { return 100 + 5.2*h }, Flat}, // of a median of 107.8
		{"it shrinks", func(h float64, i int) float64 { return 100 - 20*h }, Flat},
		{"it grows while it warms up", func(h float64, i int) float64 { return 100 * min(h, 1) }, Flat},
		{"spikes at the end", func(_ float64, i int) float64 { return 100 + 1000*math.Floor(float64(i)/1400) }, Flat},
		{"a saw", func(_ float64, i int) float64 { return 100 + float64(i%60) }, Flat},
		{"noise that hides it", func(h float64, i int) float64 { return 100 + 5*h + 200*noise[i] }, Undecided},
	} {
		hours, values := over(c.value)
		got, err := TrendOf(hours, values, fivePercent)
		if err != nil || got.Verdict() != c.want {
			t.Errorf("%s: %+v is %s, want %s; error %v", c.name, got, got.Verdict(), c.want, err)
		}
		if got.Low > got.Slope || got.Slope > got.High {
			t.Errorf("%s: %v is not between %v and %v", c.name, got.Slope, got.Low, got.High)
		}
	}
}

func TestTrendsNeedSamples(t *testing.T) {
	hours, values := over(func(h float64, _ int) float64 { return 100 + h })
	if _, err := TrendOf(hours[:LeastSamples], values[:LeastSamples], fivePercent); err != nil {
		t.Error(err)
	}
	for _, n := range []int{0, 1, LeastSamples - 2} {
		if got, err := TrendOf(hours[:n], values[:n], fivePercent); err == nil {
			t.Errorf("%d samples: got %+v, want a refusal", n, got)
		}
	}
}

// The slope is that of the underlying line, whatever one block says.
func TestTheSlopeIsThatOfTheLine(t *testing.T) {
	hours, values := over(func(h float64, i int) float64 {
		if i > 1000 && i < 1030 {
			return 0
		}
		return 40 + 6*h
	})
	got, err := TrendOf(hours, values, fivePercent)
	if err != nil || math.Abs(got.Slope-6) > 0.01 || math.Abs(got.Middle-49) > 0.2 {
		t.Errorf("got %+v, error %v", got, err)
	}
}
