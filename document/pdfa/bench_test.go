package pdfa

import "testing"

// BenchmarkConvert and BenchmarkCheck use an invoice of two pages with 59 lines.
func BenchmarkConvert(b *testing.B) {
	pdf, in := read(b, "testdata/plain.pdf"), invoice(b, "en16931")
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Convert(pdf, in); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	out, err := Convert(read(b, "testdata/plain.pdf"), invoice(b, "en16931"))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := Check(out); err != nil {
			b.Fatal(err)
		}
	}
}
