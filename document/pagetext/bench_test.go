package pagetext

import (
	"os"
	"testing"
)

// BenchmarkRead reads the pages of an invoice.
func BenchmarkRead(b *testing.B) {
	pdf, err := os.ReadFile("../testdata/invoice.pdf")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Read(pdf); err != nil {
			b.Fatal(err)
		}
	}
}
