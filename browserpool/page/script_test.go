package page

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/go-rod/rod/lib/proto"

	"platen.dev/browserpool/pagetest"
	"platen.dev/events/testkit"

	sanitised "platen.dev/document"
)

// scripts lists the ways to run script from HTML. {X} runs if one works: it changes the document, reports to the canary at {C} and opens a dialog.
var scripts = []string{
	`<script>{X}</script>`, `<SCRIPT>{X}</SCRIPT>`, `<scr<script>ipt>{X}</script>`, `<script src="{C}/src.js"></script>`, `<script/x>{X}</script>`,
	"<script\n>{X}</script\n>", `<script type="module">{X}</script>`, `<script type="text/javascript" defer>{X}</script>`, `<svg><script>{X}</script></svg>`,
	`<svg><script href="{C}/svg.js"></script></svg>`, `<math><script>{X}</script></math>`, `<noscript><p title="</noscript><script>{X}</script>">`,
	`<img src=x onerror="{X}">`, `<img src=x onerror={X}//`, `<IMG SRC=x ONERROR="{X}">`, `<img/src=x/onerror="{X}">`, "<img src=x onerror\t=\n\"{X}\">",
	`<img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=" onload="{X}">`, `<svg onload="{X}"></svg>`, `<svg/onload="{X}">`, `<body onload="{X}">`, `<body onpageshow="{X}">`,
	`<body onresize="{X}" onbeforeprint="{X}" onafterprint="{X}">`, `<input autofocus onfocus="{X}">`, `<select autofocus onfocus="{X}"></select>`, `<textarea autofocus onfocus="{X}"></textarea>`,
	`<details open ontoggle="{X}"><summary>s</summary>d</details>`, `<video src=x onerror="{X}"></video>`, `<video><source src=x onerror="{X}"></video>`, `<audio src=x onerror="{X}"></audio>`,
	`<marquee onstart="{X}">m</marquee>`, `<object data="x" onerror="{X}"></object>`, `<iframe onload="{X}"></iframe>`, `<link rel="stylesheet" href="data:text/css," onload="{X}">`,
	`<style onload="{X}"></style>`, `<p style="animation: a 1ms" onanimationstart="{X}" onanimationend="{X}">x<style>@keyframes a {}</style>`,
	`<p style="transition: color 1ms" ontransitionend="{X}">x`, `<p onscroll="{X}" onwheel="{X}" onpointerover="{X}" style="overflow: scroll">x`,
	`<svg><animate onbegin="{X}" attributeName="x" dur="1s"/></svg>`, `<svg><set onbegin="{X}" attributeName="x" to="y"/></svg>`,
	`<svg><a><animate attributeName="href" values="javascript:{X}"/><text y="9">x</text></a></svg>`, `<svg><use href="data:image/svg+xml,<svg id='x' xmlns='http://www.w3.org/2000/svg' onload='{X}'/>#x"/></svg>`,
	`<svg><foreignObject><iframe srcdoc="<script>{X}</script>"></iframe></foreignObject></svg>`, `<svg><image href="x" onerror="{X}"/></svg>`,
	`<iframe src="javascript:{X}"></iframe>`, `<iframe src="JaVaScRiPt:{X}"></iframe>`, "<iframe src=\"java\tscript:{X}\"></iframe>", `<iframe src="&#106;avascript:{X}"></iframe>`, `<iframe src="&#x01;javascript:{X}"></iframe>`,
	`<iframe srcdoc="<script>{X}</script>"></iframe>`, `<iframe srcdoc="&lt;img src=x onerror='{X}'&gt;"></iframe>`, `<iframe src="data:text/html,<script>fetch('{C}/data')</script>"></iframe>`,
	`<object data="javascript:{X}"></object>`, `<object data="data:text/html,<script>fetch('{C}/object')</script>"></object>`, `<embed src="javascript:{X}">`, `<embed src="data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' onload='fetch(&quot;{C}/embed&quot;)'/>">`,
	`<meta http-equiv="refresh" content="0; url=javascript:{X}">`, `<meta http-equiv="refresh" content="0; url=data:text/html,<script>fetch('{C}/refresh')</script>">`,
	`<a href="javascript:{X}" autofocus onfocus="{X}">a</a>`, `<form action="javascript:{X}"><input type="submit" autofocus></form>`, `<base href="javascript:/"><a href="/{X}">a</a>`,
	`<div style="background: url(javascript:{X})">x</div>`, `<div style="width: expression({X})">x</div>`, `<style>@import "javascript:{X}";</style>`, `<style>p { behavior: url({C}/htc) }</style><p>x`,
	`<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=x onerror={X}&gt;">`, `<svg></p><style><a id="</style><img src=x onerror={X}>">`,
	`<form><math><mtext></form><form><mglyph><style></math><img src=x onerror={X}>`, `<template><script>{X}</script></template><div><template shadowrootmode="open"><img src=x onerror="{X}"></template></div>`,
	`<table background="javascript:{X}"><tr><td>x</table>`, `<xml id="x"><a><b>&lt;script&gt;{X}&lt;/script&gt;</b></a></xml>`, `<!--><img src=x onerror="{X}">-->`, `<![CDATA[<img src=x onerror="{X}">]]>`,
	`<title><img title="</title><img src=x onerror={X}>"></title>`, `<textarea><img title="</textarea><img src=x onerror={X}>"></textarea>`, `<xmp><img title="</xmp><img src=x onerror={X}>"></xmp>`,
	`<custom-x onfocus="{X}" tabindex="0" autofocus id="f">x</custom-x>`, `<p contenteditable autofocus onfocus="{X}">x`, `<dialog open onclose="{X}" oncancel="{X}">x</dialog>`, `<button popovertarget="q" autofocus onfocus="{X}">b</button><p id="q" popover onbeforetoggle="{X}">x`,
	`<img src=x onerror="&#x66;etch('{C}/entity')">`, "<img src=`x` onerror={X}>", `<<img src=x onerror="{X}">`, "<img \x00src=x onerror=\"{X}\">", `+ADw-script+AD4-{X}+ADw-/script+AD4-`,
}

// canary is a server that detects scripts that run.
type canary struct {
	web *pagetest.Web

	mu       sync.Mutex // guards what follows
	reports  []string
	document string // served at the root
}

func newCanary(t *testing.T) *canary {
	t.Helper()
	c := &canary{}
	report := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c.report(r.URL.Path)
		w.Header().Set("Access-Control-Allow-Origin", "*")
	})
	root := func(w http.ResponseWriter, _ *http.Request) {
		c.mu.Lock()
		defer c.mu.Unlock()
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, c.document)
	}
	c.web = pagetest.NewWeb(t, pagetest.Pages{
		"/": http.HandlerFunc(root), "/ran": report, "/data": report, "/object": report, "/embed": report, "/refresh": report, "/entity": report,
	})
	return c
}

func (c *canary) report(what string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.reports = append(c.reports, what)
}

// publish returns a URL at which a document can be visited.
func (c *canary) publish(html string) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.document = html
	return c.web.URL
}

// take returns the reports since its last call.
func (c *canary) take() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	reports := c.reports
	c.reports = nil
	return reports
}

// arm fills in the effects of a script.
func (c *canary) arm(html string) string {
	x := `document.documentElement.dataset.ran=1;fetch('` + c.web.URL + `/ran');alert(1)`
	return strings.NewReplacer("{X}", x, "{C}", c.web.URL).Replace(html)
}

// watch shows and prints a document on a page, and returns the reports of its scripts. A dialog, which would stay open
// on a page for HTML, fails the job.
func (c *canary) watch(t *testing.T, on func(context.Context, work) error, d document) []string {
	t.Helper()
	d.media, d.viewport = "print", defaultViewport
	err := on(t.Context(), func(ctx context.Context, p *page) error {
		if _, err := p.load(ctx, d); err != nil {
			return err
		}
		// Printing draws a frame, so anything that waits for one has begun.
		params := printParams{Scale: 1, PaperWidth: 8, PaperHeight: 8, TransferMode: "ReturnAsStream"}
		if _, err := (press{page: p}).printPDF(ctx, params, defaultPrintTimeout); err != nil {
			return err
		}
		ran, err := proto.RuntimeEvaluate{Expression: `"" + document.documentElement.dataset.ran`, ReturnByValue: true}.Call(p.session.With(ctx))
		if err == nil && ran.Result.Value.Str() != "undefined" {
			c.report("document changed")
		}
		return err
	})
	if err != nil {
		t.Errorf("%.80s: %v", d.html, err)
	}
	return c.take()
}

// No known way to run script works on a page for HTML, with or without the sanitiser.
func TestNoScriptRuns(t *testing.T) {
	testkit.Long(t)
	slot := openSlot(t)
	visit, err := openPage(t.Context(), slot.browser, slot.gate, forVisit)
	if err != nil {
		t.Fatal(err)
	}
	defer visit.dispose()
	c := newCanary(t)
	for _, script := range scripts {
		raw := c.arm(script)
		clean := sanitised.Sanitize(raw).HTML()
		for name, html := range map[string]string{"raw": wholeDocument(raw), "sanitised": clean} {
			// The page for captures draws frames, so more runs there than on the warm page.
			if reports := c.watch(t, slot.set.onCapturePage, document{html: html}); len(reports) != 0 {
				t.Errorf("%s %s: %v", name, script, reports)
			}
			slot.reset()
		}
		if reports := c.watch(t, visit.do, document{url: c.publish(clean)}); len(reports) != 0 {
			t.Errorf("sanitised, on a page that may run script, %s: %v", script, reports)
		}
	}
	if requests := len(c.web.Headers("/src.js")) + len(c.web.Headers("/svg.js")); requests != 0 {
		t.Errorf("%d scripts were fetched", requests)
	}
}

// Most ways do work on a page that may run script, so the corpus is fit for the test above.
func TestCorpusRuns(t *testing.T) {
	testkit.Long(t)
	slot := openSlot(t)
	c := newCanary(t)
	ran := 0
	for _, script := range scripts {
		if len(c.watch(t, slot.set.onVisit, document{url: c.publish(wholeDocument(c.arm(script)))})) != 0 {
			ran++
		} else {
			t.Logf("does not run: %s", script)
		}
	}
	if ran < len(scripts)/2 {
		t.Errorf("%d of %d run", ran, len(scripts))
	}
}
