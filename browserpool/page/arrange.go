package page

import (
	"cmp"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"platen.dev/events/contract"
)

// This file makes a document fit the requested paper.

var (
	// seeing returns how much of the document can be seen beyond the viewport.
	//go:embed script/seeing.js
	seeing string
	// arranging changes the document for printing.
	//go:embed script/arranging.js
	arranging string
	// undimming shows dialogs once, and what is behind them as ever.
	//go:embed script/undimming.js
	undimming string
	// unfixing shows bars once and over no text, which the browser would print on every page.
	//go:embed script/unfixing.js
	unfixing string
	// leaving leaves out what is fixed outside the window.
	//go:embed script/leaving.js
	leaving string
	// boxing measures an element.
	//go:embed script/boxing.js
	boxing string
	// unrolling shows in an image what depends on the window.
	//go:embed script/unrolling.js
	unrolling string
	// framing makes frames as high as what they show.
	//go:embed script/framing.js
	framing string
	// recolouring keeps text below filters of colours from being printed as pictures.
	//go:embed script/recolouring.js
	recolouring string
	// redrawing keeps filtered text and blurred shadows from being printed as pictures.
	//go:embed script/redrawing.js
	redrawing string
	// wrapping breaks lines of code and long words that reach beyond the window.
	//go:embed script/wrapping.js
	wrapping string
	// enclosing puts tables that would be cut into boxes that scroll.
	//go:embed script/enclosing.js
	enclosing string
	// filling shows all that text fields hold.
	//go:embed script/filling.js
	filling string
	// unscrolling shows the code and tables that scrolling hides.
	//go:embed script/unscrolling.js
	unscrolling string
	// omitting leaves out elements that are placed beside the visible part of a box.
	//go:embed script/omitting.js
	omitting string
	// splitting prints what is still hidden in strips, or says how much it is.
	//go:embed script/splitting.js
	splitting string
	// revealing makes boxes that scroll as high as their content.
	//go:embed script/revealing.js
	revealing string
	// unshifting has margins move what is shifted relative to its place.
	//go:embed script/unshifting.js
	unshifting string
	// blanking hides embedded documents that need a plugin, and returns their addresses.
	//go:embed script/blanking.js
	blanking string
)

// arrangement is the argument of arranging.
type arrangement struct {
	// Given are declarations of page rules that override the document's own.
	Given map[string]string `json:"given"`
	// Right is the right margin where no page rule of the document sets a margin; "" for none.
	Right string `json:"right"`
	// Width is the width at which wider content is cut; 0 cuts nothing.
	Width int `json:"width"`
	// Layout is the width for which the browser itself will lay the document out; 0 if that is the present one.
	Layout int `json:"layout"`
	// Root is the width that the root keeps; 0 leaves it.
	Root int `json:"root"`
	// Scaled means that the document is not printed at scale 1.
	Scaled bool `json:"scaled"`
	// Page is the height of a page; what is higher breaks. It is 0 if everything does so anyway. A visit may become higher while it is arranged.
	Page int `json:"page"`
}

// isEmpty reports whether nothing has to be changed.
func (a arrangement) isEmpty() bool {
	return len(a.Given) == 0 && a.Right == "" && a.Width == 0 && !a.Scaled && a.Page == 0
}

// wholeMargin is a right margin, as a CSS length, that leaves whole pixels of the document
// between the margins; it is less than a pixel wider than the one that is asked for. The browser
// lays a document out in whole pixels, and cuts off what is beyond the margin: a border at the
// right edge would be lost.
func (p *printParams) wholeMargin() string {
	const unit = 1. / 64 // of the browser's layout
	scale, printable := cmp.Or(p.Scale, 1), p.printableWidth()
	whole := math.Floor(printable/scale+unit) * scale
	return fmt.Sprintf("%.4fpx", marginPoints(p.MarginRight)*pixelsPerPoint+printable-whole+scale*2*unit)
}

// pageRules returns the caller's options as declarations of page rules.
func (p *printParams) pageRules(o contract.Paper) map[string]string {
	rules := map[string]string{}
	if o.SinglePage || !o.PreferCSS && o.GivesSize() {
		width, height := p.points()
		rules["size"] = fmt.Sprintf("%.0fpt %.0fpt", width, height)
	}
	if o.PreferCSS {
		return rules
	}
	for side, m := range map[string]struct {
		given  string
		inches float64
	}{
		"margin-top": {o.MarginTop, p.MarginTop}, "margin-right": {o.MarginRight, p.MarginRight},
		"margin-bottom": {o.MarginBottom, p.MarginBottom}, "margin-left": {o.MarginLeft, p.MarginLeft},
	} {
		if m.given != "" {
			rules[side] = fmt.Sprintf("%.0fpt", marginPoints(m.inches))
		}
	}
	if o.MarginRight != "" {
		rules["margin-right"] = p.wholeMargin()
	}
	return rules
}

// headingRule keeps headings with what follows them in the same element, as other converters do and browsers do not. It is in a layer, so that any rule of
// the document is stronger. Elements that end with a heading may be pages, and keep it.
const headingRule = "@layer { :is(h1, h2, h3, h4, h5, h6):not(:last-child) { break-after: avoid } }"

// withRules adds to HTML the rule of headings and, as it has no page rules of its own, the whole margin.
func (p *printParams) withRules(html string) string {
	at := 0
	for _, before := range []string{"<head>", "<!doctype html>"} {
		if i := strings.Index(html, before); i >= 0 {
			at = i + len(before)
			break
		}
	}
	return html[:at] + "<style>@page { margin-right: " + p.wholeMargin() + " } " + headingRule + "</style>" + html[at:]
}

// inFrames runs a script in the frames of the document's origin, the inner ones first.
func inFrames(script string) string {
	return `(document, argument, all) => {
	let Framed = 0
	const framesIn = ({ body }) => body ? all.within(body).filter(e => e.localName == "iframe" && e.contentDocument && e.clientWidth > 50 && all.isShown(e)).slice(0, 20) : []
	const open = ({ contentDocument: shown }) => {
		framesIn(shown).forEach(open)
		Framed = Math.max(Framed, (` + script + `)(shown, { ...argument, layout: 0 }, all).Beside ?? 0)
	}
	framesIn(document).forEach(open)
	return { Framed }
}`
}

// rooting fixes the root's width.
const rooting = `(document, { root }, { set }) => { if (document.body) set(document.documentElement, { width: root + "px" }) }`

// keepingHeadings gives the document headingRule.
const keepingHeadings = `(document, _, { adopt }) => { adopt("` + headingRule + `") }`

// unsplitting takes back what splitting and omitting have done.
const unsplitting = `(document, _, { undoing }) => undoing.splice(0).reverse().forEach(undo => undo())`

// reveal makes boxes of a visit that scroll as high as their content, has margins move what is shifted, keeps headings, and warns of content that stays
// hidden, or that the browser cannot show.
func (p press) reveal(ctx context.Context) error {
	var found struct {
		Boxes   struct{ Grown, Hidden int }
		Blanked []string
	}
	revealed := "(...all) => ({ Boxes: (" + optional(revealing) + ")(...all), Blanked: (" + optional(blanking) + ")(...all) })"
	_, err := p.run(ctx, inTurn(revealed, optional(unshifting), optional(keepingHeadings)), nil, &found)
	if found.Boxes.Grown == 0 {
		found.Boxes.Hidden = max(found.Boxes.Hidden, p.found.hidden)
	}
	p.warnOfHidden(found.Boxes.Hidden)
	p.progress.noteUnshown(found.Blanked)
	return err
}

// arrange changes the loaded document, of some height, for printing with params and f.
func (p press) arrange(ctx context.Context, params printParams, f fitting, height int) error {
	a := arrangement{Given: map[string]string{}}
	if p.kind == forVisit { // other documents have no page rules, and no root from right to left
		a = arrangement{Given: params.pageRules(p.job.Options), Right: params.wholeMargin(), Scaled: f.scale != 1}
	}
	a.Root = f.root
	if f.layout > p.viewport.Width && !f.hold && f.root == 0 {
		a.Layout = f.layout
	}
	params.Scale = f.scale
	if page := params.printableHeight(); !params.SinglePage && (p.mayHave(textField) || height > page && p.mayHave("inline-", "break-inside", "overflow", "flex", "grid")) {
		a.Page = page
	}
	if f.hold {
		a.Width = f.layout
		if err := p.setView(ctx, p.media, Size{Width: f.layout, Height: min(f.layout, params.printableHeight())}, p.scale); err != nil {
			return err
		}
	}
	scripts := p.arrangingScripts(a)
	if len(scripts) == 0 {
		return nil
	}
	if p.kind == forVisit {
		visit{p.page}.noteForeign(ctx)
	}
	var hidden struct{ Below, Beside, Framed int }
	if _, err := p.run(ctx, merged(scripts...), a, &hidden); err != nil {
		return err
	}
	if hidden.Below > 0 && p.found.hidden == 0 {
		p.warnOfHidden(hidden.Below)
	}
	if beside := max(hidden.Beside, hidden.Framed); beside > 0 {
		p.warnOfCut(fmt.Sprintf("A box scrolls sideways; %d pixels of its content are not shown.", beside))
	}
	return nil
}

// arrangingScripts returns the scripts whose results say how much is hidden.
func (p press) arrangingScripts(a arrangement) (all []string) {
	visited := p.kind == forVisit
	scrolls := visited || p.found.enclosed
	if scrolls {
		all = append(all, optional(unsplitting))
	}
	opening := merged(optional(unscrolling), optional(splitting), optional(omitting))
	if visited {
		all = append(all, optional(leaving), optional(inFrames(merged(optional(enclosing), opening))), optional(framing))
	}
	if a.Root != 0 {
		all = append(all, optional(rooting))
	}
	if p.mayHave(textField, "<select") {
		all = append(all, optional(filling))
	}
	if scrolls {
		all = append(all, widened(opening))
	}
	if !a.isEmpty() {
		all = append(all, optional(arranging)) // a form's fields can hide what is its own, such as its children
	}
	if p.job.URL != "" { // full documents are made for paper
		all = append(all, optional(undimming), optional(unfixing))
	}
	if p.mayHave("box-shadow", "filter") {
		all = append(all, optional(redrawing), optional(recolouring))
	}
	return all
}

// textField begins a text field in HTML.
const textField = "<textarea"

// mayHave reports whether the document may have one of the words, such as properties. Our own style sheets are not asked: to run script in a document that has none
// takes a few milliseconds.
func (p press) mayHave(words ...string) bool {
	content := afterSheets(p.job.HTML)
	return p.kind == forVisit || slices.ContainsFunc(words, func(word string) bool { return mentions(content, word) })
}

// afterSheets returns HTML from the end of its last style sheet on: in HTML that is not full, these are ours.
func afterSheets(html string) string { return html[max(0, strings.LastIndex(html, "</style>")):] }

// see measures the visible extent of a document that is wider than the viewport.
func (p press) see(ctx context.Context, content int) (extent, error) {
	e := extent{content: content, visible: content}
	if content <= p.viewport.Width+1 {
		return e, nil
	}
	seen, err := p.reach(ctx, seeing, 0)
	if err != nil || seen == nil {
		return e, err
	}
	if seen.Vertical {
		return extent{content: p.viewport.Width, visible: p.viewport.Width}, nil
	}
	e.rtl, e.both, e.visible = seen.RTL, seen.Before > 0, min(content, seen.from(p.viewport.Width))+int(math.Ceil(seen.Before))
	if !e.both {
		return e, nil
	}
	return p.seeCentred(ctx, e, *seen)
}

// seeCentred widens an extent until a layout has room for the centred content that was seen in a narrower one.
func (p press) seeCentred(ctx context.Context, e extent, was reached) (extent, error) {
	for range maxWidenings {
		seen, err := p.reach(ctx, widened(seeing), e.visible)
		if err != nil || seen == nil {
			return e, err
		}
		if seen.Before > was.Before-1 { // it is not centred, but placed
			e.both, e.visible = false, min(e.content, was.from(p.viewport.Width))
			return e, nil
		}
		needed := max(e.visible, seen.from(p.viewport.Width)) + 2*int(math.Ceil(seen.Before)) // half of that is added at the edge
		if needed <= e.visible+1 || needed > widestLayout*p.viewport.Width {
			return e, nil
		}
		e.visible, was.Before = needed, max(seen.Before, 2)
	}
	return e, nil
}

const (
	// maxWidenings is how often a layout is widened: centred boxes may hold others.
	maxWidenings = 4
	// widestLayout is how many times as wide as the viewport the layout is then at most.
	widestLayout = 3
)

// wrapFrom is how many times as wide as the viewport a document is whose long lines are broken: shrinking it by less keeps its looks.
const wrapFrom = 1.25

// seeWrapped measures the visible extent of a document of some size, and breaks lines of code and long words if that is much wider than the viewport, or
// would be cut at the requested scale. Tables that would be cut are put into boxes that scroll. It returns the size that the document has then.
func (p press) seeWrapped(ctx context.Context, content Size, asked float64) (extent, Size, error) {
	wide, widest := wrapFrom, 1/contract.MinScale
	if asked != 0 {
		wide, widest = 1, 1
	}
	e, err := p.see(ctx, content.Width)
	isWider := func(times float64) bool { return err == nil && float64(e.visible) > float64(p.viewport.Width)*times+1 }
	if isWider(wide) {
		_, e, content, err = p.narrow(ctx, wrapping, e, content)
	}
	if isWider(widest) {
		p.found.enclosed, e, content, err = p.narrow(ctx, enclosing, e, content)
	}
	return e, content, err
}

// narrow runs a script that may make the document narrower, and reports whether it does, with the extent and size that the document has then.
func (p press) narrow(ctx context.Context, script string, e extent, content Size) (narrower bool, _ extent, _ Size, err error) {
	if _, err = p.run(ctx, inTurn(optional(script)), nil, &narrower); err != nil || !narrower {
		return false, e, content, err
	}
	if content, err = p.contentSize(ctx); err != nil {
		return true, e, content, err
	}
	e, err = p.see(ctx, content.Width)
	return true, e, content, err
}

// rootThatFits returns the root's present width if content grows beyond its width when the root is as wide as a layout, or 0. The window keeps its
// width: script would lay out the page again, and might show that in motion.
func (p press) rootThatFits(ctx context.Context, layout, content int) (width int, err error) {
	seen, err := p.reach(ctx, widened(seeing), layout)
	if err != nil || seen == nil || seen.from(p.viewport.Width) <= content+1 {
		return 0, err
	}
	return p.viewport.Width, nil
}

// widened runs a script while the root is as wide as the layout of its argument, if that is not 0.
func widened(script string) string {
	return `(document, argument, all) => {
	const root = document.documentElement, restore = all.keepStyle(root), { layout } = argument
	if (layout) all.set(root, { width: layout + "px" })
	try {
		return (` + script + `)(document, argument, all)
	} finally {
		restore()
	}
}`
}

// reached is how far from the viewport's left edge content reaches that can be seen.
type reached struct {
	Left, Right   float64
	RTL, Vertical bool
	Before        float64
}

// from is how wide that is from the edge at which the document begins.
func (r reached) from(viewport int) int {
	if r.RTL {
		return viewport + int(math.Ceil(-r.Left))
	}
	return int(math.Ceil(r.Right))
}

// reach runs a script that returns how far content reaches; nil if it fails, so that all counts as visible.
func (p press) reach(ctx context.Context, script string, layout int) (*reached, error) {
	var seen reached
	ran, err := p.run(ctx, script, arrangement{Layout: layout}, &seen)
	if errors.Is(err, errScript) || err == nil && !ran {
		return nil, nil
	}
	return &seen, err
}
