package ledgertest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"platen.dev/ledger"
)

// BenchStart is the beginning of the year of BenchMonth's rows.
var BenchStart = time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)

// BenchAppend measures b.N pairs: a batch of n entries through the ledger, and the same rows by
// bare, alternating the order. It reports the medians of entries/s, and of their ratio.
func BenchAppend(b *testing.B, l ledger.Ledger, n int, bare func(ledger.Batch) error) {
	var rates, ratios []float64
	for i := 0; b.Loop(); i++ {
		batch := benchBatch(i, n)
		var through, alone time.Duration
		steps := []func(){
			func() { through = took(b, func() error { return l.Append(b.Context(), batch) }) },
			func() { alone = took(b, func() error { return bare(batch) }) },
		}
		steps[i%2]()
		steps[1-i%2]()
		rates = append(rates, float64(n)/through.Seconds())
		ratios = append(ratios, alone.Seconds()/through.Seconds())
	}
	b.ReportMetric(median(rates), "entries/s")
	b.ReportMetric(median(ratios), "of-bare-insert")
}

// benchBatch has entries of 1000 accounts within a month, with ids as random as those of jobs.
func benchBatch(number, n int) ledger.Batch {
	lo := int64(number * n)
	b := ledger.Batch{Topic: topic, Partition: partition, Lo: lo, Hi: lo + int64(n) - 1}
	for i := range n {
		offset := lo + int64(i)
		mixed := uint64(offset+1) * 0x9e3779b97f4a7c15
		job := fmt.Sprintf("%08x-%04x-4%03x-8000-%012x", mixed>>32, mixed>>16&0xffff, mixed&0xfff, offset)
		b.Entries = append(b.Entries, ledger.Entry{
			ID: job + "/debit", Account: fmt.Sprintf("acc_%016d", mixed>>40%1000), Job: job, Kind: ledger.Debit, Key: "key_abcdefgh", Operation: "html-to-pdf",
			Tags:     []ledger.Tag{{Name: "team", Value: "blue"}, {Name: "project", Value: fmt.Sprint(mixed % 100)}},
			Occurred: BenchStart.Add(time.Duration(offset) * time.Second), Window: BenchStart, Units: 1, Bytes: int64(mixed >> 40),
			Source: ledger.Source{Topic: topic, Partition: partition, Offset: offset},
		})
	}
	return b
}

// BenchMonth measures the usage by day of one account in one month, of 100 accounts that have
// equally many rows in the year after BenchStart. It reports the median.
func BenchMonth(b *testing.B, l ledger.Ledger) {
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		b.Fatal(err)
	}
	var times []float64
	var entries int64
	for i := 0; b.Loop(); i++ { // unlike b.N, it makes the rows only once
		from := time.Date(2024, time.Month(1+i%12), 1, 0, 0, 0, 0, berlin)
		q := ledger.Query{
			Account: fmt.Sprintf("acc_%03d", i*37%100), From: from, To: from.AddDate(0, 1, 0),
			Location: berlin, Bucket: ledger.Day, GroupBy: []ledger.Dimension{ledger.ByKey},
		}
		var rows []ledger.Row
		duration := took(b, func() (err error) { rows, err = l.Usage(b.Context(), q); return err })
		times = append(times, float64(duration.Microseconds())/1000)
		entries = 0
		for _, r := range rows {
			entries += r.Entries
		}
	}
	if entries < 5000 {
		b.Fatalf("the last month has %d entries", entries)
	}
	b.ReportMetric(median(times), "ms/query")
	b.ReportMetric(float64(entries), "entries")
}

func took(b *testing.B, work func() error) time.Duration {
	b.Helper()
	start := time.Now()
	if err := work(); err != nil {
		b.Fatal(err)
	}
	return time.Since(start)
}

func median(values []float64) float64 {
	slices.Sort(values)
	return values[len(values)/2]
}
