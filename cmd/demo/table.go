package main

import (
	"fmt"
	"strings"
)

// table formats the demo's report: one row per document and a sum. The first duration is the job's
// own, the second the client's wait, including queueing.
func table(results []result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%-16s %-14s %6s %10s %8s %10s\n", "operation", "document", "pages", "bytes", "job ms", "client ms")
	var pages int
	var bytes int64
	for _, r := range results {
		fmt.Fprintf(&b, "%-16s %-14s %6d %10d %8d %10d\n",
			r.operation, r.name, r.job.Pages, r.job.Metrics.Bytes, r.job.Metrics.Total, r.wall.Milliseconds())
		pages, bytes = pages+r.job.Pages, bytes+r.job.Metrics.Bytes
	}
	fmt.Fprintf(&b, "%-16s %-14s %6d %10d\n", "sum", count(len(results), "document"), pages, bytes)
	return b.String()
}
