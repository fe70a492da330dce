package browserpool

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"

	"platen.dev/browserpool/chromium"
	"platen.dev/browserpool/page"
	"platen.dev/events/contract"
)

// selfTestJob is the document that a browser has to print to prove that it renders, on
// paper of a size that is not a default.
var selfTestJob = page.Print{HTML: "<!doctype html><title>t</title><p>ok</p>", Options: contract.Paper{Format: "A3"}}

// The paper of selfTestJob in points, and the tolerance for the browser's rounding.
const (
	selfTestWidth, selfTestHeight = 842, 1191
	selfTestRounding              = 1.5
)

var errSelfTest = errors.New("the browser does not render")

// selfTest has a browser print selfTestJob on pages of its own, so that no job waits for it.
func (p *Pool) selfTest(ctx context.Context, browser *chromium.Browser) error {
	pages, err := page.Open(ctx, browser, p.gate)
	if err != nil {
		return fmt.Errorf("%w: %w", errSelfTest, err)
	}
	defer pages.Dispose()
	result, err := pages.Print(ctx, selfTestJob)
	if err != nil {
		return fmt.Errorf("%w: %w", errSelfTest, err)
	}
	return checkSelfTest(result)
}

var mediaBox = regexp.MustCompile(`/MediaBox \[0 0 ([0-9.]+) ([0-9.]+)\]`)

// checkSelfTest accepts only the result that a job would expect: one page of the right paper.
func checkSelfTest(r page.Result) error {
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
