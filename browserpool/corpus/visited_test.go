package corpus

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"platen.dev/events/contract"
)

// features returns pages with features that only visited ones have: style sheets, script, frames.
func features(w *web) map[string]string {
	part := w.typed("text/html; charset=utf-8", []byte(`<!doctype html><p>FRAMED</p>`))
	picture := w.typed("image/png", encodings()["png"])
	sheet := w.typed("text/css", []byte(`h1 { color: #c00; letter-spacing: 2px } @media screen { .paper { display: none } } @media print { .screen { display: none } }`))
	script := w.typed("text/javascript", []byte(`document.body.append(Object.assign(document.createElement("p"), { textContent: "BY SCRIPT" }))`))
	data := w.typed("application/json", []byte(`[3, 1, 4, 1, 5, 9, 2, 6]`))
	return map[string]string{
		"style-sheet":   `<link rel="stylesheet" href="` + sheet + `"><h1>Harbour</h1><p class="paper">on paper</p><p class="screen">on a screen</p>`,
		"imported":      `<style>@import url("` + sheet + `"); p { margin-left: 3em }</style><h1>Harbour</h1><p>text</p>`,
		"script":        `<p>before</p><script src="` + script + `"></script>`,
		"module":        `<p>before</p><script type="module">document.body.append("MODULE")</script>`,
		"written":       `<script>document.write("<p>WRITTEN " + [1, 2, 3].map(n => n * n) + "</p>")</script>`,
		"fetched":       `<p id="p"></p><script>fetch("` + data + `").then(a => a.json()).then(a => { p.textContent = "SUM " + a.reduce((a, b) => a + b); p.className = "done" })</script>`,
		"chart":         `<canvas id="c" width="400" height="200"></canvas><p>below</p><script>const g = c.getContext("2d"); [3, 1, 4, 1, 5, 9].forEach((n, i) => { g.fillStyle = "hsl(" + 60 * i + " 80% 40%)"; g.fillRect(60 * i, 200 - 20 * n, 50, 20 * n) })</script>`,
		"drawing":       drawing + `<svg width="200" height="60" viewBox="0 0 100 30"><path d="M0 15 Q25 0 50 15 T100 15" fill="none" stroke="#c00" stroke-width="3"/><text x="5" y="28" font-size="9">wave</text></svg>`,
		"frame":         `<p>above</p><iframe src="` + part + `" width="300" height="90"></iframe><p>below</p>`,
		"frame-srcdoc":  `<iframe srcdoc="<p>INSIDE</p>" style="width: 100%; height: 60px; border: 2px solid #090"></iframe>`,
		"grid-areas":    `<style>.g { display: grid; grid-template-areas: "h h" "n m"; grid-template-columns: 140px 1fr; gap: 8px } .g > * { background: #eef; padding: 6px }</style><div class="g"><header style="grid-area: h">head</header><nav style="grid-area: n">nav</nav><main style="grid-area: m">` + strings.Repeat("main ", 90) + `</main></div>`,
		"counters":      `<style>body { counter-reset: s } h2::before { counter-increment: s; content: counter(s, upper-roman) ". " }</style><h2>Tides</h2><h2>Fog</h2><p style="quotes: '«' '»'"><q>said</q></p>`,
		"variables":     `<style>:root { --c: #06c } p { color: var(--c); width: calc(50% + 20px); border: 1px solid currentcolor } p:nth-child(2) { --c: #c60 }</style><p>one</p><p>two</p>`,
		"queries":       `<style>p { display: none } @media print and (min-width: 300px) { .a { display: block } } @container (min-width: 100px) { .b { display: block } } div { container-type: inline-size }</style><p class="a">WIDE</p><div><p class="b">CONTAINED</p></div>`,
		"component":     `<x-card><span slot="name">Sea Pearl</span></x-card><script>customElements.define("x-card", class extends HTMLElement { connectedCallback() { this.attachShadow({ mode: "open" }).innerHTML = "<style>b { color: #090 }</style><b><slot name=name></slot></b> CARD" } })</script>`,
		"forms":         `<form><input value="typed" size="12"> <input type="checkbox" checked> <select><option>first<option selected>second</select> <button>Send</button><textarea rows="2">lines</textarea><progress value=".4"></progress></form>`,
		"sources":       `<picture><source srcset="` + picture + `" media="print"><img src="` + picture + `" alt=""></picture><img srcset="` + picture + ` 1x" src="none.png" width="120"><p>below</p>`,
		"lazy":          `<div style="height: 2500px">tall</div><img loading="lazy" width="60" height="40" src="` + picture + `"><p>below</p>`,
		"background":    `<style>.b { height: 120px; background: url("` + picture + `") repeat-x, #ffd } .c::after { content: url("` + picture + `") }</style><div class="b">tiled</div><p class="c">after</p>`,
		"fixed":         `<div style="position: fixed; bottom: 0; right: 0; background: #fda">on each page</div>` + strings.Repeat("<p>A line of the diary.</p>", 80),
		"sticky":        `<div style="position: sticky; top: 0; background: #dfd">sticky</div>` + strings.Repeat("<p>A line of the diary.</p>", 60),
		"subgrid":       `<div style="display: grid; grid-template-columns: auto 1fr"><div style="display: grid; grid-column: span 2; grid-template-columns: subgrid"><b>long label here</b><span>value</span></div><div style="display: grid; grid-column: span 2; grid-template-columns: subgrid"><b>b</b><span>value</span></div></div>`,
		"mathml":        `<p>so <math><mfrac><mi>a</mi><mrow><mi>b</mi><mo>+</mo><mn>1</mn></mrow></mfrac></math> holds</p>`,
		"filters":       `<div style="filter: grayscale(1); background: #f00; height: 50px; width: 200px"></div><div style="mix-blend-mode: multiply; background: #0ff; width: 120px; height: 60px; margin-top: -30px"></div><p>below</p>`,
		"clip-path":     `<div style="clip-path: polygon(50% 0, 100% 100%, 0 100%); background: #06c; width: 200px; height: 120px"></div><div style="mask: linear-gradient(#000, transparent); background: #c00; height: 80px">masked</div><p>below</p>`,
		"dialog":        `<p>below it</p><dialog id="d" style="margin: 60px"><p>OPEN</p></dialog><script>d.showModal()</script>`,
		"alerted":       `<p>before</p><script>if (!confirm("?")) document.body.append("REFUSED")</script>`,
		"cookies":       `<p id="p"></p><script>document.cookie = "a=1"; localStorage.b = 2; p.textContent = document.cookie + " " + localStorage.b</script>`,
		"no-script":     `<noscript>WITHOUT</noscript><p>WITH</p>`,
		"table-running": `<style>thead { display: table-header-group } td { height: 40px; border-bottom: 1px solid #999 }</style><table width="100%"><thead><tr><th>Ship</th></tr></thead>` + strings.Repeat("<tr><td>Sea Pearl</td></tr>", 60) + `</table>`,
		"zoomed":        `<div style="zoom: 1.5">larger</div><p>normal</p>`,
		"overlong":      strings.Repeat("<p>"+strings.Repeat("words of a long diary ", 40)+"</p>", 24),
	}
}

// visitedDocuments returns documents at URLs.
func visitedDocuments(_ *testing.T, w *web) (all []entry) {
	for name, body := range sorted(features(w)) {
		at := source{url: w.page(whole(body))}
		load := contract.Load{}
		if name == "fetched" {
			load.WaitFor = ".done"
		}
		all = append(all,
			entry{name: "visited/" + name + "/a4", source: at, load: load},
			entry{name: "visited/" + name + "/letter-scaled", source: at, load: load, options: contract.Paper{Format: "Letter", Landscape: true, Scale: 0.85}},
		)
	}
	return append(all, waits(w)...)
}

// waits returns documents for each way to say when a page is ready.
func waits(w *web) (all []entry) {
	data := w.typed("text/plain", []byte("LATE"))
	late := `<p id="p">early</p><script>setTimeout(async () => { p.textContent = await (await fetch("` + data + `")).text(); p.className = "done" }, 60)</script>`
	for name, load := range sorted(map[string]contract.Load{
		"selector": {WaitFor: ".done"},
		"after":    {WaitAfter: (700 * time.Millisecond).Milliseconds()},
		"idle":     {WaitUntil: contract.UntilIdle, WaitFor: ".done"},
		"dom":      {WaitUntil: contract.UntilDOM, WaitFor: ".done"},
		"commit":   {WaitUntil: contract.UntilCommit, WaitFor: ".done"},
	}) {
		all = append(all,
			entry{name: "visited/wait/" + name, source: source{url: w.page(whole(late))}, load: load, shows: []string{"LATE"}},
			entry{name: "visited/wait/" + name + "/capture", source: source{url: w.page(whole(late))}, load: load, shot: &shot{width: 640, height: 480}},
		)
	}
	for n := range 3 { // frames that follow one another
		body := `<p id="p">0</p><script>let n = 0; const step = () => { p.textContent = ++n; n < ` + fmt.Sprint(5*(n+1)) + ` ? requestAnimationFrame(step) : p.className = "done" }; requestAnimationFrame(step)</script>`
		all = append(all, entry{name: fmt.Sprintf("visited/wait/frames-%d", n), source: source{url: w.page(whole(body))}, load: contract.Load{WaitFor: ".done"}})
	}
	return all
}
