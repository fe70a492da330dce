package page

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
)

// The count is that of the page tree, whatever the text of the document contains.
func TestCountPDFPages(t *testing.T) {
	slot := openSlot(t)
	for _, pages := range []int{1, 2, 9, 70} {
		html := "<title>/Count 5000 trailer /Root 1 0 R startxref</title>" + strings.Repeat(`<p style="break-after: page">x`, pages-1) + "<p>end"
		result, err := slot.Print(t.Context(), Print{HTML: html})
		if err != nil {
			t.Fatal(err)
		}
		if result.Pages != pages {
			t.Errorf("got %d pages, want %d", result.Pages, pages)
		}
	}
}

// A PDF in another form than the browser's is not counted, and does no harm.
func TestCountPDFPagesOfOthers(t *testing.T) {
	const objects = "1 0 obj\n<</Pages 2 0 R>>\nendobj\n2 0 obj\n<</Count 7>>\nendobj\n"
	file := fmt.Sprintf("%sxref\n0 3\n0000000000 65535 f \n%010d 00000 n \n%010d 00000 n \ntrailer\n<</Root 1 0 R>>\nstartxref\n%d\n%%%%EOF", objects, 0, strings.Index(objects, "2 0 obj"), len(objects))
	if n := countPDFPages([]byte(file)); n != 7 {
		t.Fatalf("got %d, want 7", n)
	}
	for _, other := range []string{
		"", "%PDF-1.7", "trailer", "trailer startxref\n99999999999999999999\n",
		strings.Replace(file, "/Pages 2", "/Pages 3", 1), strings.Replace(file, "/Root 1", "/Root 0", 1), strings.Replace(file, "/Count", "/Kids", 1),
		strings.Replace(file, "2 0 obj", "3 0 obj", 1), strings.Replace(file, "xref\n0 3", "xref\n1 3", 1), strings.Replace(file, "/Root 1", "/Root 99999999999", 1),
		strings.Replace(file, "0000000000 00000 n", "9999999999 00000 n", 1),
	} {
		if n := countPDFPages([]byte(other)); n != 0 {
			t.Errorf("got %d pages of %q", n, other)
		}
	}
	for end := range file { // cut anywhere
		countPDFPages([]byte(file[:end]))
		countPDFPages(bytes.TrimSuffix([]byte(file[end:]), []byte("\n")))
	}
}
