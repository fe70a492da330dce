package inspect

import "testing"

// BenchmarkXML makes the report on an invoice of some kilobytes, BenchmarkPDF on a hybrid with it.
func BenchmarkXML(b *testing.B) {
	xml := []byte(base(b))
	b.SetBytes(int64(len(xml)))
	for b.Loop() {
		XML(xml, Wanted{})
	}
}

func BenchmarkPDF(b *testing.B) {
	pdf := hybridOf(b, base(b), "en16931")
	b.SetBytes(int64(len(pdf)))
	for b.Loop() {
		PDF(pdf, Wanted{})
	}
}
