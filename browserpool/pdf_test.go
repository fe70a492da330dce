package browserpool

import (
	"bytes"
	"os/exec"
	"regexp"
	"strconv"
	"testing"
)

// tool runs one of poppler's tools on a PDF and returns what it prints.
func tool(t *testing.T, pdf []byte, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Stdin = bytes.NewReader(pdf)
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v (is it installed? run deploy/install-deps.sh)", name, err)
	}
	return string(out)
}

func textOf(t *testing.T, pdf []byte) string {
	t.Helper()
	return tool(t, pdf, "pdftotext", "-layout", "-", "-")
}

var (
	pagesLine = regexp.MustCompile(`Pages:\s+(\d+)`)
	sizeLine  = regexp.MustCompile(`Page size:\s+([0-9.]+) x ([0-9.]+)`)
	wordBox   = regexp.MustCompile(`xMax="([0-9.]+)"[^>]*>EDGE<`)
	pixelLine = regexp.MustCompile(`image +1 +1 `)
	dates     = regexp.MustCompile(`\(D:\d{14}[^)]*\)`)
)

// geometry returns the number of pages and the size of the first in points.
func geometry(t *testing.T, pdf []byte) (pages int, width, height float64) {
	t.Helper()
	info := tool(t, pdf, "pdfinfo", "-")
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

// undated is a PDF without the moment of its making.
func undated(pdf []byte) string { return string(dates.ReplaceAll(pdf, nil)) }

// pixels counts the pictures on paper that are one pixel large, as the site's are;
// what stands for a picture that did not come is larger.
func pixels(t *testing.T, pdf []byte) int {
	t.Helper()
	return len(pixelLine.FindAllString(tool(t, pdf, "pdfimages", "-list", "-"), -1))
}
