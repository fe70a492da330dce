package corpus

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"platen.dev/events/contract"
)

// These documents test that Platen keeps to the paper: sheets of its size, page rules, scales, content that is too wide.

func paperDocuments(t *testing.T, w *web) (all []entry) {
	t.Helper()
	for _, of := range [][]entry{sheets(), turned(w), ruled(w), wide(w), unseen(w), edges(), longWords()} {
		all = append(all, of...)
	}
	for i := range all {
		all[i].fault = true
	}
	return all
}

// sheets returns documents with boxes exactly as large as the paper: each takes one page.
func sheets() (all []entry) {
	sizes := map[string]string{
		"A4": "width: 210mm; height: 297mm", "A3": "width: 297mm; height: 420mm", "Letter": "width: 8.5in; height: 11in",
		"Legal": "width: 8.5in; height: 14in", "Tabloid": "width: 11in; height: 17in",
	}
	for format, size := range sorted(sizes) {
		for _, scale := range []float64{0, 1} {
			for kind, style := range sorted(map[string]string{"sized": size, "high": size[strings.Index(size, "height"):]}) {
				sheet := `<div style="` + style + `; background: #eef; break-after: page; overflow: hidden"><p>SHEET</p></div>`
				e := posted(fmt.Sprintf("paper/sheet/%s/%s/scale-%v", format, kind, scale), wholeWith("", ` style="margin: 0"`, strings.Repeat(sheet, 3)), contract.Paper{Format: format, MarginTop: "0", MarginRight: "0", MarginBottom: "0", MarginLeft: "0", Scale: scale})
				all = append(all, e)
			}
		}
	}
	return all
}

// turned returns right-to-left documents, at scales that the browser gets wrong.
func turned(w *web) (all []entry) {
	body := `<h1>ספינות</h1><p>` + strings.Repeat("מנהל הנמל שומר יומן. ", 20) + `</p><div style="border: 3px solid #036; width: 60%">תיבה</div><p>الميناء</p>`
	for _, scale := range []float64{0.5, 0.75, 1.4, 2} {
		for where, html := range sorted(map[string]string{
			"html": `<!doctype html><html dir="rtl"><meta charset="utf-8"><body>` + body + `</body></html>`,
			"body": `<!doctype html><html><meta charset="utf-8"><body style="direction: rtl">` + body + `</body></html>`,
		}) {
			o := contract.Paper{Scale: scale}
			visited := entry{name: fmt.Sprintf("paper/turned/%s/visited/%v", where, scale), source: source{url: w.page(html)}, options: o}
			if where == "body" { // the browser is wrong only if the root is right-to-left
				all = append(all, entry{name: fmt.Sprintf("paper/turned/body/posted/%v", scale), source: source{html: html}, options: o}, visited)
				continue
			}
			like := `<!doctype html><html><meta charset="utf-8"><body><div dir="rtl">` + body + `</div></body></html>`
			visited.differs = &deviation{name: "rtl-root-scaled", like: source{url: w.page(like)}}
			all = append(all, visited)
		}
	}
	return all
}

// rules lists page rules.
var rules = map[string]string{
	"size":      `@page { size: A3 }`,
	"turned":    `@page { size: landscape }`,
	"both":      `@page { size: A5 landscape; margin: 2in }`,
	"margin":    `@page { margin: 0 }`,
	"important": `@page { size: A3 landscape !important; margin: 0 !important }`,
	"first":     `@page :first { margin: 0 !important }`,
	"named":     `@page w { size: A3 landscape; margin: 0 !important } body { page: w }`,
	"media":     `@media print { @page { size: A3 landscape; margin: 0 } }`,
	"layer":     `@layer x { @page { size: A3 landscape !important; margin: 0 } }`,
	"imported":  `@import "/rules.css";`,
}

// ruled returns documents with page rules, which the caller's options override.
func ruled(w *web) (all []entry) {
	w.at("/rules.css", http.HandlerFunc(func(rw http.ResponseWriter, _ *http.Request) {
		answer(rw, "text/css", []byte(`@page { size: A3 landscape; margin: 0 }`))
	}))
	const body = `</style><body style="margin: 0"><div style="display: flex; justify-content: space-between; background: #eef"><b>LEFT</b><b>RIGHT</b></div><p>text`
	document := func(rule string) source { return source{url: w.page(`<!doctype html><style>` + rule + body)} }
	free := document("")
	given := map[string]contract.Paper{
		"letter":        {Format: "Letter", SizeGiven: true, MarginTop: "1in", MarginRight: "1in", MarginBottom: "1in", MarginLeft: "1in"},
		"letter-turned": {Format: "Letter", Landscape: true, SizeGiven: true, MarginTop: "1in", MarginRight: "1in", MarginBottom: "1in", MarginLeft: "1in"},
		"header":        {SizeGiven: true, MarginTop: "1in", MarginRight: "1in", MarginBottom: "1in", MarginLeft: "1in", HeaderFooter: true, Header: "HEAD", Footer: "FOOT"},
	}
	for name, rule := range sorted(rules) {
		visited := document(rule)
		all = append(all, entry{name: "paper/rule/" + name + "/open", source: visited, ruled: strings.Contains(rule, "margin") || name == "imported"})
		for with, o := range sorted(given) {
			e := entry{name: "paper/rule/" + name + "/" + with, source: visited, options: o}
			if !sameAnyway(name, with) {
				e.differs = &deviation{name: "caller-over-page-rule", like: free}
			}
			all = append(all, e)
		}
	}
	// Only one side is given: the rule sets the others.
	left := contract.Paper{MarginLeft: "1in"}
	return append(all, entry{name: "paper/rule/one-side", source: document(rules["margin"]), options: left, ruled: true, differs: &deviation{
		name: "caller-over-page-rule", like: document(`@page { margin: 0; margin-left: 1in }`),
	}})
}

// sameAnyway reports whether a page rule asks for the same as the options.
func sameAnyway(rule, with string) bool { return rule == "turned" && with == "letter-turned" }

const sized = `<p style="font: 20px 'Liberation Sans'; margin: 0">SIZED</p>`

// wide returns documents with visible content wider than the paper.
func wide(w *web) (all []entry) {
	box := func(width int) string {
		return wholeWith("", ` style="margin: 0"`, fmt.Sprintf(`%s<div style="width: %dpx; background: #eef; border-right: 4px solid #900; box-sizing: border-box; text-align: right">END</div>`, sized, width))
	}
	// The browser itself reduces these as far as necessary.
	for _, width := range []int{721, 800, 900, 1000, 1070} {
		all = append(all, posted(fmt.Sprintf("paper/wide/%d", width), box(width), contract.Paper{}))
	}
	for _, width := range []int{1150, 1200, 1300, 1400} {
		all = append(all, entry{
			name: fmt.Sprintf("paper/wide/%d", width), source: source{html: box(width)},
			differs: &deviation{name: "wide-content-fits", like: source{html: box(width)}, options: with(contract.Paper{Scale: 720 / float64(width)})},
		})
	}
	clipped := func(width int) string {
		return wholeWith("", ` style="margin: 0; overflow: hidden"`, fmt.Sprintf(`<div style="width: 100%%; overflow: hidden">%s<div style="width: %dpx; background: #eef; border-right: 4px solid #900; box-sizing: border-box; text-align: right">END</div></div>`, sized, width))
	}
	for _, scale := range []float64{0.6, 1, 1.5, 2} {
		e := entry{
			name: fmt.Sprintf("paper/wide/scale-%v", scale), source: source{html: box(1500)}, options: contract.Paper{Scale: scale}, warns: contract.PageCut,
			differs: &deviation{name: "scale-kept", like: source{html: clipped(1500)}},
		}
		all = append(all, e)
		e.name, e.source = e.name+"/visited", source{url: w.page(box(1500))}
		e.differs = &deviation{name: "scale-kept", like: source{url: w.page(clipped(1500))}}
		all = append(all, e)
	}
	// Lines that do not break by themselves.
	for name, line := range sorted(map[string]string{
		"word": `<p style="%s">` + strings.Repeat("x", 300) + `</p>`,
		"code": `<pre style="%s">` + strings.Repeat("long ", 200) + `</pre>`,
	}) {
		html, broken := whole(sized+fmt.Sprintf(line, "")), whole(sized+fmt.Sprintf(line, "white-space: pre-wrap; overflow-wrap: anywhere"))
		for _, scale := range []float64{0, 1} {
			all = append(all, entry{
				name: fmt.Sprintf("paper/wide/%s-at-scale-%v", name, scale), source: source{html: html}, options: contract.Paper{Scale: scale},
				differs: &deviation{name: "long-lines", like: source{html: broken}},
			})
		}
		all = append(all, entry{
			name: "paper/wide/" + name + "/visited", source: source{url: w.page(html)},
			differs: &deviation{name: "long-lines", like: source{url: w.page(broken)}},
		})
	}
	return append(all,
		entry{name: "paper/wide/far-too-wide", source: source{html: box(3000)}, warns: contract.PageCut, differs: &deviation{name: "wide-content-fits", like: source{html: clipped(3000)}, options: with(contract.Paper{Scale: 0.5})}},
	)
}

// unseen returns documents with wide content that nobody can see.
func unseen(w *web) (all []entry) {
	for name, hidden := range sorted(map[string]string{
		"invisible":     `<div style="width: 3000px; visibility: hidden">x</div>`,
		"transparent":   `<div style="width: 3000px; opacity: 0">x</div>`,
		"positioned":    `<div style="position: absolute; left: 500px; width: 3000px; visibility: hidden">x</div>`,
		"menu":          `<div style="position: absolute; top: 0; right: -400px; width: 400px; visibility: hidden">menu</div>`,
		"read-out-only": `<span style="position: absolute; left: 900px; width: 1px; height: 1px; overflow: hidden; clip: rect(0, 0, 0, 0)">for readers</span>`,
	}) {
		// Hidden content keeps its place, but not its width.
		like := strings.NewReplacer("width: 3000px", "width: 100%", "left: 500px; ", "").Replace(hidden)
		if strings.Contains(like, "absolute") {
			like = ""
		}
		e := entry{name: "paper/unseen/" + name + "/posted", source: source{html: whole(sized + hidden)}}
		e.differs = &deviation{name: "hidden-does-not-count", like: source{html: whole(sized + like)}}
		v := entry{name: "paper/unseen/" + name + "/visited", source: source{url: w.page(whole(sized + hidden))}}
		v.differs = &deviation{name: "hidden-does-not-count", like: source{url: w.page(whole(sized + like))}}
		if name == "read-out-only" { // the sanitiser has no clip
			all = append(all, v)
			continue
		}
		all = append(all, e, v)
	}
	hides := wholeWith("", ` style="overflow: hidden"`, sized+`<div style="width: 3000px">x</div>`)
	open := whole(sized + `<div>x</div>`)
	all = append(all,
		entry{name: "paper/unseen/body-hides/posted", source: source{html: hides}, differs: &deviation{name: "hidden-does-not-count", like: source{html: open}}},
		entry{name: "paper/unseen/body-hides/visited", source: source{url: w.page(hides)}, differs: &deviation{name: "hidden-does-not-count", like: source{url: w.page(open)}}},
	)
	// The browser does not count clipped content either.
	for name, html := range sorted(map[string]string{
		"clipped":         whole(sized + `<div style="width: 100px; overflow: hidden"><div style="width: 3000px">x</div></div>`),
		"clipped-twice":   whole(sized + `<div style="width: 100px; overflow: hidden; position: relative"><div style="position: absolute; left: 50px; width: 3000px">x</div></div>`),
		"off-to-the-left": whole(sized + `<div style="position: absolute; left: -900px; width: 300px">menu</div>`),
	}) {
		all = append(all, posted("paper/unseen/"+name+"/posted", html, contract.Paper{}))
		all = append(all, entry{name: "paper/unseen/" + name + "/visited", source: source{url: w.page(html)}})
	}
	code := func(style string) string {
		return whole(sized + `<pre style="overflow: auto` + style + `">` + strings.Repeat("long ", 200) + `</pre>`)
	}
	broken := source{url: w.page(code("; white-space: pre-wrap; overflow-wrap: anywhere"))}
	return append(all,
		posted("paper/unseen/scrolled-code/posted", code(""), contract.Paper{}),
		entry{name: "paper/unseen/scrolled-code/visited", source: source{url: w.page(code(""))}, differs: &deviation{name: "scrolled-code", like: broken}},
	)
}

// edges returns documents with content at the right edge, where the browser cuts off less than a pixel.
func edges() (all []entry) {
	html := wholeWith("", ` style="margin: 0"`, `<div style="border: solid #000; border-width: 0 3px; height: 300px; text-align: right">EDGE</div>`)
	for _, scale := range []float64{1.7, 1.9, 2} {
		e := posted(fmt.Sprintf("paper/edge/scale-%v", scale), html, contract.Paper{Scale: scale})
		e.edged, e.differs = true, &deviation{name: "whole-right-edge", like: source{html: html}}
		all = append(all, e)
	}
	return all
}

// longWords returns documents with words that do not fit their cells.
func longWords() (all []entry) {
	long := strings.Repeat("Donaudampfschiff", 12)[:180]
	for name, markdown := range sorted(map[string]string{
		"cell":      "# Words\n\n| a | b |\n|---|---|\n| x | " + long + " |\n",
		"two-cells": "| a | b |\n|---|---|\n| " + long + " | " + long + " |\n",
		"paragraph": "Before " + long + " after.\n",
		"heading":   "# " + long + "\n\ntext\n",
		"link":      "| a | b |\n|---|---|\n| see | https://example.org/" + long + " |\n",
		"code":      "| a | b |\n|---|---|\n| `" + long + "` | y |\n",
	}) {
		for _, scale := range []float64{0, 1} {
			all = append(all, entry{name: fmt.Sprintf("paper/long-word/%s/scale-%v", name, scale), source: source{markdown: markdown}, options: contract.Paper{Scale: scale}})
		}
	}
	return all
}
