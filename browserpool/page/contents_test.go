package page

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"platen.dev/browserpool/pagetest"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

const headed = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>T</title>%s</head><body><h2 id="pre">Preface</h2><p>text</p>
<h1 id="über uns" style="break-before: page">Chapter&nbsp; <em>one</em></h1><p style="break-after: page">text</p><h2 id="same">First &lt;part&gt;</h2><h3>Deep</h3>
<h2 id="same" style="break-before: page">Second part</h2><h4>Deeper</h4><h2 style="display: none">Hidden</h2><h2> </h2><p><a href="#same">link</a></p></body></html>`

// entries returns the entries of the contents in a PDF, each with its printed page number.
func entries(t *testing.T, pdf []byte) (all []string) {
	t.Helper()
	first, _, _ := strings.Cut(testkit.Tool(t, pdf, "pdftotext", "-layout", "-", "-"), "\f")
	for _, line := range strings.Split(first, "\n") {
		if words := strings.Fields(line); len(words) > 0 {
			all = append(all, strings.Join(words, " "))
		}
	}
	return all
}

// linksTo returns the pages that the links on the first page lead to.
func linksTo(t *testing.T, pdf []byte) (all []string) {
	t.Helper()
	for _, link := range regexp.MustCompile(`(?m)^ *(\d+) .*"`).FindAllString(testkit.Tool(t, pdf, "pdfinfo", "-dests", "-"), -1) {
		words := strings.Fields(link)
		all = append(all, words[0]+" "+words[len(words)-1])
	}
	return all
}

// The contents precede the text and list the headings with their page numbers, which count the contents, too; sent and visited documents alike.
func TestContents(t *testing.T) {
	slot := openSlot(t)
	strict := fmt.Sprintf(headed, `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'self'"><link rel="stylesheet" href="/style.css"><base href="/elsewhere/">`)
	web := pagetest.NewWeb(t, pagetest.Pages{
		"/": strings.NewReplacer(`style="break-before: page"`, `class="before"`, `style="break-after: page"`, `class="after"`, `style="display: none"`, `class="hidden"`).Replace(strict),
		"/style.css": http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/css")
			fmt.Fprint(w, ".before { break-before: page } .after { break-after: page } .hidden { display: none }")
		}),
		"/wide": strings.Replace(fmt.Sprintf(headed, ""), "<p>text</p>", `<pre>`+strings.Repeat("wide ", 40)+`</pre>`, 1),
	})
	want := []string{"Contents", "Preface 2", "Chapter one 3", "First <part> 4", "Deep 4", "Second part 5"}
	for name, job := range map[string]Print{"sent": {HTML: fmt.Sprintf(headed, "")}, "visited": {URL: web.URL}, "wide": {URL: web.URL + "/wide"}} {
		for _, o := range []contract.Paper{{}, {Tagged: true, Outline: true}, {Scale: 0.7, Landscape: true}} {
			job.Options = o
			job.Options.TOC = &contract.TOC{Title: "Contents", Depth: 3}
			if name == "visited" && o.Scale > 0 {
				continue // its page rules set scale and orientation
			}
			result := mustPrint(t, slot, job)
			if got := entries(t, result.PDF); !slices.Equal(got, want) || result.Pages != 5 {
				t.Errorf("%s, %+v: the contents are %q on one of %d pages", name, o, got, result.Pages)
			}
			links := linksTo(t, result.PDF)
			slices.Sort(links)
			if pages := strings.Join(links, ", "); strings.Count(pages, ",") != 4 || !strings.HasPrefix(pages, "2 ") || !strings.Contains(pages, ", 3 ") || strings.Count(pages, ", 4 ") != 2 || !strings.Contains(pages, ", 5 ") {
				t.Errorf("%s, %+v: the destinations are %s", name, o, pages)
			}
			if o.Outline {
				testkit.Contains(t, strings.Join(bookmarks(t, result.PDF), "\n"), "one 3", "Second part 5")
			}
		}
	}
}

// Depth, title, ranges and templates work as usual; a document without headings has no contents.
func TestContentsOptions(t *testing.T) {
	slot := openSlot(t)
	html := fmt.Sprintf(headed, "")
	toc := func(title string, depth int64) *contract.TOC { return &contract.TOC{Title: title, Depth: depth} }
	own := "FIRST"
	for name, tc := range map[string]struct {
		o     contract.Paper
		html  string
		first []string
		pages int
	}{
		"depth 1":   {contract.Paper{TOC: toc("", 1)}, html, []string{"Chapter one 3"}, 5},
		"depth 6":   {contract.Paper{TOC: toc("Ü <b>", 6)}, html, []string{"Ü <b>", "Preface 2", "Chapter one 3", "First <part> 4", "Deep 4", "Second part 5", "Deeper 5"}, 5},
		"ranges":    {contract.Paper{TOC: toc("", 1), PageRanges: "1, 4-"}, html, []string{"Chapter one 3"}, 3},
		"templates": {contract.Paper{TOC: toc("", 1), HeaderFooter: true, FirstHeader: &own, MarginTop: "2cm"}, html, []string{"Chapter one 3"}, 5},
		"none":      {contract.Paper{TOC: toc("Contents", 6)}, "<!doctype html><p>text", []string{"text"}, 1},
	} {
		result := mustPrint(t, slot, Print{HTML: tc.html, Options: tc.o})
		if got := entries(t, result.PDF); !slices.Equal(got, tc.first) || result.Pages != tc.pages || (len(result.Sheets) > 0) != (name == "templates") {
			t.Errorf("%s: the first page reads %q, of %d; %d sheets", name, got, result.Pages, len(result.Sheets))
		}
	}
}

// Contents of several pages count their own pages.
func TestLongContents(t *testing.T) {
	slot := openSlot(t)
	var html strings.Builder
	html.WriteString("<!doctype html>")
	for i := range 300 {
		fmt.Fprintf(&html, `<h1 style="font-size: 12px">%s %d</h1>`, strings.Repeat("Long ", 1+i%40), i)
	}
	pdf := mustPrint(t, slot, Print{HTML: html.String(), Options: contract.Paper{TOC: &contract.TOC{Depth: 1}}}).PDF
	pages := strings.Split(testkit.Tool(t, pdf, "pdftotext", "-layout", "-", "-"), "\f")
	text := strings.Join(strings.Fields(strings.Join(pages, " ")), " ")
	for _, i := range []int{0, 150, 299} {
		number := slices.IndexFunc(pages[10:], func(p string) bool { return regexp.MustCompile(fmt.Sprintf(`\b%d\n`, i)).MatchString(p) }) + 11
		if number == 10 || !strings.Contains(text, fmt.Sprintf("Long %d %d ", i, number)) {
			t.Errorf("heading %d is on page %d; the contents say else", i, number)
		}
	}
}

// A PDF of another form has no destinations, and reading a cyclic page tree ends.
func TestDestinationsOfHostilePDFs(t *testing.T) {
	for _, pdf := range []string{"", "%PDF-1.4", "trailer\n<</Root 1 0 R>>\nstartxref\n0\n"} {
		if got := destinations([]byte(pdf)); len(got) != 0 {
			t.Errorf("%q: %v", pdf, got)
		}
	}
	const objects = "1 0 obj\n<</Pages 2 0 R /Dests 3 0 R>>\nendobj\n2 0 obj\n<</Kids [2 0 R 2 0 R 2 0 R]>>\nendobj\n3 0 obj\n<</a [2 0 R /XYZ]/#4 [9 0 R ]>>\nendobj\n"
	table := "xref\n0 4\n0000000000 65535 f \n"
	for _, object := range []string{"1 0 obj", "2 0 obj", "3 0 obj"} {
		table += fmt.Sprintf("%010d 00000 n \n", strings.Index(objects, object))
	}
	pdf := objects + table + fmt.Sprintf("trailer\n<</Root 1 0 R>>\nstartxref\n%d\n", len(objects))
	if got := destinations([]byte(pdf)); got["a"] != 0 {
		t.Errorf("got %v", got)
	}
}
