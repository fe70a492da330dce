package page

import (
	"fmt"
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
