package page

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"platen.dev/browserpool/pagetest"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

// pagesOf returns a document of n pages with a word on each.
func pagesOf(n int) string {
	var pages strings.Builder
	for i := range n {
		fmt.Fprintf(&pages, `<p style="break-after: page">Word%d</p>`, i+1)
	}
	return wholeDocument(strings.TrimSuffix(pages.String(), "</p>"))
}

var sheetNumber = regexp.MustCompile(`\d+of\d+`)

// aHeader matches a template with its numbers filled in.
var aHeader = regexp.MustCompile(`[A-Z]+\d+of\d+`)

// The pages of a range keep their numbers and the total, whether the document is sent or visited, and however often it is printed.
func TestPageRanges(t *testing.T) {
	slot := openSlot(t)
	web := pagetest.NewWeb(t, pagetest.Pages{"/": pagesOf(9)})
	for name, job := range map[string]Print{
		"sent":    {HTML: pagesOf(9)},
		"visited": {URL: web.URL},
		"counted": {HTML: pagesOf(9), Limits: Limits{Pages: 9}}, // its pages are counted by printing one
		// It is printed, measured, and printed again.
		"fitted": {HTML: wholeDocument(`<table><td style="white-space: nowrap">` + strings.Repeat("wide ", 40) + "</table><pre>" + strings.Repeat("\n", 1_150))},
	} {
		job.Options = contract.Paper{HeaderFooter: true, Footer: `<span class="pageNumber"></span>of<span class="totalPages"></span>`}
		all := sheetNumber.FindAllString(printed(t, slot, job), -1)
		job.Options.PageRanges = "1-2, 5, 8-"
		result := mustPrint(t, slot, job)
		got := sheetNumber.FindAllString(testkit.PDFText(t, result.PDF), -1)
		if want := []string{"1of9", "2of9", "5of9", "8of9", "9of9"}; len(all) != 9 || !slices.Equal(got, want) || result.Pages != 5 {
			t.Errorf("%s: %d pages %v of %v, want %v", name, result.Pages, got, all, want)
		}
		for number, want := range map[string]bool{"Word2": true, "Word3": false, "Word5": true, "Word7": false, "Word9": true} {
			if name != "fitted" && strings.Contains(testkit.PDFText(t, result.PDF), number) != want {
				t.Errorf("%s: %s is there, or is not", name, number)
			}
		}
	}
}

// A document without any of the requested pages is refused, one with some of them is not.
func TestPageRangesBeyondTheEnd(t *testing.T) {
	slot := openSlot(t)
	for ranges, want := range map[string]int{"3": 1, "3-999999": 1, "2, 4": 1, "4": 0, "4-": 0, "999999": 0} {
		for _, limit := range []int{3, 0} {
			result, err := slot.Print(t.Context(), Print{HTML: pagesOf(3), Options: contract.Paper{PageRanges: ranges}, Limits: Limits{Pages: limit}})
			if want == 0 && (!errors.Is(err, ErrPageRanges) || Retryable(err) || Reason(err) != "The document has none of the pages "+ranges+".") || want != 0 && (err != nil || result.Pages != want) {
				t.Errorf("%s: %d pages, %v (%s)", ranges, result.Pages, err, Reason(err))
			}
		}
	}
	if _, err := slot.Print(t.Context(), Print{HTML: pagesOf(3), Options: contract.Paper{PageRanges: "1"}, Limits: Limits{Pages: 2}}); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a document of too many pages: %v", err)
	}
}
