package pdfa

import "testing"

// BenchmarkConvert and BenchmarkCheck use two pages with 59 lines.
func BenchmarkConvert(b *testing.B) {
	pdf, d := read(b, "testdata/plain.pdf"), archived(b, 3)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Convert(pdf, d); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	out, err := Convert(read(b, "testdata/plain.pdf"), archived(b, 3))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := Check(out, archive); err != nil {
			b.Fatal(err)
		}
	}
}
