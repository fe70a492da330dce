package main

import (
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	prepare "platen.dev/document"
	"platen.dev/events/contract"
)

// The contents name every heading, and link to it.
func TestTheContentsLeadToEveryTable(t *testing.T) {
	html, err := prepare.Markdown(book())
	if err != nil {
		t.Fatal(err)
	}
	targets := regexp.MustCompile(`href="#([^"]+)"`).FindAllStringSubmatch(html, -1)
	headings := strings.Count(html, "<h3") + len(chapters)
	if len(targets) != headings || headings < 30 {
		t.Errorf("%d links lead to %d headings", len(targets), headings)
	}
	for _, target := range targets {
		if strings.Count(html, ` id="`+target[1]+`"`) != 1 {
			t.Errorf("%q is not the id of one heading", target[1])
		}
	}
}

// Documents must fit the processing queue in their rendered form.
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

func TestTable(t *testing.T) {
	invoice := result{document: document{name: "invoice", operation: "html-to-pdf"}, wall: 345 * time.Millisecond}
	invoice.job.Pages, invoice.job.Metrics.Bytes, invoice.job.Metrics.Total = 3, 47974, 137
	book := result{document: document{name: "tables", operation: "markdown-to-pdf"}, wall: 2*time.Second + 3*time.Millisecond}
	book.job.Pages, book.job.Metrics.Bytes, book.job.Metrics.Total = 200, 1234567, 1900

	got := table([]result{invoice, book})
	want := "" +
		"operation        document        pages      bytes   job ms  client ms\n" +
		"html-to-pdf      invoice             3      47974      137        345\n" +
		"markdown-to-pdf  tables            200    1234567     1900       2003\n" +
		"sum              2 documents       203    1282541\n"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
