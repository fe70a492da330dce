package main

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	prepare "platen.dev/document"
	"platen.dev/events/contract"
)

func TestAlmanacHasItsPages(t *testing.T) {
	text := almanac()
	if breaks := strings.Count(text, "break-before:page"); breaks != almanacPages-1 {
		t.Errorf("%d page breaks, want one before each of %d pages but the first", breaks, almanacPages)
	}
	for _, want := range []string{"<h2 style=\"margin:0\">Thursday</h2><p>April 2027 · day 91 ·", "<p>October 2027 · day 288 ·"} {
		if !strings.Contains(text, want) {
			t.Errorf("no page has %q", want)
		}
	}
	if text != almanac() {
		t.Error("two runs differ")
	}
}

// No two pages are alike, so that nothing can be shared between them.
func TestAlmanacVaries(t *testing.T) {
	pages := strings.Split(almanac(), "break-before:page")
	seen := map[string]int{}
	for i, page := range pages {
		_, content, _ := strings.Cut(page, "Sunrise")
		if before, again := seen[content]; again && content != "" {
			t.Errorf("page %d repeats page %d", i+1, before+1)
		}
		seen[content] = i
	}
}

// What is sent must fit the processing queue as it will be rendered.
func TestDocumentsFitTheLimits(t *testing.T) {
	all, err := collect("../../testdata/demo")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range all {
		text := prepare.Sanitize(d.text).HTML()
		if d.field == "markdown" {
			if n := utf8.RuneCountInString(d.text); n > contract.MaxMarkdown {
				t.Errorf("%s has %d characters, %d are allowed", d.name, n, contract.MaxMarkdown)
			}
			if text, err = prepare.Markdown(d.text); err != nil {
				t.Errorf("%s: %v", d.name, err)
			}
		}
		if len(text) > contract.MaxContent {
			t.Errorf("%s has %d bytes to be rendered, %d are allowed", d.name, len(text), contract.MaxContent)
		}
	}
}

func TestSunAndTideArePlausible(t *testing.T) {
	midsummer := sunOn(time.Date(2027, time.June, 21, 0, 0, 0, 0, time.UTC))
	if light := midsummer.set - midsummer.rise; light < 16*60 || light > 17*60 {
		t.Errorf("midsummer at 52° north has %s of light, want 16 to 17 hours", duration(light))
	}
	for i := range almanacPages - frontPages {
		day := firstDay.AddDate(0, 0, i)
		w := waterOn(day)
		if n := len(w.extremes); n != 3 && n != 4 {
			t.Errorf("%s has %d high and low waters, want 3 or 4", day.Format(time.DateOnly), n)
		}
		for j := 1; j < len(w.extremes); j++ {
			if w.extremes[j].high == w.extremes[j-1].high {
				t.Errorf("%s: high and low water do not alternate", day.Format(time.DateOnly))
			}
		}
	}
}

func TestTable(t *testing.T) {
	invoice := result{document: document{name: "invoice", operation: "html-to-pdf"}, wall: 345 * time.Millisecond}
	invoice.job.Pages, invoice.job.Metrics.Bytes, invoice.job.Metrics.Total = 3, 47974, 137
	almanac := result{document: document{name: "almanac", operation: "html-to-pdf"}, wall: 2*time.Second + 3*time.Millisecond}
	almanac.job.Pages, almanac.job.Metrics.Bytes, almanac.job.Metrics.Total = 200, 1234567, 1900

	got := table([]result{invoice, almanac})
	want := "" +
		"operation        document        pages      bytes   job ms  client ms\n" +
		"html-to-pdf      invoice             3      47974      137        345\n" +
		"html-to-pdf      almanac           200    1234567     1900       2003\n" +
		"sum              2 documents       203    1282541\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
