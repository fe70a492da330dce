package document

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
	"time"
)

// pdfWriter writes PDFs in the browser's form, with a cross-reference table. The first object is the catalog.
type pdfWriter struct {
	bytes.Buffer
	offsets []int
}

// object adds the next object, from number 1.
func (w *pdfWriter) object(format string, args ...any) {
	if len(w.offsets) == 0 {
		w.WriteString("%PDF-1.4\n%\xd3\xeb\xe9\xe1\n")
	}
	w.offsets = append(w.offsets, w.Len())
	fmt.Fprintf(w, "%d 0 obj\n"+format+"\nendobj\n", append([]any{len(w.offsets)}, args...)...)
}

// end adds the table, and returns the file.
func (w *pdfWriter) end() []byte {
	start := w.Len()
	fmt.Fprintf(w, "xref\n0 %d\n0000000000 65535 f \n", len(w.offsets)+1)
	for _, offset := range w.offsets {
		fmt.Fprintf(w, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(w, "trailer\n<</Size %d /Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(w.offsets)+1, start)
	return w.Bytes()
}

// newPDF makes a PDF like the browser's: with a cross-reference table, and a page tree of eight pages per node.
func newPDF(pages int) []byte {
	var w pdfWriter
	nodes := (pages + 7) / 8
	var kids strings.Builder
	for n := range nodes {
		fmt.Fprintf(&kids, "%d 0 R ", 3+n)
	}
	w.object("<</Type /Catalog /Pages 2 0 R>>")
	w.object("<</Type /Pages /Count %d /Kids [%s]>>", pages, kids.String())
	for n := range nodes {
		var leaves strings.Builder
		count := min(8, pages-8*n)
		for i := range count {
			fmt.Fprintf(&leaves, "%d 0 R ", 3+nodes+8*n+i)
		}
		w.object("<</Type /Pages /Parent 2 0 R /Count %d /Kids [%s]>>", count, leaves.String())
	}
	for i := range pages {
		w.object("<</Type /Page /Parent %d 0 R /MediaBox [0 0 595 842] /Resources <<>>>>", 3+i/8)
	}
	return w.end()
}

func TestPageCount(t *testing.T) {
	for _, pages := range []int{1, 7, 8, 9, 100, 1000} {
		pdf := newPDF(pages)
		got, err := PageCount(pdf)
		if err != nil || got != pages {
			t.Errorf("%d pages: got %d, %v", pages, got, err)
		}
	}
}

// A PDF that the browser printed has the 6 pages that pdfinfo reports.
func TestPageCountOfBrowserOutput(t *testing.T) {
	pdf, err := os.ReadFile("testdata/invoice.pdf")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := PageCount(pdf); err != nil || got != 6 {
		t.Errorf("got %d, %v, want 6", got, err)
	}
}

// Broken files give an error or a number within seconds, and never a panic.
func TestPageCountOfBrokenBytes(t *testing.T) {
	for _, broken := range []string{"", "%PDF-1.4", "%PDF-1.4\nstartxref\n0\n%%EOF", "not a PDF at all", strings.Repeat("<<", 10_000), "%PDF-1.7\n" + strings.Repeat("1 0 obj [", 10_000)} {
		if _, err := PageCount([]byte(broken)); err == nil {
			t.Errorf("%.20q: no error", broken)
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	whole := newPDF(20)
	for round := range 300 {
		broken := bytes.Clone(whole)
		for range 1 + random.IntN(20) {
			broken[random.IntN(len(broken))] = byte(random.IntN(256))
		}
		broken = broken[:len(broken)-random.IntN(200)]
		start := time.Now()
		_, _ = PageCount(broken)
		if took := time.Since(start); took > 5*time.Second {
			t.Fatalf("round %d took %v", round, took)
		}
	}
}

func BenchmarkPageCount(b *testing.B) {
	pdf := newPDF(1000)
	for b.Loop() {
		if _, err := PageCount(pdf); err != nil {
			b.Fatal(err)
		}
	}
}
