package document

import (
	"os"
	"testing"
	"time"
)

// fuzzTime bounds the time for a small file: the work is bounded if it ends at all.
const fuzzTime = 20 * time.Second

func addPDFs(f *testing.F) {
	f.Helper()
	printed, err := os.ReadFile("testdata/invoice.pdf")
	if err != nil {
		f.Fatal(err)
	}
	f.Add(printed)
	f.Add(newPDF(9))
	f.Add(picturePDF(16, 16, jpegEntries, greyJPEG(f, 16, 16, 1000)))
	f.Add(picturePDF(8, 8, "/ColorSpace /DeviceRGB /Filter /FlateDecode", deflated(f, make([]byte, 3*8*8))))
	f.Add([]byte("%PDF-1.7\n1 0 obj\n<</Type /XRef /Size 2 /W [1 2 1] /Root 1 0 R /Length 0>>\nstream\n\nendstream\nendobj\nstartxref\n9\n%%EOF\n"))
}

// For any bytes, pages are counted or the file is refused, within bounds of time and memory.
func FuzzPageCount(f *testing.F) {
	addPDFs(f)
	f.Fuzz(func(t *testing.T, pdf []byte) {
		within(t, len(pdf), func() { _, _ = PageCount(pdf) })
	})
}

// For any bytes, images are recompressed or the file is refused, within bounds of time and memory.
func FuzzFinish(f *testing.F) {
	addPDFs(f)
	f.Fuzz(func(t *testing.T, pdf []byte) {
		within(t, len(pdf), func() { _, _ = Finish(t.Context(), pdf, Finishing{ImageQuality: 50}) })
	})
}

func within(t *testing.T, size int, do func()) {
	t.Helper()
	start := time.Now()
	if used := allocated(do); used > uint64(256<<20+1000*size) {
		t.Errorf("%d bytes became %d MiB of memory", size, used>>20)
	}
	if took := time.Since(start); took > fuzzTime {
		t.Errorf("%d bytes took %v", size, took)
	}
}
