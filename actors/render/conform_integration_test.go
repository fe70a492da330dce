//go:build integration

package render

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"platen.dev/actors/render/attempt"
	"platen.dev/document"
	"platen.dev/events"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

const (
	pixel   = `data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==`
	svgMark = `data:image/svg+xml;base64,PHN2ZyB4bWxucz0iaHR0cDovL3d3dy53My5vcmcvMjAwMC9zdmciIHdpZHRoPSIxMDAiIGhlaWdodD0iNTAiPjxyZWN0IHdpZHRoPSIxMDAiIGhlaWdodD0iNTAiIGZpbGw9InRlYWwiIG9wYWNpdHk9IjAuNSIvPjwvc3ZnPg==`
	lengthy = "words that go on and on until a line ends and another begins, and on "
)

// pieces are parts of documents. Every document has some of them.
var pieces = []string{
	`<h1>First</h1><p>text <b>bold</b> <i>italic</i> <em>em</em> <strong>strong</strong> <u>u</u> <s>s</s> <code>code</code> <sup>2</sup><sub>3</sub> <mark>m</mark> <small>s</small> <q>quoted</q> <kbd>k</kbd></p>`,
	`<h2>Second first</h2><h4>Fourth</h4><h3>Third</h3><h6>Sixth</h6><h1>Again</h1>`,
	`<p>` + strings.Repeat(lengthy, 40) + `</p>`,
	`<ul><li>one<ul><li>inner</li><li>more<ol><li>deep</li></ol></li></ul></li><li>two</li></ul><ol start="3"><li>three</li><li><p>four</p><p>five</p></li></ol>`,
	`<ul style="list-style: none"><li>no mark</li></ul><ul><ul><li>list in a list</li></ul></ul><li>alone</li><ol type="a" reversed><li>x</li></ol>`,
	`<dl><dt>term</dt><dd>what it is</dd><dt>other</dt><dd>that</dd></dl>`,
	`<table><caption>Title</caption><thead><tr><th>A</th><th scope="col">B</th></tr></thead><tbody><tr><th scope="row">x</th><td>1</td></tr></tbody><tfoot><tr><td colspan="2">sum</td></tr></tfoot></table>`,
	`<table border="1"><tr><th rowspan="2">A</th><th colspan="2">B</th></tr><tr><th>C</th><th>D</th></tr><tr><td>1</td><td>2</td><td>3</td></tr></table>`,
	`<table><tr><td>only</td><td>data</td></tr><tr><td>more</td><td></td></tr></table><table><tr><td><table><tr><th>in</th></tr><tr><td>side</td></tr></table></td></tr></table>`,
	`<table><thead><tr><th>Long</th><th>table</th></tr></thead><tbody>` + strings.Repeat(`<tr style="background: #eee"><td style="border: 1px solid red">cell</td><td>cell</td></tr>`, 90) + `</tbody></table>`,
	`<table><tr><th>A</th><th>B</th></tr><tr><td>short row</td></tr><tr><td>1</td><td>2</td><td>3</td></tr></table>`,
	`<img src="` + pixel + `" width="40" height="30" alt="A square"><p>text <img src="` + pixel + `" width="9" height="9" alt=""> inline</p>`,
	`<figure><img src="` + pixel + `" width="40" height="30" alt="Another"><figcaption>What it shows</figcaption></figure><figure><pre>listing</pre></figure>`,
	`<p><a href="https://example.com/a">a link</a> and <a href="#there">one within</a>, <a href="mailto:a@example.com">mail</a></p><h2 id="there">There</h2><p><a href="https://example.com/b">` + strings.Repeat(lengthy, 4) + `</a></p>`,
	`<p><a href="https://example.com/c"><img src="` + pixel + `" width="30" height="30" alt="A button"></a><a href="https://example.com/d">   </a><a>no target</a></p>`,
	`<blockquote><p>quoted</p><blockquote>twice</blockquote></blockquote><hr><pre>line
	indented   code</pre><address>Street 1</address>`,
	`<div style="background: #ddd; border: 2px solid blue; padding: 5px">boxed <span style="color: red">text</span></div><div style="opacity: 0.5">half <a href="https://example.com/e">link</a></div>`,
	`<div style="transform: rotate(5deg)">turned</div><div style="column-count: 2">` + lengthy + lengthy + `</div><div style="position: absolute; top: 300px; left: 300px">placed</div>`,
	`<p dir="rtl" lang="ar">مرحبا بالعالم، هذا نص طويل</p><p dir="rtl" lang="he">שלום עולם</p><p lang="ja">日本語の文章です。</p><p lang="zh">中文文本</p><p lang="ko">한국어</p>`,
	`<p>emoji 😀 👨‍👩‍👧 🇩🇪 ✓ → ∑ € ﬁ ½</p><p lang="hi">हिन्दी में क्षत्रिय</p><p lang="th">ภาษาไทย</p><p lang="el">Ελληνικά</p><p lang="ru">Русский</p><p>office affluent ffi fl</p>`,
	`<section><header>head</header><nav><a href="#there2">n</a></nav><main><article><h2 id="there2">In</h2><aside>aside</aside></article></main><footer>foot</footer></section>`,
	`<details open><summary>sum</summary><p>detail</p></details><p><ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby> <abbr title="World">W</abbr> <time datetime="2026-01-01">now</time> <del>gone</del> <ins>new</ins></p>`,
	`<p style="break-before: page">next page</p><h3>On it</h3><p>text</p>`,
	`<form><label>Name <input value="x"></label><input type="checkbox" checked><input type="radio"><button>ok</button><select><option>o</option></select><textarea>t</textarea></form>`,
	`<svg width="40" height="40" role="img" aria-label="A circle"><circle r="20" cx="20" cy="20" fill="red"/></svg><svg width="60" height="40"><rect width="9" height="9"/><text x="0" y="30">in svg</text></svg>`,
	`<div aria-hidden="true">hidden <a href="https://example.com/f">hidden link</a></div><div role="presentation"><p>plain</p></div><div role="heading" aria-level="2">by role</div><div role="list"><div role="listitem">item</div></div>`,
	`<div style="display: table"><div style="display: table-row"><div style="display: table-cell">c1</div><div style="display: table-cell">c2</div></div></div><div style="display: flex"><p>a</p><p>b</p></div>`,
	`<div style="background: linear-gradient(red, blue); height: 30px; box-shadow: 2px 2px 5px black; border-radius: 9px">gradient</div><p style="text-shadow: 1px 1px 2px red">shadow</p><p style="mix-blend-mode: multiply">blend</p><p style="filter: blur(1px)">blur</p>`,
	`<p>before</p><ul><p>not an item</p><li>item</li></ul><table><tr><p>moved</p><td>c</td></tr></table><h2></h2><p></p><ul></ul><table></table>`,
}

// markdowns are documents in Markdown.
var markdowns = []string{
	"# Title\n\nText with [a link](https://example.com/) and `code`.\n\n- one\n  - two\n\n1. a\n2. b\n\n> quote\n",
	"## Begins below\n\n| A | B |\n|---|--:|\n| 1 | 2 |\n| 3 | ~~4~~ |\n\n```\ncode\n```\n\n---\n\n#### Skips\n\n日本語の文章\n",
	"# Bilder\n\n![Ein Quadrat](" + pixel + ")\n\n* * *\n\n[intern](#bilder)\n\nשלום\n",
	"# No alternative\n\n![](" + pixel + ") and ![x](" + pixel + ")\n",
}

// variants are options that documents are printed with.
var variants = []func(*events.PrintOptions){
	func(*events.PrintOptions) {},
	func(o *events.PrintOptions) {
		o.HeaderFooter, o.Header, o.Footer = true, "head <b>x</b>", `<span class="pageNumber"></span>/<span class="totalPages"></span>`
	},
	func(o *events.PrintOptions) {
		o.Watermark = &events.Watermark{Text: "DRAFT", Color: "rgba(200, 0, 0, 0.3)", FontSize: "60px", Rotation: -45}
	},
	func(o *events.PrintOptions) { o.Outline, o.Format = true, "A5" },
	func(o *events.PrintOptions) { o.Landscape, o.Format = true, "Letter" },
	func(o *events.PrintOptions) { o.PageRanges, o.Scale = "1", 1.3 },
	func(o *events.PrintOptions) { o.Compression = &events.Compression{Level: 2, ImageQuality: 40} },
	func(o *events.PrintOptions) { o.Compression = &events.Compression{Level: 5} },
	func(o *events.PrintOptions) {
		o.Compression = &events.Compression{Level: 9}
		o.Watermark = &events.Watermark{Text: "機密", Color: "red", FontSize: "2cm", Rotation: 30}
	},
	func(o *events.PrintOptions) {
		half := 0.5
		o.Watermarks = []events.Watermark{
			{Image: svgMark, Behind: true, Opacity: &half, Pages: "1"},
			{Image: pixel, Position: "top-right"},
			{Text: "COPY", Color: "red", FontSize: "20px", Position: "bottom-left", Rotation: 10},
		}
	},
	func(o *events.PrintOptions) { o.Width, o.Height, o.MarginTop = "10cm", "15cm", "5mm" },
	func(o *events.PrintOptions) {
		letterhead, none, last := `<img src="`+pixel+`" width="20" height="20" alt=""> <b>Letterhead</b>`, "", `last of <span class="totalPages"></span>`
		o.HeaderFooter, o.Header, o.Footer = true, "head", `<span class="pageNumber"></span>`
		o.FirstHeader, o.FirstFooter, o.LastFooter = &letterhead, &none, &last
	},
	func(o *events.PrintOptions) {
		first, last := "first", "last"
		o.HeaderFooter, o.FirstFooter, o.LastHeader, o.PageRanges = true, &first, &last, "1-2"
		o.Watermark = &events.Watermark{Text: "COPY", Color: "red", FontSize: "60px", Rotation: 45}
	},
	func(o *events.PrintOptions) { o.TOC = &contract.TOC{Title: "Contents", Depth: 6} },
	func(o *events.PrintOptions) { o.SinglePage = true },
}

// documents returns at least 200: every piece with others, and every Markdown, each with different options.
func documents(t *testing.T) (all []string) {
	t.Helper()
	for n := range 6 * len(pieces) {
		round := n / len(pieces)
		var body strings.Builder
		for k := range 1 + round {
			body.WriteString(pieces[(n+k*(7+round))%len(pieces)])
		}
		html := fmt.Sprintf(titled, body.String())
		if round%2 == 1 { // as a caller's HTML is printed
			html = document.Sanitize(html).HTML()
		}
		all = append(all, html)
	}
	for n := range 30 {
		html, err := document.Markdown(markdowns[n%len(markdowns)])
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, html)
	}
	for _, path := range []string{"invoice", "report", "tiny"} {
		if html, err := os.ReadFile("../../../shared/bench/" + path + ".html"); err == nil {
			all = append(all, string(html))
		}
	}
	return all
}

// TestVeraPDF turns every document into files of two of the standards, with every option, and has veraPDF judge them: it must agree with what is
// accepted, and with what is refused. VERAPDF=all uses all four standards. PLATEN_KEEP names a directory to keep the files in.
func TestVeraPDF(t *testing.T) {
	p := newPrinting(t)
	dir := t.TempDir()
	if keep := os.Getenv("PLATEN_KEEP"); keep != "" {
		dir = keep
	}
	refused := map[string]string{} // why, by the file's name
	all, made := documents(t), 0
	for n, html := range all {
		if !testkit.InShare(t, n) {
			continue
		}
		prints := map[bool][]byte{} // by whether they are tagged
		for k, o := range conformances {
			if (n+k)%2 == 1 && os.Getenv("VERAPDF") != "all" {
				continue
			}
			variants[n%len(variants)](&o)
			o.Metadata = &events.Metadata{Author: "me"}
			if n%3 > 0 {
				o.Metadata.Language = "en"
			}
			name := fmt.Sprintf("%03d.%s.pdf", n, flavours(o))
			pdf, why := p.judged(html, o, prints)
			if why != "" {
				refused[name] = why
			}
			if err := os.WriteFile(filepath.Join(dir, name), pdf, 0o600); err != nil {
				t.Fatal(err)
			}
			made++
		}
	}
	if len(all) < 200 {
		t.Errorf("only %d documents", len(all))
	}
	judged := 0
	for name, verdict := range testkit.VeraPDF(t, dir) {
		judged++
		switch why := refused[name]; {
		case why == "" && verdict != "pass":
			t.Errorf("%s is accepted; veraPDF: %s", name, verdict)
		case why != "" && verdict == "pass":
			t.Errorf("%s is refused: %s; veraPDF finds nothing", name, why)
		}
	}
	if judged != made || len(refused) > judged/4 {
		t.Errorf("%d files of %d documents were judged; %d refused: %v", judged, len(all), len(refused), refused)
	}
	t.Logf("%d files of %d documents, %d of them refused", judged, len(all), len(refused))
}

// flavours returns veraPDF's names for the requested standards.
func flavours(o events.PrintOptions) string {
	var all []string
	if o.PDFA != "" {
		all = append(all, o.PDFA)
	}
	if o.PDFUA {
		all = append(all, "ua1")
	}
	return strings.Join(all, "+")
}

// judged returns the file that a job makes, or would make if it were not refused, and the reason for a refusal.
func (p printing) judged(html string, o events.PrintOptions, prints map[bool][]byte) (pdf []byte, why string) {
	p.t.Helper()
	w := p.work(html, o)
	printed := prints[o.Structured()]
	if printed == nil {
		printed = p.printed(w)
		prints[o.Structured()] = printed
	}
	w.out = output{data: printed, extension: ".pdf"}
	err := w.step(p.t.Context(), attempt.Do{Step: attempt.Finish})
	if err == nil {
		return w.out.data, ""
	}
	var refused conformanceError
	if !errors.As(err, &refused) {
		p.t.Fatal(err)
	}
	if pdf, err = w.convert(printed); err != nil {
		p.t.Fatal(err)
	}
	return pdf, refused.Error()
}
