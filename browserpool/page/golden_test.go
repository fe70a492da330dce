package page

import (
	"bytes"
	"flag"
	"image"
	"image/color"
	"image/draw"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"platen.dev/browserpool/pagetest"
	documents "platen.dev/document"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

var update = flag.Bool("update", false, "write the golden pictures again; look at every one that changed")

// goldenDir contains the documents and, beside each, the picture that it must look like.
const goldenDir = "../../testdata/golden"

// golden is a document and its expected print. HTML and Markdown pass the sanitiser, as in a request; a visit opens the
// same file at its URL, where style sheets apply and scripts run.
type golden struct {
	name    string // of the picture
	source  string // a file
	visit   bool
	options contract.Paper
	load    contract.Load
	pages   int
	text    []string // words in the PDF, some of them drawn by script
}

var goldens = []golden{
	{
		name: "invoice", source: "invoice.html", pages: 3,
		text: []string{"INVOICE 2026-1107", "To be paid", "Quantity"},
	},
	{
		name: "letter", source: "letter.html", pages: 2,
		options: contract.Paper{
			MarginTop:    "3cm",
			MarginBottom: "2.5cm",
			MarginLeft:   "2.5cm",
			MarginRight:  "2.5cm",
			HeaderFooter: true,
			Header:       `<div style="display: flex; justify-content: space-between; border-bottom: 1px solid #6b4f8a; padding-bottom: 4px"><b>Office for Nocturnal Affairs</b><span class="title"></span></div>`,
			Footer:       `<div style="text-align: center">page <span class="pageNumber"></span> of <span class="totalPages"></span><script>alert(1)</script></div>`,
		},
		text: []string{"page 1 of 2", "page 2 of 2", "About the owls in your belfry", "Humphrey"},
	},
	{
		name: "report", source: "report.html", visit: true, pages: 1, options: contract.Paper{Landscape: true},
		text: []string{"The state of the kites", "meeting of the 4th of May"},
	},
	{name: "charts", source: "charts.html", visit: true, pages: 1, text: []string{"Four charts", "5.2"}},
	{
		name: "animated", source: "animated.html", visit: true, pages: 1, load: contract.Load{WaitFor: `[data-state="drawn"]`},
		text: []string{"All 50 columns are in"},
	},
	{name: "shapes", source: "shapes.html", visit: true, pages: 1, text: []string{"clip and pattern"}},
	{name: "board", source: "board.html", pages: 1, text: []string{"Craignure", "Staffa, weather permitting"}},
	{name: "rtl", source: "rtl.html", pages: 1, text: []string{"platen.dev"}},
	{name: "cjk", source: "cjk.html", pages: 1, text: []string{"茶馆菜单", "茶館菜單", "찻집"}},
	{name: "scripts", source: "scripts.html", pages: 1, text: []string{"Zażółć gęślą", "Καλημέρα", "Съешь"}},
	{name: "images", source: "images.html", pages: 1, text: []string{"half transparent"}},
	{name: "webfont", source: "webfont.html", visit: true, pages: 1, text: []string{"PRINTED"}},
	{name: "handbook", source: "handbook.md", pages: 1, text: []string{"Muckle Flugga", "ErrTooLate", "<b>this</b>"}},
	{name: "paper", source: "paper.html", visit: true, pages: 4, text: []string{"as it is printed", "CURTAIN", "(https://platen.dev/play)"}},
	{name: "paper-plain", source: "paper.html", visit: true, pages: 4, options: contract.Paper{OmitBackground: true}},
	{name: "ledger", source: "ledger.html", pages: 8, text: []string{"001", "150", "300"}},
	{name: "effects", source: "effects.html", visit: true, pages: 1, text: []string{"leaning", "multiply"}},
}

// TestGolden prints documents of every kind and compares them with pictures that a person has checked.
func TestGolden(t *testing.T) {
	site := newGoldenSite(t)
	for _, g := range goldens {
		t.Run(g.name, func(t *testing.T) {
			t.Parallel()
			pdf := g.print(t, openSlot(t), site)
			if pages, _, _ := geometry(t, pdf); pages != g.pages {
				t.Errorf("%d pages, want %d", pages, g.pages)
			}
			testkit.Contains(t, testkit.PDFText(t, pdf), g.text...)
			looksLike(t, pagetest.PictureOf(t, pdf, 1), g.name)
		})
	}
	for name, job := range map[string]Capture{
		"landing":       {URL: site.URL + "/landing.html", Options: contract.Image{FullPage: true, Width: 800, Height: 600}},
		"landing-quick": {URL: site.URL + "/landing.html", Options: contract.Image{Format: "jpeg", Quality: 60, Width: 640, Height: 480}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			picture, _ := mustCapture(t, openSlot(t), job)
			looksLike(t, pagetest.Opaque(picture), name)
		})
	}
}

// newGoldenSite serves the documents.
func newGoldenSite(t *testing.T) *httptest.Server {
	t.Helper()
	site := httptest.NewServer(http.FileServer(http.Dir(goldenDir)))
	t.Cleanup(site.Close)
	return site
}

// goldenNamed returns the document with this name.
func goldenNamed(t *testing.T, name string) golden {
	t.Helper()
	for _, g := range goldens {
		if g.name == name {
			return g
		}
	}
	t.Fatalf("no golden document %s", name)
	return golden{}
}

// print prints the document as the product does.
func (g golden) print(t *testing.T, slot *slot, site *httptest.Server) []byte {
	t.Helper()
	job := Print{Options: g.options, Load: g.load}
	job.Options.Header = documents.SanitizeTemplate(g.options.Header)
	job.Options.Footer = documents.SanitizeTemplate(g.options.Footer)
	if g.visit {
		job.URL = site.URL + "/" + g.source
	} else {
		job.HTML = g.html(t)
	}
	return mustPrint(t, slot, job).PDF
}

func (g golden) html(t *testing.T) string {
	t.Helper()
	source, err := os.ReadFile(filepath.Join(goldenDir, g.source))
	if err != nil {
		t.Fatal(err)
	}
	if filepath.Ext(g.source) == ".html" {
		return documents.Sanitize(string(source)).HTML()
	}
	html, err := documents.Markdown(string(source))
	if err != nil {
		t.Fatal(err)
	}
	return html
}

// looksLike compares a picture with the golden one.
func looksLike(t *testing.T, got *image.RGBA, name string) {
	t.Helper()
	pagetest.LooksLike(t, got, filepath.Join(goldenDir, name+".png"), *update)
}

// chartsAt lists the places of the four charts on their golden picture.
var chartsAt = []image.Rectangle{
	image.Rect(26, 46, 214, 156), image.Rect(234, 46, 420, 156), image.Rect(26, 186, 214, 296), image.Rect(234, 186, 420, 296),
}

// The comparison notices when any line of text, cell of a table or chart is lost or moved.
func TestGoldenBites(t *testing.T) {
	testkit.Long(t)
	slot := openSlot(t)
	site := newGoldenSite(t)
	const fiveMillimetres = 5 * pagetest.DPI * 10 / 254
	for _, name := range []string{"letter", "invoice", "report", "board", "scripts", "rtl", "ledger"} {
		pdf := goldenNamed(t, name).print(t, slot, site)
		picture := pagetest.PictureOf(t, pdf, 1)
		for _, line := range pagetest.LinesOf(t, pdf) {
			for change, to := range map[string]image.Point{"lost": {X: math.MaxInt16}, "lowered": {Y: fiveMillimetres}, "indented": {X: fiveMillimetres}} {
				if near := around(picture, line); len(pagetest.Unlike(moved(near, line, to), near)) == 0 {
					t.Errorf("%s: the line at %v can be %s unnoticed", name, line, change)
				}
			}
		}
	}
	charts := pagetest.ReadPicture(t, filepath.Join(goldenDir, "charts.png"))
	for _, chart := range chartsAt {
		if len(pagetest.Unlike(moved(charts, chart, image.Point{X: math.MaxInt16}), charts)) < 20 {
			t.Errorf("the chart at %v can be lost unnoticed", chart)
		}
	}
}

// around returns the part of a picture that a line and its move can affect, in whole blocks.
func around(picture *image.RGBA, line image.Rectangle) *image.RGBA {
	const margin = 3 * pagetest.Block
	r := image.Rect((line.Min.X-margin)/pagetest.Block*pagetest.Block, (line.Min.Y-margin)/pagetest.Block*pagetest.Block, line.Max.X+margin, line.Max.Y+margin)
	return picture.SubImage(r.Intersect(picture.Bounds())).(*image.RGBA)
}

// moved returns a picture with a part of it moved; its former place is blank.
func moved(picture *image.RGBA, part image.Rectangle, by image.Point) *image.RGBA {
	out := image.NewRGBA(picture.Bounds())
	draw.Draw(out, out.Bounds(), picture, image.Point{}, draw.Src)
	draw.Draw(out, part, image.NewUniform(commonest(picture, part)), image.Point{}, draw.Src)
	draw.Draw(out, part.Add(by), picture, part.Min, draw.Src)
	return out
}

// commonest returns the most frequent colour of a part: for text, that of the paper.
func commonest(picture *image.RGBA, part image.Rectangle) (most color.RGBA) {
	part = part.Intersect(picture.Bounds())
	counts := map[color.RGBA]int{}
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			c := picture.RGBAAt(x, y)
			if counts[c]++; counts[c] > counts[most] {
				most = c
			}
		}
	}
	return most
}

// The comparison tolerates the differences that another version of a rasteriser makes to edges and letters. Here text
// is drawn at three times the size and reduced, which changes every edge and removes all hinting; and everything moves
// by a pixel.
func TestGoldenTolerates(t *testing.T) {
	testkit.Long(t)
	slot := openSlot(t)
	site := newGoldenSite(t)
	for _, name := range []string{"letter", "invoice", "rtl", "handbook", "scripts"} {
		pdf := goldenNamed(t, name).print(t, slot, site)
		picture := pagetest.PictureOf(t, pdf, 1)
		if blocks := pagetest.Unlike(pagetest.Reduced(pagetest.PictureOf(t, pdf, 3), picture.Bounds()), picture); len(blocks) > 0 {
			t.Errorf("%s: %d blocks differ when drawn at three times the size, the first at %v", name, len(blocks), blocks[0].Min)
		}
		if blocks := pagetest.Unlike(moved(picture, picture.Bounds(), image.Pt(pagetest.Slack, -pagetest.Slack)), picture); len(blocks) > 0 {
			t.Errorf("%s: %d blocks differ when everything moves by a pixel", name, len(blocks))
		}
	}
}

// A JPEG of a lower quality is a smaller file.
func TestGoldenQuality(t *testing.T) {
	slot := openSlot(t)
	site := newGoldenSite(t)
	size := func(quality int) int {
		image, err := slot.Capture(t.Context(), Capture{URL: site.URL + "/landing.html", Options: contract.Image{Format: "jpeg", Quality: int64(quality)}})
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.HasPrefix(image.Data, []byte{0xff, 0xd8}) {
			t.Errorf("quality %d: not a jpeg", quality)
		}
		return len(image.Data)
	}
	if poor, good := size(20), size(95); poor*2 > good {
		t.Errorf("quality 20 takes %d bytes, 95 takes %d", poor, good)
	}
}
