package page

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"platen.dev/browserpool/pagetest"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

// What is higher than a page begins where it is and breaks between its lines: also a box in a line, and one that should not break.
func TestHighBoxes(t *testing.T) {
	testkit.Long(t)
	t.Parallel()
	slot := openSlot(t)
	rows := func(name string, n int) (all string) {
		for i := range n {
			all += fmt.Sprintf(`<p>%s %d</p>`, name, i)
		}
		return all
	}
	box := func(style, content string) string { return `<div style="` + style + `">` + content + `</div>` }
	pages := pagetest.Pages{
		"/block":  `<h1>HEAD</h1>` + box("display: inline-block; width: 100%", rows("ROW", 60)),
		"/flex":   `<h1>HEAD</h1><main style="text-align: center">` + box("display: inline-flex; width: 60%; flex-direction: column", rows("ROW", 60)) + `</main><p>END</p>`,
		"/nested": `<h1>HEAD</h1>` + box("display: inline-block; width: 90%", "<section>"+box("display: inline-block", rows("ROW", 60))+"</section>"),
		"/text":   `<h1>HEAD</h1><div>` + strings.Repeat("TEXT ", 30) + `<br>` + box("display: inline-block", rows("ROW", 60)) + `<br>TEXT</div>`,
		"/avoid":  `<h1>HEAD</h1>` + box("break-inside: avoid", box("page-break-inside: avoid", rows("ROW", 60))),
		"/row":    `<h1>HEAD</h1><table><tr style="break-inside: avoid"><td>` + rows("ROW", 60) + `</td><td>CELL</td></tr></table>`,
		"/table":  `<h1>HEAD</h1><table style="display: inline-table"><tr><td>` + strings.ReplaceAll(rows("ROW", 60), "</p>", "</p></td></tr><tr><td>") + `</table>`,
	}
	web := pagetest.NewWeb(t, pages)
	check := func(what string, job Print) {
		t.Helper()
		result := mustPrint(t, slot, job)
		first, _, _ := strings.Cut(testkit.PDFText(t, result.PDF), "\f")
		testkit.Contains(t, first, "HEAD", "ROW 0", "ROW 9")
		if rows := strings.Count(testkit.PDFText(t, result.PDF), "ROW "); rows != 60 {
			t.Errorf("%s: %d rows, want 60", what, rows)
		}
	}
	for path, html := range pages {
		check(path, Print{URL: web.URL + path})
		check("HTML of "+path, Print{HTML: html.(string)})
	}
	check("scaled", Print{URL: web.URL + "/block", Options: contract.Paper{Scale: 0.8}})
	if single := mustPrint(t, slot, Print{URL: web.URL + "/block", Options: contract.Paper{SinglePage: true}}); single.Pages != 1 {
		t.Errorf("a single page: %d pages", single.Pages)
	}

	// Script may set its own style again.
	web = pagetest.NewWeb(t, pagetest.Pages{"/script": `<style>#box { display: inline-block }</style><h1>HEAD</h1><div><div id="box">` + rows("ROW", 60) + `</div></div><script>new MutationObserver(() => { if (box.style.display) box.style.display = "" }).observe(box, { attributes: true })</script>`})
	check("script", Print{URL: web.URL + "/script"})

	column := func(name string) string {
		return box("display: inline-block; width: 45%; vertical-align: top", rows(name, 60))
	}
	web = pagetest.NewWeb(t, pagetest.Pages{"/": column("LEFT") + "\n" + column("RIGHT"), "/mixed": column("LEFT") + "TEXT"})
	first, _, _ := strings.Cut(printed(t, slot, Print{URL: web.URL}), "\f")
	testkit.Contains(t, strings.Join(strings.Fields(first), " "), "LEFT 0 RIGHT 0", "LEFT 9 RIGHT 9")
	testkit.Contains(t, printed(t, slot, Print{URL: web.URL + "/mixed"}), "LEFT 0", "LEFT 59", "TEXT")
}

// Cards of a row are kept together where a break would move their picture down: what follows it would be cut, or lie over the next row.
func TestCards(t *testing.T) {
	testkit.Long(t)
	slot := openSlot(t)
	const grid, row = "display: grid; grid-template-columns: 1fr 1fr; gap: 20px", "display: flex; flex-wrap: wrap; gap: 20px 0"
	const tight = "height: 100%; overflow: hidden"
	for what, tc := range map[string]struct {
		rows, card   string
		before, tall int // heights: of the block before the cards, and of each picture
		cards        int
		whole, first bool // whether each card is on one page; whether the first one is on the first page
	}{
		"a grid that cuts":           {grid, tight, 300, 440, 8, true, true},
		"a row that cuts":            {row, tight, 300, 440, 8, true, true},
		"a row of a given height":    {row, "height: 100%", 300, 440, 8, true, true},
		"a row that grows":           {row, "", 300, 300, 8, true, true},
		"higher than half a page":    {grid, tight, 300, 900, 8, true, false},
		"an only row of that":        {grid, tight, 300, 900, 2, false, true},
		"an only row of half a page": {grid, tight, 700, 361, 2, true, false},
		"a little more":              {grid, tight, 700, 362, 2, false, true},
		"columns that grow":          {grid, "", 300, 900, 8, false, true},
	} {
		var cards strings.Builder
		for i := range tc.cards {
			fmt.Fprintf(&cards, `<div style="width: 50%%"><div style="%s"><p style="margin: 0; height: 100px">TOP%d.</p>`+
				`<svg style="display: block" width="200" height="%d"></svg><p style="margin: 0; height: 100px">END%[2]d.</p></div></div>`, tc.card, i, tc.tall)
		}
		html := fmt.Sprintf(`<!doctype html><html><head></head><body style="margin: 0"><div style="height: %dpx"></div><div style="%s">%s</div>`, tc.before, tc.rows, &cards)
		pages := strings.Split(printed(t, slot, Print{HTML: html, Options: noMargin, Full: true}), "\f")
		for i := range tc.cards {
			top, end := fmt.Sprintf("TOP%d.", i), fmt.Sprintf("END%d.", i)
			at := slices.IndexFunc(pages, func(page string) bool { return strings.Contains(page, top) })
			if at < 0 || tc.whole && !strings.Contains(pages[at], end) {
				t.Errorf("%s: card %d is not on one page: %q", what, i, pages)
				break
			}
			if i == 0 && (at == 0) != tc.first {
				t.Errorf("%s: the first card is on page %d", what, at+1)
			}
		}
	}
}
