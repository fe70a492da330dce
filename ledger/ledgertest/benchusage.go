package ledgertest

import (
	"context"
	"testing"

	"platen.dev/ledger"
)

// BenchUsage measures what a usage page asks for: a query, grouped by each possible dimension, and the account's windows.
func BenchUsage(b *testing.B, l ledger.Ledger, q ledger.Query) {
	all := ledger.Query{Account: q.Account, From: ledger.MinTime, To: ledger.MaxTime, Bucket: ledger.Window}
	for name, by := range map[string][]ledger.Dimension{"nothing": nil, "key": {ledger.ByKey}, "operation": {ledger.ByOperation}, "tag": {ledger.ByTag("team")}, "windows": nil} {
		asked := q
		if asked.GroupBy = by; name == "windows" {
			asked = all
		}
		if _, err := l.Usage(b.Context(), asked); err != nil { // nothing is remembered the first time
			b.Fatal(err)
		}
		BenchQuery(b, name, func(ctx context.Context) error { _, err := l.Usage(ctx, asked); return err })
	}
}

// BenchQuery measures one query.
func BenchQuery(b *testing.B, name string, ask func(context.Context) error) {
	b.Run(name, func(b *testing.B) {
		for b.Loop() {
			if err := ask(b.Context()); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(b.N)/1000, "ms/query")
	})
}
