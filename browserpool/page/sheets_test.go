package page

import (
	"slices"
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
