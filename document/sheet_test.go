package document

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"platen.dev/browserpool"
	browserpage "platen.dev/browserpool/page"
	"platen.dev/events"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

const numbers = `<span class="pageNumber"></span>of<span class="totalPages"></span>`

// chapters returns a document of n pages that link to one another.
func chapters(n int) string {
	var b strings.Builder
	b.WriteString(`<!doctype html><html lang="de"><head><title>Tïtle</title></head><body>`)
	for i := range n {
		fmt.Fprintf(&b, `<h1 id="c%d" style="break-after: avoid">Chapter%d</h1><p>Body%d <a href="#c%d">next</a> <a href="https://example.com/%d">away</a></p><p style="break-after: page">x</p>`, i+1, i+1, i+1, (i+1)%n+1, i+1)
	}
	return strings.TrimSuffix(b.String(), `<p style="break-after: page">x</p>`) + "</body></html>"
}

// printedSheets prints HTML with its sheets.
func printedSheets(t *testing.T) func(job browserpage.Print) ([]byte, []Sheet) {
	t.Helper()
	pool, err := browserpool.Open(browserpool.Config{Slots: 1, System: testkit.System(t), Logger: testkit.Silent()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pool.Close(context.Background()) })
	return func(job browserpage.Print) (pdf []byte, sheets []Sheet) {
		t.Helper()
		lease, err := pool.Acquire(t.Context(), "", events.Quick)
		if err != nil {
			t.Fatal(err)
		}
		defer lease.Return()
		result, err := lease.Print(t.Context(), job)
		if err != nil {
			t.Fatal(err)
		}
		for _, s := range result.Sheets {
			sheets = append(sheets, Sheet(s))
		}
		return result.PDF, sheets
	}
}

// pageTexts returns the texts of a PDF's pages.
func pageTexts(t *testing.T, pdf []byte, args ...string) []string {
	t.Helper()
	pages := strings.Split(pdfText(t, pdf, args...), "\f")
	return pages[:len(pages)-1]
}

// The first and last page have their own templates; numbers, totals, links, bookmarks, structure, language and title are those of
// the whole document, whatever other finishing is applied.
func TestSheets(t *testing.T) {
	printed := printedSheets(t)
	own := func(s string) *string { return &s }
	o := contract.Paper{HeaderFooter: true, Header: "GENERAL " + numbers, Footer: "FOOT", FirstHeader: own("FIRST " + numbers), FirstFooter: own(""), LastFooter: own("LAST " + numbers)}
	plain, plainSheets := printed(browserpage.Print{HTML: chapters(4), Options: o})
	o.Tagged, o.Outline = true, true
	tagged, taggedSheets := printed(browserpage.Print{HTML: chapters(4), Options: o})
	mark := marked(t, newPrinter(t), tagged, Watermark{Text: "DRAFT", Color: "red", FontSize: "90px"})
	for name, c := range map[string]struct {
		pdf []byte
		f   Finishing
	}{
		"plain":     {plain, Finishing{Sheets: plainSheets}},
		"tagged":    {tagged, Finishing{Sheets: taggedSheets}},
		"encrypted": {tagged, Finishing{Sheets: taggedSheets, Level: 9, Password: "secret", Metadata: Metadata{Author: "A"}}},
		"watermark": {tagged, Finishing{Sheets: taggedSheets, Overlay: mark.Overlay, Over: mark.Over, Tagged: true}},
	} {
		out, err := Finish(t.Context(), c.pdf, c.f)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		mustQPDF(t, out, "--check", "--password="+c.f.Password)
		texts := pageTexts(t, out, "-upw", c.f.Password)
		if len(texts) != 4 {
			t.Fatalf("%s: %d pages", name, len(texts))
		}
		for i, want := range []struct{ has, lacks string }{{"FIRST 1of4", "GENERAL FOOT LAST"}, {"GENERAL 2of4", "FIRST LAST"}, {"GENERAL 3of4", "FIRST LAST"}, {"GENERAL 4of4", "FIRST FOOT"}} {
			if !strings.Contains(texts[i], want.has) || !strings.Contains(texts[i], fmt.Sprintf("Body%d", i+1)) || i == 3 && !strings.Contains(texts[i], "LAST 4of4") {
				t.Errorf("%s: page %d reads %q", name, i+1, texts[i])
			}
			for word := range strings.FieldsSeq(want.lacks) {
				if strings.Contains(texts[i], word) {
					t.Errorf("%s: page %d reads %q", name, i+1, texts[i])
				}
			}
		}
		info := testkit.Tool(t, out, "pdfinfo", "-upw", c.f.Password, "-dests", "-")
		testkit.Contains(t, info, "c1", "c2", "c3", "c4")
		testkit.Contains(t, testkit.Tool(t, out, "pdfinfo", "-upw", c.f.Password, "-url", "-"), "https://example.com/1", "https://example.com/4")
		testkit.Contains(t, testkit.Tool(t, out, "pdfinfo", "-upw", c.f.Password, "-"), "Tïtle")
		if name == "plain" {
			continue
		}
		tags := testkit.Tool(t, out, "pdfinfo", "-upw", c.f.Password, "-struct-text", "-")
		testkit.Contains(t, tags, `"Chapter1"`, `"Body1 "`, `"Chapter4"`, `"Body4 "`)
		if strings.Contains(tags, "FIRST") || strings.Contains(tags, "LAST") {
			t.Errorf("%s: templates are tagged:\n%s", name, tags)
		}
		json := mustQPDF(t, out, "--password="+c.f.Password, "--json", "--json-key=outlines")
		for i := range 4 {
			if !strings.Contains(json, fmt.Sprintf(`"title": "Chapter%d"`, i+1)) || !strings.Contains(json, fmt.Sprintf(`"destpageposfrom1": %d`, i+1)) {
				t.Errorf("%s: the outline is %s", name, json)
			}
		}
	}
}

// A sheet whose marked content differs from the page's is refused: the structure would be wrong.
func TestSheetOfAnotherPage(t *testing.T) {
	printed := newPrinter(t)
	pdf := printed(chapters(2), contract.Paper{Tagged: true})
	other := printed(`<p>x</p>`, contract.Paper{Tagged: true})
	if _, err := Finish(t.Context(), pdf, Finishing{Sheets: []Sheet{{1, other}}}); !errors.Is(err, ErrChanged) {
		t.Errorf("got %v, want ErrChanged", err)
	}
	for _, broken := range [][]byte{nil, []byte("%PDF-1.4"), other[:len(other)/2]} {
		if _, err := Finish(t.Context(), pdf, Finishing{Sheets: []Sheet{{1, broken}}}); err == nil {
			t.Error("a broken sheet was taken")
		}
	}
	if _, err := Finish(t.Context(), pdf, Finishing{Sheets: []Sheet{{3, other}}}); err == nil {
		t.Error("a page that is not there was replaced")
	}
}
