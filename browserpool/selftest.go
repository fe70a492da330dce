package browserpool

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
)

// selfTest is the document that a browser has to print to prove that it can, on
// paper of a size that is none of its defaults.
var selfTest = Print{HTML: "<!doctype html><title>t</title><p>ok</p>", Options: PDFOptions{Format: "A3"}}

// The paper of selfTest in points, and how far the browser may round.
const (
	selfTestWidth, selfTestHeight = 842, 1191
	selfTestRounding              = 1.5
)

var errSelfTest = errors.New("the browser does not render")

// prove has a browser print the document on a page of its own, so that no job waits
// for it. Only what a job would get counts as proof.
func (p *Pool) prove(ctx context.Context, in *instance) error {
	page, err := openPage(ctx, in.browser, p.gate)
	if err != nil {
		return fmt.Errorf("%w: %w", errSelfTest, err)
	}
	defer page.dispose()
	from, params, err := selfTest.resolve()
	if err != nil {
		return err
	}
	result, err := page.run(ctx, selfTest, from, params)
	if err != nil {
		return fmt.Errorf("%w: %w", errSelfTest, err)
	}
	return checkSelfTest(result)
}

var mediaBox = regexp.MustCompile(`/MediaBox \[0 0 ([0-9.]+) ([0-9.]+)\]`)

// checkSelfTest tells whether a result is the document: one page of its paper.
func checkSelfTest(r Result) error {
	box := mediaBox.FindSubmatch(r.PDF)
	if r.Pages != 1 || box == nil {
		return fmt.Errorf("%w: %d pages in %d bytes", errSelfTest, r.Pages, len(r.PDF))
	}
	width, _ := strconv.ParseFloat(string(box[1]), 64)
	height, _ := strconv.ParseFloat(string(box[2]), 64)
	if !near(width, selfTestWidth) || !near(height, selfTestHeight) {
		return fmt.Errorf("%w: paper of %s by %s", errSelfTest, box[1], box[2])
	}
	return nil
}

func near(got, want float64) bool { return got > want-selfTestRounding && got < want+selfTestRounding }
