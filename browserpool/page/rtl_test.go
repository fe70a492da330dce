package page

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	documents "platen.dev/document"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

var wordBox = regexp.MustCompile(`<word xMin="([-0-9.]+)" yMin="[-0-9.]+" xMax="([-0-9.]+)" yMax="[-0-9.]+">([^<]*)</word>`)

// Right-to-left documents are complete and right-aligned, at every scale and wherever they declare the direction.
func TestRightToLeft(t *testing.T) {
	t.Parallel()
	slot := openSlot(t)
	for root, right := range map[string]bool{
		`<html dir="rtl"><body style="margin:0">`:            true,
		`<body dir="RTL" style="margin:0">`:                  true,
		`<html dir="auto"><body style="margin:0">`:           true,
		`<html dir="ltr"><body dir="auto" style="margin:0">`: true,
		`<html dir="rtl"><body dir="ltr" style="margin:0">`:  false,
	} {
		for _, scale := range []float64{0, 0.8, 1, 1.5} {
			t.Run(fmt.Sprintf("%s at %v", root, scale), func(t *testing.T) { checkDirection(t, slot, root, scale, right) })
		}
	}
}

func checkDirection(t *testing.T, slot *slot, root string, scale float64, right bool) {
	t.Helper()
	const paper, margin, slack = 595.0, 72.0, 3.0 // points
	source := root + `<h1>אבגד</h1><p>SHORT<p>` + strings.Repeat("שלום WORD ", 60) + `<p dir="ltr">LEFT`
	pdf := mustPrint(t, slot, Print{HTML: documents.Sanitize(source).HTML(), Options: contract.Paper{
		Scale:        scale,
		MarginTop:    "1in",
		MarginRight:  "1in",
		MarginBottom: "1in",
		MarginLeft:   "1in",
	}}).PDF
	count, from, to := map[string]int{}, map[string]float64{}, map[string]float64{}
	for _, box := range wordBox.FindAllStringSubmatch(testkit.Tool(t, pdf, "pdftotext", "-bbox", "-", "-"), -1) {
		word := box[3]
		from[word], to[word] = number(t, box[1]), number(t, box[2])
		count[word]++
		if from[word] < margin-slack || to[word] > paper-margin+slack {
			t.Errorf("%s is from %.0f to %.0f pt, beyond the margins", word, from[word], to[word])
		}
	}
	if count["WORD"] != 60 || count["SHORT"] != 1 {
		t.Errorf("words are missing: %v", count)
	}
	if atRight, atLeft := to["SHORT"] > paper-margin-slack, from["SHORT"] < margin+slack; atRight != right || atLeft == right {
		t.Errorf("a short line is from %.0f to %.0f pt", from["SHORT"], to["SHORT"])
	}
	if from["LEFT"] > margin+slack {
		t.Errorf("what is written from left to right begins at %.0f pt", from["LEFT"])
	}
}

// Documents whose lines are vertical continue on further pages at their side: they are not too wide.
func TestVerticalLines(t *testing.T) {
	t.Parallel()
	slot := openSlot(t)
	paragraphs := strings.Repeat(`<p style="font: 16px/20px monospace; margin: 0">`+strings.Repeat("WORD ", 20)+`LAST</p>`, 150)
	for root, pages := range map[string]int{
		`<html style="writing-mode: vertical-rl"><body style="margin: 0">`: 10,
		`<body style="writing-mode: vertical-lr; margin: 0">`:              10,
		`<body style="writing-mode: sideways-rl; margin: 0">`:              10,
	} {
		html := "<!doctype html>" + root + paragraphs
		result := mustPrint(t, slot, Print{HTML: html, Options: contract.Paper{MarginTop: "1in", MarginRight: "1in", MarginBottom: "1in", MarginLeft: "1in"}})
		text := testkit.PDFText(t, result.PDF)
		if result.Pages != pages || strings.Count(text, "LAST") != 150 || len(result.Warnings) > 0 {
			t.Errorf("%s: %d pages with %d last words, and %v; want %d, 150 and no warnings", root, result.Pages, strings.Count(text, "LAST"), result.Warnings, pages)
		}
	}
}
