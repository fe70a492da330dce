package main

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"os/exec"
	"slices"
	"strings"

	"github.com/pdfcpu/pdfcpu/pkg/api"

	"platen.dev/events"
)

// chaosKind is a kind of job that the chaos test sends.
type chaosKind struct {
	name, operation string
	// body returns the request body of the job.
	body func(chaosJob) map[string]any
	// pages are the PDF's pages; otherwise format and size are the picture's.
	pages         int
	format        string
	width, height int
	// finished PDFs were rewritten by qpdf, which compresses their title.
	finished bool
	// fails is the error code that the job must end with.
	fails events.ErrorCode
}

// chaosJob is one job. No two jobs of a run have the same text or colour.
type chaosJob struct {
	chaosKind
	number int
	site   string
}

func (j chaosJob) String() string { return fmt.Sprintf("%s %d", j.name, j.number) }

// title is in the document's properties, and text in it.
func (j chaosJob) title() string { return fmt.Sprintf("chaos-%d-end", j.number) }

// colour differs from that of every other number below 4,096 by at least 16 in one
// channel, which survives JPEG.
func (j chaosJob) colour() color.RGBA {
	step := func(n int) uint8 { return uint8(n%16*16 + 8) }
	return color.RGBA{step(j.number), step(j.number / 16), step(j.number / 256), 255}
}

func (j chaosJob) hex() string {
	c := j.colour()
	return fmt.Sprintf("%02x%02x%02x", c.R, c.G, c.B)
}

func (j chaosJob) url() string {
	return fmt.Sprintf("%s/page?name=%s&colour=%s", j.site, j.title(), j.hex())
}

func (j chaosJob) request() map[string]any { return j.body(j) }

// paper returns HTML of n pages.
func paper(pages int) func(chaosJob) map[string]any {
	return func(j chaosJob) map[string]any {
		var html strings.Builder
		fmt.Fprintf(&html, "<title>%s</title>", j.title())
		for page := range pages {
			fmt.Fprintf(&html, `<h1>%s, page %d</h1>%s`, j.title(), page+1, strings.Repeat("<p>a paragraph among many</p>", 8))
			if page < pages-1 {
				html.WriteString(`<div style="break-after: page"></div>`)
			}
		}
		return map[string]any{"html": html.String()}
	}
}

func stamped(j chaosJob) map[string]any {
	body := paper(2)(j)
	body["options"] = map[string]any{"watermark": map[string]any{"text": "DRAFT"}, "compression": map[string]any{"level": 5}}
	return body
}

func notes(j chaosJob) map[string]any {
	return map[string]any{"markdown": "# " + j.title() + "\n\n| a | table |\n|---|---|\n| of | four |\n"}
}

func coloured(j chaosJob) map[string]any {
	return map[string]any{
		"html":    fmt.Sprintf(`<body style="background: #%s"><p>%s</p>`, j.hex(), j.title()),
		"options": map[string]any{"format": j.format, "viewport": map[string]any{"width": j.width, "height": j.height}},
	}
}

func visited(j chaosJob) map[string]any { return map[string]any{"url": j.url()} }

func seen(j chaosJob) map[string]any {
	return map[string]any{"url": j.url(), "options": map[string]any{"format": j.format, "viewport": map[string]any{"width": j.width, "height": j.height}}}
}

// astray is a page that redirects to another page of the site.
func astray(path string) func(chaosJob) map[string]any {
	return func(j chaosJob) map[string]any { return map[string]any{"url": j.site + path} }
}

// impatient waits for an element that never appears. Its limit is longer than a busy
// machine takes to load the page, because not loading would be another error.
func impatient(j chaosJob) map[string]any {
	return map[string]any{"url": j.url(), "render": map[string]any{"wait_for_selector": "#never", "page_load_timeout_ms": 8000}}
}

func endless(chaosJob) map[string]any {
	return map[string]any{"html": `<div style="height: 30000000px">too tall for any paper</div>`}
}

// chaosKinds lists each kind with its share of the jobs. Kinds that take as long as fifty
// others are rare.
var chaosKinds = append(slices.Repeat(usualKinds, 3),
	chaosKind{name: "no selector", operation: "url-to-pdf", body: impatient, fails: events.SelectorTimeout},
	chaosKind{name: "too many pages", operation: "html-to-pdf", body: endless, fails: events.FileTooLarge})

var usualKinds = []chaosKind{
	{name: "1 page", operation: "html-to-pdf", body: paper(1), pages: 1},
	{name: "Markdown", operation: "markdown-to-pdf", body: notes, pages: 1},
	{name: "visited page", operation: "url-to-pdf", body: visited, pages: 1},
	{name: "png", operation: "html-to-image", body: coloured, format: "png", width: 640, height: 400},
	{name: "3 pages", operation: "html-to-pdf", body: paper(3), pages: 3},
	{name: "jpeg", operation: "html-to-image", body: coloured, format: "jpeg", width: 500, height: 500},
	{name: "visited png", operation: "url-to-image", body: seen, format: "png", width: 400, height: 320},
	{name: "Markdown", operation: "markdown-to-pdf", body: notes, pages: 1},
	{name: "40 pages", operation: "html-to-pdf", body: paper(40), pages: 40},
	{name: "no page", operation: "url-to-pdf", body: astray("/gone"), fails: events.NavigationFailed},
	{name: "1 page", operation: "html-to-pdf", body: paper(1), pages: 1},
	{name: "visited jpeg", operation: "url-to-image", body: seen, format: "jpeg", width: 800, height: 400},
	{name: "private address", operation: "url-to-pdf", body: astray("/leave"), fails: events.SSRFBlocked},
	{name: "stamped", operation: "html-to-pdf", body: stamped, pages: 2, finished: true},
	{name: "visited page", operation: "url-to-pdf", body: visited, pages: 1},
}

// check checks that a file is the job's: no job may get another's file, or half of its
// own.
func (j chaosJob) check(file []byte) error {
	if j.format != "" {
		return j.checkPicture(file)
	}
	pages, err := api.PageCount(bytes.NewReader(file), nil) // of compressed files, too
	if err != nil || pages != j.pages {
		return fmt.Errorf("%d pages (%s), want %d", pages, fmt.Sprint(err), j.pages)
	}
	if !j.finished && !bytes.Contains(file, []byte("("+j.title()+")")) {
		return fmt.Errorf("the title %s is not in the file", j.title())
	}
	if j.number%8 != 0 && !j.finished {
		return nil // reading the text takes a process of its own
	}
	return j.checkText(file)
}

func (j chaosJob) checkText(file []byte) error {
	reader := exec.Command("pdftotext", "-", "-")
	reader.Stdin = bytes.NewReader(file)
	text, err := reader.Output()
	if err != nil {
		return fmt.Errorf("pdftotext: %w", err)
	}
	want := j.pages
	if got := strings.Count(string(text), j.title()); got != want {
		return fmt.Errorf("%s is %d times in the text, want %d:\n%.300s", j.title(), got, want, text)
	}
	return nil
}

func (j chaosJob) checkPicture(file []byte) error {
	picture, format, err := image.Decode(bytes.NewReader(file))
	if err != nil {
		return err
	}
	if size := picture.Bounds().Size(); format != j.format || size != image.Pt(j.width, j.height) {
		return fmt.Errorf("the picture is a %s of %v", format, size)
	}
	got := color.RGBAModel.Convert(picture.At(j.width-2, j.height-2)).(color.RGBA)
	near := func(a, b uint8) bool { return max(a, b)-min(a, b) < 8 }
	if want := j.colour(); !near(got.R, want.R) || !near(got.G, want.G) || !near(got.B, want.B) {
		return fmt.Errorf("the picture is %v, want %v", got, want)
	}
	return nil
}
