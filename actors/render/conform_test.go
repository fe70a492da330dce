package render

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"platen.dev/actors/render/attempt"
	"platen.dev/browserpool/pagetest"
	"platen.dev/document"
	"platen.dev/document/pdfa"
	"platen.dev/einvoice/sample"
	"platen.dev/events"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

// printing does the steps of jobs that print HTML.
type printing struct {
	t       *testing.T
	acquire func(context.Context, events.AccountID, events.Lane) (Lease, error)
}

func newPrinting(t *testing.T) printing { return printing{t, realPages(t)} }

// work returns the work of a job.
func (p printing) work(html string, o events.PrintOptions) *work {
	cfg := Config{
		Acquire: p.acquire, Logger: testkit.Silent(), Pages: document.PageCount,
		Now: func() time.Time { return time.Date(2026, 11, 23, 12, 0, 0, 0, time.UTC) },
	}
	return &work{
		cfg: cfg, account: "acc_conform", lane: events.Slow, limit: contract.MaxFileBytes, accepted: cfg.Now(),
		submission: events.Submission{SubmitJob: events.SubmitJob{Operation: events.HTMLToPDF}, Content: events.Content{HTML: html, Print: o}},
	}
}

// printed renders a job's page.
func (p printing) printed(w *work) []byte {
	p.t.Helper()
	lease, err := p.acquire(p.t.Context(), w.account, w.lane)
	if err != nil {
		p.t.Fatal(err)
	}
	w.lease = lease
	err = w.step(p.t.Context(), attempt.Do{Step: attempt.Render})
	lease.Return()
	if err != nil {
		p.t.Fatal(err)
	}
	return w.out.data
}

// finished returns the file of a job, or its fault.
func (p printing) finished(html string, o events.PrintOptions) ([]byte, *attempt.Fault) {
	p.t.Helper()
	w := p.work(html, o)
	p.printed(w)
	if err := w.step(p.t.Context(), attempt.Do{Step: attempt.Finish}); err != nil {
		return nil, w.faultOf(err)
	}
	return w.out.data, nil
}

// conformances are the values of pdfa and pdfua together.
var conformances = []events.PrintOptions{{PDFA: "2b"}, {PDFA: "3b"}, {PDFUA: true}, {PDFA: "2b", PDFUA: true}}

const titled = `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>A title</title></head><body>%s</body></html>`

// A file conforms with all other options, and has the same text as without.
func TestConformsWithOptions(t *testing.T) {
	p := newPrinting(t)
	html := fmt.Sprintf(titled, `<h1>First</h1><p>text <a href="https://example.com/">link</a></p><p style="break-before: page">second</p>`)
	for n, asked := range conformances {
		o := asked
		o.HeaderFooter, o.Header, o.Footer = true, "head", `<span class="pageNumber"></span>`
		o.Outline = n > 0 // which tags the PDF
		o.Watermark = &events.Watermark{Text: "DRAFT", Color: "rgba(200, 0, 0, 0.3)", FontSize: "60px", Rotation: 0}
		o.Compression = &events.Compression{Level: int64(1 + 3*(n%3)), ImageQuality: 50}
		o.Metadata = &events.Metadata{Title: "Größe <&>", Author: "me", Keywords: "a, b", Creator: "tool", Language: "de"}
		pdf, fault := p.finished(html, o)
		if fault != nil {
			t.Errorf("%+v: %+v", asked, fault)
			continue
		}
		info := testkit.Tool(t, pdf, "pdfinfo", "-enc", "UTF-8", "-")
		testkit.Contains(t, info, "Title:           Größe <&>", "Author:          me", "Keywords:        a, b", "Creator:         tool", "Pages:           2")
		text := testkit.Tool(t, pdf, "pdftotext", "-", "-")
		testkit.Contains(t, text, "First", "link", "second", "DRAFT", "head")
		if asked.PDFUA {
			tags := testkit.Tool(t, pdf, "pdfinfo", "-struct-text", "-")
			testkit.Contains(t, tags, "H1 (block)", `"First"`, "Link (inline)", `"second"`)
			if strings.Contains(tags, "DRAFT") || strings.Contains(tags, "head") {
				t.Errorf("what is not content is read: %s", tags)
			}
		}
	}
}

// A defect of the document is named, and there is no retry.
func TestConformanceFails(t *testing.T) {
	p := newPrinting(t)
	picture := `<img src="data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==" width="9" height="9"%s>`
	for name, tc := range map[string]struct {
		html string
		o    events.PrintOptions
		want string // "" for no fault
	}{
		"alt":          {fmt.Sprintf(titled, fmt.Sprintf(picture, ` alt="one"`)+"<p>x</p>"+fmt.Sprintf(picture, "")), events.PrintOptions{PDFUA: true}, "7.3-1: picture 2 (on page 1) has no alternative text"},
		"decoration":   {fmt.Sprintf(titled, "<p>x</p>"+fmt.Sprintf(picture, ` alt=""`)), events.PrintOptions{PDFUA: true}, ""},
		"alt of 2b":    {fmt.Sprintf(titled, fmt.Sprintf(picture, "")), events.PrintOptions{PDFA: "2b"}, ""},
		"title":        {`<html lang="en"><body><p>x</p></body></html>`, events.PrintOptions{PDFUA: true}, "7.1-9: the document has no title"},
		"given title":  {`<html lang="en"><body><p>x</p></body></html>`, events.PrintOptions{PDFUA: true, Metadata: &events.Metadata{Title: "x"}}, ""},
		"language":     {`<html><head><title>x</title></head><body><p>x</p></body></html>`, events.PrintOptions{PDFUA: true}, "7.2-34: the document has no language"},
		"given one":    {`<html><head><title>x</title></head><body><p>x</p></body></html>`, events.PrintOptions{PDFUA: true, Metadata: &events.Metadata{Language: "de"}}, ""},
		"both":         {`<html><body><p>x</p></body></html>`, events.PrintOptions{PDFA: "3b", PDFUA: true}, "The document cannot be PDF/A-3b and PDF/UA-1: 7.1-9: the document has no title"},
		"only tagged":  {`<html><body>` + fmt.Sprintf(picture, "") + `</body></html>`, events.PrintOptions{Paper: contract.Paper{Tagged: true}}, ""},
		"tagged false": {fmt.Sprintf(titled, "<p>x</p>"), events.PrintOptions{PDFUA: true, Paper: contract.Paper{Tagged: false}}, ""},
	} {
		_, fault := p.finished(tc.html, tc.o)
		if tc.want == "" && fault != nil {
			t.Errorf("%s: %+v", name, fault)
		}
		if tc.want != "" && (fault == nil || fault.Code != events.NotConforming || fault.Retryable || !strings.Contains(fault.Detail, tc.want)) {
			t.Errorf("%s: %+v", name, fault)
		}
	}
}

// An e-invoice is an archive already, and may be accessible, too.
func TestAccessibleInvoice(t *testing.T) {
	p := newPrinting(t)
	for name, tc := range map[string]struct {
		body string
		want string
	}{
		"accessible": {"<h1>Invoice</h1><p>x</p>", ""}, "alt": {`<p>x</p><img src="data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7" width=9 height=9>`, "7.3-1"},
	} {
		w := p.work("", events.PrintOptions{PDFA: "3b", PDFUA: true})
		w.submission.Content.Invoice = &events.Invoice{Profile: "en16931", XML: events.Deflate(sample.XML("en16931")), HTML: events.Deflate(fmt.Appendf(nil, titled, tc.body))}
		p.printed(w)
		err := w.step(t.Context(), attempt.Do{Step: attempt.Finish})
		var invalid *pdfa.InvalidError
		if tc.want == "" && err != nil || tc.want != "" && (!errors.As(err, &invalid) || invalid.Violations[0].Rule != tc.want || w.faultOf(err).Code != events.NotConforming) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A tagged invoice is at most one and a half times as large as an untagged one. With other fonts, which make the latter smaller, PDF/A's metadata and
// colour profile may take a twentieth more.
func TestTaggedIsSmall(t *testing.T) {
	p := newPrinting(t)
	source, err := os.ReadFile("../../testdata/bench/invoice.html")
	if err != nil {
		t.Fatal(err)
	}
	html := document.Sanitize(string(source)).HTML()
	plain, fault := p.finished(html, events.PrintOptions{})
	if fault != nil {
		t.Fatal(fault)
	}
	for _, o := range slices.Concat(conformances[2:], []events.PrintOptions{{Paper: contract.Paper{Tagged: true}}, {Paper: contract.Paper{Outline: true}}}) {
		o.Metadata = &events.Metadata{Language: "en"}
		tagged, fault := p.finished(html, o)
		if fault != nil {
			t.Fatal(fault)
		}
		t.Logf("%+v: %d bytes, %d without tags", o.Paper, len(tagged), len(plain))
		percent := 150
		if o.PDFA != "" && !pagetest.ReferenceFonts() {
			percent = 155
		}
		if 100*len(tagged) > percent*len(plain) {
			t.Errorf("%+v: %d bytes, but %d without tags", o, len(tagged), len(plain))
		}
	}
}
