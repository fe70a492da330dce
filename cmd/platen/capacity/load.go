package capacity

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// Load is what clients ask for.
type Load struct {
	// PerSecond is the number of jobs per second over a day, Peak how many times as many there are in the busiest minutes.
	PerSecond float64
	Peak      float64
	// Mix has the share of each kind; the shares add up to 1.
	Mix map[string]float64
	// Polls is how often the status of a job is asked for, Webhooks the share of jobs with one.
	Polls    float64
	Webhooks float64
}

// periods are those that a rate may be of.
var periods = map[string]time.Duration{"second": time.Second, "minute": time.Minute, "hour": time.Hour, "day": 24 * time.Hour, "month": month}

// maxPerSecond bounds the rate of a load: a hundred times more than anything that these estimates are good for.
const maxPerSecond = 1_000_000

// ParseRate reads a rate such as 5000000/day, and returns it per second.
func ParseRate(text string) (float64, error) {
	number, period, _ := strings.Cut(text, "/")
	n, err := strconv.ParseFloat(number, 64)
	of, known := periods[period]
	if err != nil || !known || math.IsNaN(n) {
		return 0, fmt.Errorf("%q is not a rate like 5000000/day: a number per second, minute, hour, day or month", text)
	}
	if rate := n / of.Seconds(); rate > 0 && rate <= maxPerSecond {
		return rate, nil
	}
	return 0, fmt.Errorf("%q must be more than 0 and at most %d/second", text, maxPerSecond)
}

// ParseMix reads shares such as html-invoice=3,url-tiny=1: of four jobs, three are invoices. The kinds are those of c.
func (c Costs) ParseMix(text string) (map[string]float64, error) {
	mix, total := map[string]float64{}, 0.0
	for part := range strings.SplitSeq(text, ",") {
		name, share, _ := strings.Cut(strings.TrimSpace(part), "=")
		n, err := strconv.ParseFloat(share, 64)
		if err != nil || !(n >= 0) || n > math.MaxFloat32 {
			return nil, fmt.Errorf("%q is not a share like html-invoice=3", part)
		}
		if _, known := c.Kinds[name]; !known {
			return nil, fmt.Errorf("%q is not a kind of job; there are %s", name, c.names())
		}
		if _, twice := mix[name]; twice {
			return nil, fmt.Errorf("%q has two shares", name)
		}
		mix[name] = n
		total += n
	}
	if total == 0 {
		return nil, errors.New("the shares of the mix are all 0")
	}
	for name := range mix {
		mix[name] /= total
	}
	return mix, nil
}

// job is what the mean job of a load costs. Its CoreBytes are those of the largest kind.
func (c Costs) job(l Load) (mean Kind, charged float64) {
	for name, share := range l.Mix {
		k := c.Kinds[name]
		mean.Node += share * k.Node
		mean.Browser += share * k.Browser
		mean.CommandBytes += share * k.CommandBytes
		mean.JournalBytes += share * k.JournalBytes
		mean.EventBytes += share * k.EventBytes
		mean.Records += share * k.Records
		mean.FileBytes += share * k.FileBytes
		if share > 0 {
			mean.CoreBytes = max(mean.CoreBytes, k.CoreBytes)
		}
		if k.Charged {
			charged += share
		}
	}
	return mean, charged
}
