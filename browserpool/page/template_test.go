package page

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"platen.dev/browserpool/pagetest"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

var aWord = regexp.MustCompile(`xMin="([0-9.]+)" yMin="([0-9.]+)" xMax="([0-9.]+)" yMax="([0-9.]+)">([^<]*)<`)

// box is the place of a word on its page, in points from the top left.
type box struct{ left, top, right, bottom float64 }

// boxes returns the places of a word, page by page.
func boxes(t *testing.T, pdf []byte, word string) []box {
	t.Helper()
	var all []box
	for _, found := range aWord.FindAllStringSubmatch(testkit.Tool(t, pdf, "pdftotext", "-bbox", "-", "-"), -1) {
		if found[5] == word {
			all = append(all, box{number(t, found[1]), number(t, found[2]), number(t, found[3]), number(t, found[4])})
		}
	}
	return all
}

const (
	filledHeader = `HEAD <span class="title"></span> <span class="date"></span>`
	filledFooter = `FOOT <span class="pageNumber"></span>/<span class="totalPages"></span> <span class="url"></span>`
	twoPages     = `<!doctype html><title>Tïtle</title><p style="break-after: page">first</p><p>second</p>`
)

// Templates are filled in on every page, and are visible at the default margins.
func TestHeaderAndFooter(t *testing.T) {
	slot := openSlot(t)
	web := pagetest.NewWeb(t, pagetest.Pages{"/path": twoPages})
	shown := contract.Paper{HeaderFooter: true, Header: filledHeader, Footer: filledFooter}

	for name, job := range map[string]Print{
		"html": {HTML: twoPages, Options: shown},
		"url":  {URL: web.URL + "/path", Options: shown},
	} {
		result := mustPrint(t, slot, job)
		text := testkit.PDFText(t, result.PDF)
		now := time.Now()
		date := fmt.Sprintf("%d/%d/%02d", now.Month(), now.Day(), now.Year()%100)
		testkit.Contains(t, text, "HEAD Tïtle "+date, "FOOT 1/2", "FOOT 2/2")
		if name == "url" {
			testkit.Contains(t, text, web.URL+"/path")
		}
		const cm, height, width = 72 / 2.54, 842.0, 595.0
		for word, zone := range map[string]box{
			"HEAD": {left: cm - 1, top: 2, right: width - cm, bottom: cm},
			"FOOT": {left: cm - 1, top: height - cm, right: width - cm, bottom: height - 2},
		} {
			places := boxes(t, result.PDF, word)
			if len(places) != 2 {
				t.Errorf("%s: %s stands in %d places, want one on each page", name, word, len(places))
			}
			for _, at := range places {
				if at.left < zone.left || at.top < zone.top || at.right > zone.right || at.bottom > zone.bottom {
					t.Errorf("%s: %s is at %v, want it within %v", name, word, at, zone)
				}
				if high := at.bottom - at.top; high < 6 {
					t.Errorf("%s: %s is %v pt high, too small to read", name, word, high)
				}
			}
		}
	}
}

func TestHeaderAndFooterAlone(t *testing.T) {
	slot := openSlot(t)
	none := testkit.PDFText(t, mustPrint(t, slot, Print{HTML: twoPages}).PDF)
	for _, c := range []struct {
		options contract.Paper
		want    string
	}{
		{contract.Paper{Header: filledHeader, Footer: filledFooter}, ""},
		{contract.Paper{HeaderFooter: true}, ""},
		{contract.Paper{HeaderFooter: true, Header: "HEAD"}, "HEAD"},
		{contract.Paper{HeaderFooter: true, Footer: "FOOT"}, "FOOT"},
		{contract.Paper{HeaderFooter: true, Footer: `100%s FOOT`}, "100%s FOOT"},
	} {
		text := testkit.PDFText(t, mustPrint(t, slot, Print{HTML: twoPages, Options: c.options}).PDF)
		if c.want == "" && strings.Join(strings.Fields(text), " ") != strings.Join(strings.Fields(none), " ") {
			t.Errorf("%+v: text %q", c.options, text)
		}
		testkit.Contains(t, text, c.want)
	}
}

// Margins move a template's text, and styles enlarge it.
func TestHeaderFollowsMargins(t *testing.T) {
	slot := openSlot(t)
	options := contract.Paper{
		HeaderFooter: true,
		MarginLeft:   "2in",
		MarginRight:  "1in",
		MarginTop:    "2cm",
		Header:       `<span style="font-size: 20px">HEAD</span>`,
		Footer:       `<div style="text-align: right">FOOT</div>`,
	}
	pdf := mustPrint(t, slot, Print{HTML: twoPages, Options: options}).PDF
	head, foot := boxes(t, pdf, "HEAD"), boxes(t, pdf, "FOOT")
	if len(head) != 2 || len(foot) != 2 {
		t.Fatalf("HEAD at %v, FOOT at %v", head, foot)
	}
	if at := head[0].left; at < 143 || at > 146 {
		t.Errorf("the header begins at %v pt, want the left margin of 144", at)
	}
	if at := foot[0].right; at < 521 || at > 525 {
		t.Errorf("the footer ends at %v pt, want the right margin at 523", at)
	}
	if big, small := head[0].bottom-head[0].top, foot[0].bottom-foot[0].top; big < 1.7*small {
		t.Errorf("20 px is %v pt high, 10 px is %v", big, small)
	}
}

// A template of the largest width, with its own padding, stays within the margins.
func TestPaddedTemplate(t *testing.T) {
	slot := openSlot(t)
	const padded = `<div style="width: 100%; padding: 0 20px; text-align: right">FULL</div>`
	pdf := mustPrint(t, slot, Print{HTML: "<!doctype html><p>x", Options: contract.Paper{HeaderFooter: true, Header: padded, Footer: padded}}).PDF
	found := boxes(t, pdf, "FULL")
	if len(found) != 2 {
		t.Fatalf("FULL at %v", found)
	}
	const width, margin, padding = 595.28, 72 / 2.54, 15.0
	for _, at := range found {
		if want := width - margin - padding; at.right < want-1 || at.right > want+1 {
			t.Errorf("the template ends at %v pt, want %v", at.right, want)
		}
	}
}
