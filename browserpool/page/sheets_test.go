package page

import (
	"slices"
	"strings"
	"testing"

	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

// Pages with templates of their own are printed again, if they are in the range, with the numbers of the whole document. A single page counts as the first.
func TestSheets(t *testing.T) {
	slot := openSlot(t)
	own := func(s string) *string { return &s }
	const numbers = `<span class="pageNumber"></span>of<span class="totalPages"></span>`
	first, last := own("FIRST"+numbers), own("LAST"+numbers)
	type sheet struct {
		page int
		text string
	}
	for name, c := range map[string]struct {
		pages  int
		ranges string
		first  *string
		last   *string
		want   []sheet
	}{
		"both":            {5, "", first, last, []sheet{{1, "FIRST1of5"}, {5, "LAST5of5"}}},
		"first":           {5, "", first, nil, []sheet{{1, "FIRST1of5"}}},
		"last":            {5, "", nil, last, []sheet{{5, "LAST5of5"}}},
		"one page":        {1, "", first, last, []sheet{{1, "FIRST1of1"}}},
		"one page, last":  {1, "", nil, last, nil},
		"two pages":       {2, "", first, last, []sheet{{1, "FIRST1of2"}, {2, "LAST2of2"}}},
		"ends of a range": {5, "1, 4-", first, last, []sheet{{1, "FIRST1of5"}, {3, "LAST5of5"}}},
		"the middle":      {5, "2-4", first, last, nil},
		"beyond the end":  {5, "3, 5-9", first, last, []sheet{{2, "LAST5of5"}}},
		"first of many":   {5, "1", first, last, []sheet{{1, "FIRST1of5"}}},
	} {
		o := contract.Paper{HeaderFooter: true, Header: "GENERAL" + numbers, PageRanges: c.ranges, FirstHeader: c.first, LastHeader: c.last}
		result := mustPrint(t, slot, Print{HTML: pagesOf(c.pages), Options: o})
		var got []sheet
		for _, s := range result.Sheets {
			got = append(got, sheet{s.Page, aHeader.FindString(testkit.PDFText(t, s.PDF))})
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %v, want %v", name, got, c.want)
		}
	}
	hidden := contract.Paper{FirstHeader: first, LastHeader: last}
	if sheets := mustPrint(t, slot, Print{HTML: pagesOf(3), Options: hidden}).Sheets; len(sheets) > 0 {
		t.Error("templates that are not shown are printed")
	}
}

// The browser counts an empty last page, which is left out otherwise: if a sheet says how many pages there are, the page stays, and the number is that of the file.
func TestSheetsCountPagesOfTheFile(t *testing.T) {
	slot := openSlot(t)
	own := func(s string) *string { return &s }
	const html = `<p style="break-after: page">TEXT</p><div style="height: 900px; margin-bottom: 200px">TEXT</div><p></p>`
	const number, total = `LAST<span class="pageNumber"></span>`, `of<span class="totalPages"></span>END`
	for name, c := range map[string]struct {
		options contract.Paper
		pages   int
		want    string
	}{
		"a total":          {contract.Paper{HeaderFooter: true, LastFooter: own(number + total)}, 3, "LAST3of3END"},
		"in the header":    {contract.Paper{HeaderFooter: true, LastHeader: own(number + total)}, 3, "LAST3of3END"},
		"on the first":     {contract.Paper{HeaderFooter: true, FirstHeader: own(total), LastFooter: own(number)}, 3, "LAST3"},
		"no total":         {contract.Paper{HeaderFooter: true, LastFooter: own(number)}, 2, "LAST2"},
		"templates unused": {contract.Paper{LastFooter: own(number + total)}, 2, ""},
	} {
		result := mustPrint(t, slot, Print{HTML: html, Options: c.options})
		got := ""
		if n := len(result.Sheets); n > 0 {
			got = testkit.PDFText(t, result.Sheets[n-1].PDF)
		}
		if result.Pages != c.pages || !strings.Contains(got, c.want) || c.want == "" && got != "" {
			t.Errorf("%s: %d pages, the last sheet says %q, want %d and %q", name, result.Pages, got, c.pages, c.want)
		}
	}
}
