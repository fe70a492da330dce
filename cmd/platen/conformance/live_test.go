package conformance

import (
	"bytes"
	"fmt"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"platen.dev/events"
	"platen.dev/events/testkit"
)

// Rows whose jobs go through the whole pipeline.

const pipelineSection = "What the service does"

var pipelineRows = []row{
	{"pipeline/html-to-pdf", pipelineSection, "HTML becomes a PDF: submit, poll, download", func(t *testing.T, s *server) {
		s.converts(t, htmlToPDF, object{"html": "<h1>Invoice</h1>"}, "application/pdf", ".pdf", "%PDF-")
	}},
	{"pipeline/markdown-to-pdf", pipelineSection, "Markdown becomes a PDF", func(t *testing.T, s *server) {
		s.converts(t, markdownToPDF, object{"markdown": "# A\n\n| a | b |\n|---|---|\n| ~~1~~ | 2 |"}, "application/pdf", ".pdf", "%PDF-")
	}},
	{"pipeline/html-to-png", pipelineSection, "HTML becomes a PNG image", func(t *testing.T, s *server) {
		s.converts(t, htmlToImage, object{"html": "<h1>Hello</h1>"}, "image/png", ".png", "\x89PNG")
	}},
	{"pipeline/html-to-jpeg", pipelineSection, "HTML becomes a JPEG image, which jpg asks for as well", func(t *testing.T, s *server) {
		for _, format := range []string{"jpeg", "jpg"} {
			s.converts(t, htmlToImage, object{"html": "<h1>Hello</h1>", "options": object{"format": format, "quality": 50}}, "image/jpeg", ".jpg", "\xff\xd8")
		}
	}},
	{"pipeline/image-parts", "Extensions", "a part of a page, at a scale, as WebP", func(t *testing.T, s *server) {
		s.converts(t, htmlToImage, object{"html": `<p id="a">Hello</p>`, "options": object{"format": "webp", "selector": "#a", "device_scale_factor": 2, "transparent": true}}, "image/webp", ".webp", "RIFF")
		s.converts(t, htmlToImage, object{"html": "<h1>Hello</h1>", "options": object{"clip": object{"x": 5, "width": 20, "height": 10}}}, "image/png", ".png", "\x89PNG")
	}},
	{"pipeline/pages", "JobStatusResponse", "pages_count is the number of pages of the file", provePageCount},
	{"pipeline/page-ranges", "Extensions", "page_ranges leaves the other pages out of file and count; without any page the job fails, uncharged", provePageRanges},
	{"pipeline/conformance", "Extensions", "a file conforms to pdfa and pdfua, or its job fails with CONFORMANCE_FAILED and what is missing", proveConformance},
	{"pipeline/paper-of-document", "Extensions", "single_page and prefer_css_page_size make paper of the document's sizes, and a watermark fits it", provePaperOfDocument},
	{"pipeline/end-templates", "Extensions", "first and last page have templates of their own; numbers and structure stay whole", proveEndTemplates},
	{"pipeline/rules", "Extensions", "with rules warn, what an e-invoice breaks is in the job's warnings", proveRuleWarnings},
	{"pipeline/toc", "Extensions", "toc is a page of contents with the numbers of the pages", proveTOC},
	{"pipeline/watermarks", "Extensions", "watermarks are on the pages that they name, texts and pictures, above the content and behind it", proveWatermarks},
	{"pipeline/large-watermark", "Extensions", "a picture counts toward what the queue takes, and is stored with large", proveLargeWatermark},
	{"pipeline/match", "Extensions", "with match, a page that does not say what the XML says fails or is warned of", proveMatch},
	{"pipeline/structured-invoice", "Extensions", "an e-invoice may have an outline, tags, PDF/UA, metadata and a watermark", proveStructuredInvoice},
	{"pipeline/nulls", "PdfOptions", "explicit nulls mean the same as absence", proveNulls},
	{"pipeline/file-too-large", limitSection, "a file above the account's limit fails with FILE_TOO_LARGE and costs nothing", proveFileTooLarge},
	{"pipeline/delivery-fails", "Delivery object", "a job whose file cannot be delivered ends DELIVERY_FAILED, costs nothing and leaves no file", proveDeliveryFails},
	{"pipeline/local-page", "Submitting", "an operator may allow private networks by CIDR", proveLocalPage},
}

// ended polls a job until it is done or failed, and checks each status on the way. A job may be rendered again, but not once it has a file.
func (c *customer) ended(id events.JobID) (last object) {
	c.t.Helper()
	order := []string{"queued", "rendering", "uploading", "done", "failed"}
	testkit.Eventually(c.t, "the job ends", func() bool {
		before := last["status"]
		last = c.jobOf(id)
		step := slices.Index(order, fmt.Sprint(last["status"]))
		if step < 0 || before == "uploading" && step < 2 {
			c.t.Errorf("the status was %v and is %v", before, last["status"])
		}
		return step >= 3
	})
	return last
}

// converts follows a job from its submission to its file.
func (s *server) converts(t *testing.T, path string, body object, kind, extension, magic string) {
	t.Helper()
	c := s.customer(t, events.PlanBusiness)
	id := c.post(path, body).accepted()
	job := c.ended(id)
	if job["status"] != "done" || job["error_code"] != nil || job["test"] != false {
		t.Fatalf("the job ended %v", job)
	}
	a := c.download(id).status(200)
	metrics, _ := job["metrics"].(object)
	name := `attachment; filename="` + id.String() + extension + `"`
	if a.kind() != kind || a.Header.Get("Content-Disposition") != name || !bytes.HasPrefix(a.body, []byte(magic)) {
		t.Errorf("downloaded %s %s %.8q", a.kind(), a.Header.Get("Content-Disposition"), a.body)
	}
	if metrics["file_size_bytes"] != float64(len(a.body)) || a.ContentLength != int64(len(a.body)) || metrics["page_count"] != job["pages_count"] {
		t.Errorf("%d bytes, Content-Length %d, metrics %v", len(a.body), a.ContentLength, metrics)
	}
	if u := c.usage(); u.Used != 1 || u.Bytes != int64(len(a.body)) || u.Running != 0 {
		t.Errorf("one job of %d bytes was charged as %+v", len(a.body), u.Usage)
	}
}

func provePageCount(t *testing.T, s *server) {
	c := s.customer(t, events.PlanBusiness)
	body := object{"html": strings.Repeat(`<p style="page-break-after: always">x</p>`, 4) + "<p>x</p>"}
	if job := c.ended(c.post(htmlToPDF, body).accepted()); job["pages_count"] != 5.0 {
		t.Errorf("five pages are counted as %v: %v", job["pages_count"], job)
	}
}

func provePageRanges(t *testing.T, s *server) {
	c := s.customer(t, events.PlanBusiness)
	body := func(ranges string) object {
		return object{"html": strings.Repeat(`<p style="page-break-after: always">x</p>`, 4) + "<p>x</p>", "options": object{"page_ranges": ranges}}
	}
	if job := c.ended(c.post(htmlToPDF, body("6-")).accepted()); job["error_code"] != "PAGE_RANGE_EMPTY" || job["error_detail"] != "The document has none of the pages 6-." {
		t.Errorf("without pages the job ended %v", job)
	}
	c.chargedNothing()
	if job := c.ended(c.post(htmlToPDF, body("1, 3-")).accepted()); job["pages_count"] != 4.0 {
		t.Errorf("four pages are counted as %v: %v", job["pages_count"], job)
	}
}

func proveConformance(t *testing.T, s *server) {
	c := s.customer(t, events.PlanBusiness)
	body := func(html string) object {
		return object{"html": html, "options": object{"pdfa": "2b", "pdfua": true, "metadata": object{"title": "Mine", "language": "en"}}}
	}
	job := c.ended(c.post(htmlToPDF, body(`<p>x</p><img src="data:image/gif;base64,R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7" width="9" height="9">`)).accepted())
	if detail, _ := job["error_detail"].(string); job["error_code"] != "CONFORMANCE_FAILED" || !strings.Contains(detail, "7.3-1: picture 1 (on page 1) has no alternative text") {
		t.Errorf("without alternative text the job ended %v", job)
	}
	c.chargedNothing()
	id := c.post(htmlToPDF, body("<h1>Head</h1><p>x</p>")).accepted()
	if job := c.ended(id); job["status"] != "done" {
		t.Fatalf("the job ended %v", job)
	}
	pdf := c.download(id).status(200).body
	testkit.Contains(t, testkit.Tool(t, pdf, "pdfinfo", "-meta", "-"), "<pdfaid:part>2<", "<pdfaid:conformance>B<", "<pdfuaid:part>1<")
	testkit.Contains(t, testkit.Tool(t, pdf, "pdfinfo", "-struct-text", "-"), "H1 (block)", `"Head"`)
}

func provePaperOfDocument(t *testing.T, s *server) {
	c := s.customer(t, events.PlanBusiness)
	const rules = `<style>@page { size: 5in 4in } @page b { size: 10in 3in } div { page: b }</style>`
	for html, want := range map[string]struct {
		options object
		sizes   string
	}{
		`<p style="height: 4000px">a</p>`: {object{"single_page": true, "width": "6in"}, "432 x 307"},
		rules + `<p>a</p><div>b</div>`:    {object{"prefer_css_page_size": true, "format": "A4", "tagged": true}, "360 x 288 pts,720 x 216 pts"},
	} {
		want.options["watermark"] = object{"text": "MARK", "rotation_degrees": 0}
		id := c.post(htmlToPDF, object{"html": html, "html_mode": "full", "options": want.options}).accepted()
		pages := strings.Count(want.sizes, ",") + 1
		if job := c.ended(id); job["status"] != "done" || job["pages_count"] != float64(pages) {
			t.Fatalf("the job ended %v", job)
		}
		pdf := c.download(id).status(200).body
		sizes := regexp.MustCompile(`\d[\d.]* x [\d.]+ pts`).FindAllString(testkit.Tool(t, pdf, "pdfinfo", "-l", "-1", "-"), -1)
		if got := strings.Join(sizes, ","); !strings.HasPrefix(got, want.sizes) {
			t.Errorf("the pages have the sizes %s, want %s", got, want.sizes)
		}
		if text := testkit.PDFText(t, pdf); strings.Count(text, "MARK") != pages {
			t.Errorf("the watermark is not on every page: %q", text)
		}
	}
}

func proveEndTemplates(t *testing.T, s *server) {
	c := s.customer(t, events.PlanBusiness)
	const numbers = `<span class="pageNumber"></span>of<span class="totalPages"></span><script>x</script>`
	for _, pdfa := range []any{nil, "2b"} {
		id := c.post(htmlToPDF, object{
			"html":    `<html lang="en">` + strings.Repeat(`<h1>Chapter</h1><p style="page-break-after: always">x</p>`, 2) + "<h1>End</h1>",
			"options": object{"outline": true, "pdfa": pdfa, "display_header_footer": true, "header_template": "ALL" + numbers, "first_page_header_template": "", "last_page_header_template": "LAST" + numbers},
		}).accepted()
		if job := c.ended(id); job["status"] != "done" || job["pages_count"] != 3.0 {
			t.Fatalf("the job ended %v", job)
		}
		pdf := c.download(id).status(200).body
		text := testkit.PDFText(t, pdf)
		if got := regexp.MustCompile(`[A-Z]+\d+of\d+`).FindAllString(text, -1); !slices.Equal(got, []string{"ALL2of3", "LAST3of3"}) {
			t.Errorf("the templates read %q", got)
		}
		tags, outline := testkit.Tool(t, pdf, "pdfinfo", "-struct-text", "-"), testkit.QPDF(t, pdf, "--json", "--json-key=outlines")
		if strings.Count(tags, `"Chapter"`) != 2 || !strings.Contains(tags, `"End"`) || !strings.Contains(outline, `"title": "End"`) {
			t.Errorf("the tags are %s\nthe outline is %s", tags, outline)
		}
	}
}

func proveStructuredInvoice(t *testing.T, s *server) {
	c := s.customer(t, events.PlanBusiness)
	id := c.post(htmlToPDF, object{
		"html": `<html lang="en"><h1>Invoice</h1><p>Total</p></html>`, "einvoice": object{"xml": invoiceXML("en16931", "380")},
		"options": object{"outline": true, "tagged": true, "pdfa": "3b", "pdfua": true, "watermark": object{"text": "COPY"}, "metadata": object{"title": "Mine", "keywords": "a, <b>"}},
	}).accepted()
	if job := c.ended(id); job["status"] != "done" {
		t.Fatalf("the job ended %v", job)
	}
	pdf := c.download(id).status(200).body
	testkit.Contains(t, testkit.Tool(t, pdf, "pdfinfo", "-"), "Title:           Mine", "Keywords:        a, <b>", "Author:") // the seller's name
	tags, outline := testkit.Tool(t, pdf, "pdfinfo", "-struct-text", "-"), testkit.QPDF(t, pdf, "--json", "--json-key=outlines")
	if !strings.Contains(tags, `"Total"`) || !strings.Contains(outline, `"title": "Invoice"`) {
		t.Errorf("the tags are %s\nthe outline is %s", tags, outline)
	}
}

func proveNulls(t *testing.T, s *server) {
	c := s.customer(t, events.PlanBusiness)
	fields := slices.DeleteFunc(declaredFields(t), func(d declared) bool { return d.operation != htmlToPDF })
	null := nulls(fields, "")
	if options, _ := null["options"].(object); len(options) < 20 {
		t.Fatalf("the nulls of options are %v", null["options"])
	}
	null["html"] = "<p>x</p>"
	if job := c.ended(c.post(htmlToPDF, null).accepted()); job["status"] != "done" {
		t.Errorf("with nulls the job ended %v", job)
	}
}

func proveFileTooLarge(t *testing.T, s *server) {
	c := s.customer(t, events.PlanBusiness)
	c.command(events.LimitFiles{Bytes: 100})
	for path := range map[string]bool{htmlToPDF: true, htmlToImage: true} {
		id := c.submit(path)
		if job := c.ended(id); job["status"] != "failed" || job["error_code"] != "FILE_TOO_LARGE" || job["expires_at"] != nil || job["error_detail"] != "The file is larger than 100 bytes." {
			t.Errorf("%s: the job ended %v", path, job)
		}
		c.download(id).problem(404, "JOB_NOT_COMPLETE", "job-not-complete: ")
	}
	c.chargedNothing()
}

func (c *customer) chargedNothing() {
	c.t.Helper()
	if u := c.usage(); u.Used+u.Reserved+u.Bytes+u.Running != 0 {
		c.t.Errorf("a failed job was charged: %+v", u.Usage)
	}
}

// The storage is at an address that the egress policy refuses.
func proveDeliveryFails(t *testing.T, s *server) {
	c := s.customer(t, events.PlanBusiness)
	id := c.post(htmlToPDF, object{"html": "x", "delivery": object{"url": "https://10.0.0.1/put"}}).accepted()
	if job := c.ended(id); job["status"] != "failed" || job["error_code"] != "DELIVERY_FAILED" || job["expires_at"] != nil {
		t.Errorf("the job ended %v", job)
	}
	c.download(id).status(404)
	c.chargedNothing()
	testkit.Eventually(t, "the file is deleted", func() bool { return !s.keeps(t, id) })
}

// keeps reports whether the store has a file of a job.
func (s *server) keeps(t *testing.T, id events.JobID) (found bool) {
	t.Helper()
	err := s.Files().Each(t.Context(), func(name string, _ int64, _ time.Time) error {
		found = found || strings.HasPrefix(name, id.String())
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// Other rows check how the page is rendered.
func proveLocalPage(t *testing.T, s *server) {
	c := s.customer(t, events.PlanBusiness)
	for _, address := range []string{"http://127.0.0.1:1/", "http://localhost:1/"} {
		c.post(urlToPDF, object{"url": address, "test": true}).accepted()
	}
	c.post(urlToPDF, object{"url": "http://10.0.0.1/", "test": true}).problem(400, "SSRF_BLOCKED", "SSRF_BLOCKED: ")
}

var sampleRows = func() (rows []row) {
	for _, path := range allOperations {
		statement := "test mode runs " + path[1:] + " through the pipeline, and the file is the bundled sample"
		rows = append(rows, row{"sample" + path, "General rules", statement, func(t *testing.T, s *server) { s.samples(t, path) }})
	}
	return append(rows,
		row{"sample/jpeg", "GET /jobs/{job_id}/download", "the sample PNG is returned for jpeg requests too", proveSampleOfJPEG})
}()

// bundled is a sample file.
func bundled(t *testing.T, extension string) []byte {
	t.Helper()
	b, err := os.ReadFile("../../../actors/render/sample/sample" + extension)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// samples runs an operation in test mode, with options that test mode ignores.
func (s *server) samples(t *testing.T, path string) {
	t.Helper()
	c := s.customer(t, events.PlanBusiness)
	body := minimal(path)
	body["test"] = true
	extension, kind := ".pdf", "application/pdf"
	if slices.Contains(imageOperations, path) {
		extension, kind = ".png", "image/png"
	}
	c.samplesAs(c.post(path, body).accepted(), extension, kind)
	if u := c.usage(); u.Used+u.Reserved+u.Bytes != 0 {
		t.Errorf("a test job was charged: %+v", u)
	}
}

func (c *customer) samplesAs(id events.JobID, extension, kind string) {
	c.t.Helper()
	job, want := c.ended(id), bundled(c.t, extension)
	metrics, _ := job["metrics"].(object)
	if job["status"] != "done" || job["test"] != true || metrics["file_size_bytes"] != float64(len(want)) || (job["pages_count"] != nil) != (extension == ".pdf") {
		c.t.Errorf("the test job ended %v", job)
	}
	a := c.download(id).status(200)
	if a.kind() != kind || !bytes.Equal(a.body, want) || !strings.HasSuffix(a.Header.Get("Content-Disposition"), extension+`"`) {
		c.t.Errorf("%s with %d bytes as %s is not the sample", a.kind(), len(a.body), a.Header.Get("Content-Disposition"))
	}
}

func proveSampleOfJPEG(t *testing.T, s *server) {
	c := s.customer(t, events.PlanBusiness)
	for _, path := range imageOperations {
		body := minimal(path)
		body["test"], body["options"] = true, object{"format": "jpeg", "quality": 80}
		c.samplesAs(c.post(path, body).accepted(), ".png", "image/png")
	}
}

var imageRows = []row{
	{"pixels/viewport", "Image options", "the viewport sets width and height of the image", proveViewport},
	{"pixels/default-viewport", "Image options", "the viewport is 1024 × 768 when it is left out", proveDefaultViewport},
	{"pixels/full-page", "Image options", "with full_page the height follows the page", proveFullPage},
	{"pixels/full-page-cap", "Image options", "a full page is clipped at 8192 pixels, and the job is done", proveFullPageCap},
	{"pixels/overflow", "Image options", "what overflows the viewport's width is not captured", proveOverflow},
}

// captured returns the size of the image that a request makes.
func (s *server) captured(t *testing.T, html string, options object) image.Point {
	t.Helper()
	c := s.customer(t, events.PlanBusiness)
	id := c.post(htmlToImage, object{"html": html, "options": options}).accepted()
	if job := c.ended(id); job["status"] != "done" {
		t.Fatalf("the job ended %v", job)
	}
	config, format, err := image.DecodeConfig(bytes.NewReader(c.download(id).status(200).body))
	if err != nil || format != "png" {
		t.Fatalf("decode %s: %v", format, err)
	}
	return image.Pt(config.Width, config.Height)
}

func checkSize(t *testing.T, got image.Point, width, height int) {
	t.Helper()
	if got != image.Pt(width, height) {
		t.Errorf("the image is %v, want (%d,%d)", got, width, height)
	}
}

func proveViewport(t *testing.T, s *server) {
	checkSize(t, s.captured(t, "<p>x</p>", object{"viewport": object{"width": 320, "height": 320}}), 320, 320)
	checkSize(t, s.captured(t, "<p>x</p>", object{"viewport": object{"width": 1920}}), 1920, 768)
}

func proveDefaultViewport(t *testing.T, s *server) {
	checkSize(t, s.captured(t, "<p>x</p>", nil), 1024, 768)
}

const tall = `<div style="height: %dpx">x</div>`

func proveFullPage(t *testing.T, s *server) {
	size := s.captured(t, fmt.Sprintf(tall, 2_000), object{"full_page": true, "viewport": object{"width": 400}})
	if size.X != 400 || size.Y < 2_000 || size.Y > 2_100 {
		t.Errorf("a page of 2,000 pixels is captured as %v", size)
	}
}

func proveFullPageCap(t *testing.T, s *server) {
	checkSize(t, s.captured(t, fmt.Sprintf(tall, 9_000), object{"full_page": true, "viewport": object{"width": 320}}), 320, 8192)
}

func proveOverflow(t *testing.T, s *server) {
	wide := `<div style="width: 3000px; height: 10px">x</div>`
	checkSize(t, s.captured(t, wide, object{"full_page": true, "viewport": object{"width": 640, "height": 480}}), 640, 480)
}
