package corpus

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"math"
	"runtime"
	"strings"
	"testing"
	"time"

	"platen.dev/browserpool/bare"
	"platen.dev/browserpool/chromium"
	"platen.dev/browserpool/egress"
	"platen.dev/browserpool/page"
	"platen.dev/browserpool/pagetest"
	"platen.dev/document"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

// patience is how long the plain browser waits for a document to load.
const patience = 20 * time.Second

// lanes is how many documents are rendered at a time.
var lanes = min(3, runtime.GOMAXPROCS(0))

// bench has the two renderers.
type bench struct {
	browser *chromium.Browser
	plain   *bare.Browser
	gate    *egress.Gate
	sets    chan *page.Set // the idle ones
}

func newBench(t *testing.T) *bench {
	t.Helper()
	browser, err := chromium.Start(t.Context(), chromium.Options{MaxData: 3 << 30})
	if err != nil {
		t.Fatalf("the corpus needs the real browser: %v", err)
	}
	t.Cleanup(func() { browser.Close(context.Background()) })
	plain, err := bare.Start(bare.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(plain.Close)
	b := &bench{
		browser: browser, plain: plain, sets: make(chan *page.Set, lanes),
		gate: egress.NewGate(egress.Policy{Allow: pagetest.Loopback}, egress.Limits{}, testkit.Silent()),
	}
	for range lanes {
		b.sets <- b.open(t)
	}
	t.Cleanup(func() {
		for range lanes {
			(<-b.sets).Dispose()
		}
	})
	return b
}

func (b *bench) open(t *testing.T) *page.Set {
	t.Helper()
	set, err := page.Open(context.Background(), b.browser, b.gate)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// platen renders a document as Platen does.
func (b *bench) platen(t *testing.T, e entry) (_ artefact, err error) {
	t.Helper()
	set := <-b.sets
	defer func() {
		if set.Reset(context.Background()) != nil {
			set.Dispose()
			set = b.open(t)
		}
		b.sets <- set
	}()
	html, err := sanitised(e.source)
	if err != nil {
		return artefact{}, err
	}
	if e.shot != nil {
		job := page.Capture{HTML: html, URL: e.source.url, Load: e.load, Options: contract.Image{FullPage: e.shot.fullPage, Width: int64(e.shot.width), Height: int64(e.shot.height)}}
		image, err := set.Capture(t.Context(), job)
		if err != nil {
			return artefact{}, err
		}
		return captured(image.Data, image.Warnings)
	}
	job := page.Print{HTML: html, URL: e.source.url, Load: e.load, Options: e.options}
	job.Options.Header = document.SanitizeTemplate(e.options.Header)
	job.Options.Footer = document.SanitizeTemplate(e.options.Footer)
	result, err := set.Print(t.Context(), job)
	if err != nil {
		return artefact{}, err
	}
	return printed(t, result.PDF, result.Warnings), nil
}

// sanitised returns the document that Platen prints for HTML or Markdown.
func sanitised(s source) (string, error) {
	if s.markdown != "" {
		return document.Markdown(s.markdown)
	}
	if s.html != "" {
		return document.Sanitize(s.html).HTML(), nil
	}
	return "", nil
}

// plainly renders a document with the plain browser. HTML is not sanitised: the parts that the sanitiser keeps must look the same.
func (b *bench) plainly(t *testing.T, e entry) (_ artefact, err error) {
	t.Helper()
	d := bare.Document{HTML: e.source.html, URL: e.source.url, Selector: e.load.WaitFor, After: time.Duration(e.load.WaitAfter) * time.Millisecond, Patience: patience}
	if e.differs != nil && e.differs.fails != nil {
		if e.shot != nil {
			return artefact{}, nil // the browser never finishes capturing it
		}
		d.Patience = 300 * time.Millisecond // it may never count as loaded
	}
	if e.source.markdown != "" {
		if d.HTML, err = document.Markdown(e.source.markdown); err != nil {
			return artefact{}, err
		}
	}
	if e.shot != nil {
		d.Width, d.Height = e.shot.width, e.shot.height
	}
	if e.shot == nil {
		d.Style = keptHeadings
	}
	if e.shot == nil && !e.ruled && !e.edged {
		d.Style += wholeMargin(t, e.options)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*patience)
	defer cancel()
	shown, err := b.plain.Show(ctx, d)
	if err != nil {
		return artefact{}, err
	}
	defer func() { err = errors.Join(err, shown.Close()) }()
	if e.shot != nil {
		data, err := shown.Capture(e.shot.fullPage)
		if err != nil {
			return artefact{}, err
		}
		return captured(data, nil)
	}
	pdf, err := shown.Print(plainParams(t, e.options))
	if err != nil {
		return artefact{}, err
	}
	return printed(t, pdf, nil), nil
}

// paperSizes lists sizes in inches.
var paperSizes = map[string][2]float64{
	"A4": {210 / 25.4, 297 / 25.4}, "A3": {297 / 25.4, 420 / 25.4}, "Letter": {8.5, 11}, "Legal": {8.5, 14}, "Tabloid": {11, 17},
}

// plainParams returns the options as the browser takes them.
func plainParams(t *testing.T, o contract.Paper) map[string]any {
	t.Helper()
	size := paperSizes[cmp.Or(o.Format, "A4")]
	params := map[string]any{
		"landscape": o.Landscape, "printBackground": !o.OmitBackground, "scale": cmp.Or(o.Scale, 1), "generateTaggedPDF": false,
		"paperWidth": size[0], "paperHeight": size[1], "displayHeaderFooter": o.HeaderFooter, "pageRanges": o.PageRanges,
	}
	inches := map[string]float64{}
	for side, text := range map[string]string{"Top": o.MarginTop, "Right": o.MarginRight, "Bottom": o.MarginBottom, "Left": o.MarginLeft} {
		length, err := contract.ParseLength(cmp.Or(text, "1cm"))
		if err != nil {
			t.Fatal(err)
		}
		inches[side] = float64(length)
		params["margin"+side] = inches[side]
	}
	if o.HeaderFooter { // in the style of docs/API.md
		const style = `<style>* { box-sizing: border-box }</style><div style="font-size: 10px; width: 100%%; padding: 0 %fin 0 %fin">%s</div>`
		params["headerTemplate"] = fmt.Sprintf(style, inches["Right"], inches["Left"], o.Header)
		params["footerTemplate"] = fmt.Sprintf(style, inches["Right"], inches["Left"], o.Footer)
	}
	return params
}

// keptHeadings keeps headings with what follows them, which the browser by itself does not: all that comes after would differ.
const keptHeadings = "@layer { :is(h1, h2, h3, h4, h5, h6):not(:last-child) { break-after: avoid } } "

// wholeMargin is the right margin that Platen prints with (whole-right-edge): it leaves whole pixels
// of the document between the margins. The plain browser is given it, too, or it would break some
// lines elsewhere. It keeps sizes and margins in whole points.
func wholeMargin(t *testing.T, o contract.Paper) string {
	t.Helper()
	p := plainParams(t, o)
	width := p["paperWidth"].(float64)
	if o.Landscape {
		width = p["paperHeight"].(float64)
	}
	const pixel, unit = 4. / 3, 1. / 64
	left, right, scale := math.Floor(p["marginLeft"].(float64)*72), math.Floor(p["marginRight"].(float64)*72), cmp.Or(o.Scale, 1)
	printable := (math.Ceil(width*72) - left - right) * pixel
	whole := math.Floor(printable/scale+unit) * scale
	return fmt.Sprintf("@page { margin-right: %.4fpx }", right*pixel+printable-whole+2*unit*scale)
}

// captured returns the artefact of a capture.
func captured(data []byte, warnings []page.Warning) (artefact, error) {
	decoded, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		return artefact{}, err
	}
	return artefact{picture: pagetest.Opaque(decoded), warnings: warnings}, nil
}

// artefact is the result of rendering a document.
type artefact struct {
	warnings []page.Warning
	picture  *image.RGBA // the capture, or the pages side by side

	pdf      []byte
	sheets   []sheet
	pictures []string
}

// warns reports whether the only warning has this code; for "", whether there is none.
func (a artefact) warns(code string) bool {
	if code == "" {
		return len(a.warnings) == 0
	}
	return len(a.warnings) == 1 && a.warnings[0].Code == code
}

// text returns all words of a PDF.
func (a artefact) text() string {
	var words []string
	for _, s := range a.sheets {
		for _, w := range s.words {
			words = append(words, w.text)
		}
	}
	return strings.Join(words, " ")
}
