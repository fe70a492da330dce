package page

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"image"
	_ "image/jpeg"
	_ "image/png"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"platen.dev/browserpool/pagetest"
	"platen.dev/events/testkit"
)

// mustPrint prints in a slot.
func mustPrint(t *testing.T, slot *slot, job Print) Result {
	t.Helper()
	result, err := slot.Print(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// printed is the text of what a job prints.
func printed(t *testing.T, slot *slot, job Print) string {
	t.Helper()
	return testkit.PDFText(t, mustPrint(t, slot, job).PDF)
}

// paper returns a page of a PDF as a picture with a pixel for each point.
func paper(t *testing.T, pdf []byte, page int) image.Image {
	t.Helper()
	return pagetest.DecodePPM(t, []byte(testkit.Tool(t, pdf, "pdftoppm", "-singlefile", "-f", strconv.Itoa(page), "-r", "72", "-")))
}

// mustCapture captures in a slot and decodes the image, whose size and format must match the result and the job.
func mustCapture(t *testing.T, slot *slot, job Capture) (image.Image, Image) {
	t.Helper()
	result, err := slot.Capture(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	picture, format, err := image.Decode(bytes.NewReader(result.Data))
	if err != nil {
		t.Fatal(err)
	}
	if want := cmp.Or(job.Options.Format, "png"); format != want {
		t.Errorf("the image is a %s, want %s", format, want)
	}
	if b := picture.Bounds(); b.Dx() != result.Width || b.Dy() != result.Height {
		t.Errorf("the image is %v, the result says %d x %d", b, result.Width, result.Height)
	}
	keep(t, result.Data, format)
	return picture, result
}

// keep writes an image to where PLATEN_KEEP says, for a person to look at.
func keep(t *testing.T, data []byte, extension string) {
	t.Helper()
	dir := os.Getenv("PLATEN_KEEP")
	if dir == "" {
		return
	}
	name := strings.NewReplacer("/", "-", " ", "_").Replace(t.Name())
	if err := errors.Join(os.MkdirAll(dir, 0o700), os.WriteFile(dir+"/"+name+"."+extension, data, 0o600)); err != nil {
		t.Error(err)
	}
}

var (
	pagesLine = regexp.MustCompile(`Pages:\s+(\d+)`)
	sizeLine  = regexp.MustCompile(`Page size:\s+([0-9.]+) x ([0-9.]+)`)
	edgeBox   = regexp.MustCompile(`xMax="([0-9.]+)"[^>]*>EDGE<`)
	pixelLine = regexp.MustCompile(`image +1 +1 `)
	dates     = regexp.MustCompile(`\(D:\d{14}[^)]*\)`)
)

// geometry returns the number of pages and the size of the first in points.
func geometry(t *testing.T, pdf []byte) (pages int, width, height float64) {
	t.Helper()
	info := testkit.Tool(t, pdf, "pdfinfo", "-")
	size := sizeLine.FindStringSubmatch(info)
	count := pagesLine.FindStringSubmatch(info)
	if size == nil || count == nil {
		t.Fatalf("pdfinfo says %s", info)
	}
	pages, _ = strconv.Atoi(count[1])
	return pages, number(t, size[1]), number(t, size[2])
}

func number(t *testing.T, text string) float64 {
	t.Helper()
	value, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// undated returns a PDF without its creation time.
func undated(pdf []byte) string { return string(dates.ReplaceAll(pdf, nil)) }

// edge returns where the word EDGE ends on the page, in points from the left.
func edge(t *testing.T, pdf []byte) float64 {
	t.Helper()
	found := edgeBox.FindStringSubmatch(testkit.Tool(t, pdf, "pdftotext", "-bbox", "-", "-"))
	if found == nil {
		t.Fatal("the word EDGE is not on the page")
	}
	return number(t, found[1])
}

// pixels counts the one-pixel pictures on paper, such as pagetest.Pixel; the placeholder of a missing picture is larger.
func pixels(t *testing.T, pdf []byte) int {
	t.Helper()
	return len(pixelLine.FindAllString(testkit.Tool(t, pdf, "pdfimages", "-list", "-"), -1))
}

// hasInk reports whether a picture has something dark between two heights.
func hasInk(picture image.Image, from, to int) bool {
	for y := from; y < to; y++ {
		for x := picture.Bounds().Min.X; x < picture.Bounds().Max.X; x++ {
			if r, _, _, _ := picture.At(x, y).RGBA(); r < 0x8000 {
				return true
			}
		}
	}
	return false
}

// pageSizes returns the sizes of a PDF's pages in whole points.
func pageSizes(t *testing.T, pdf []byte) (all []string) {
	t.Helper()
	for _, size := range regexp.MustCompile(`(?m)^Page +\d+ size: +([\d.]+) x ([\d.]+) pts`).FindAllStringSubmatch(testkit.Tool(t, pdf, "pdfinfo", "-l", "-1", "-"), -1) {
		all = append(all, fmt.Sprintf("%.0f x %.0f", number(t, size[1]), number(t, size[2])))
	}
	return all
}
