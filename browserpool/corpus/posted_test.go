package corpus

import (
	"fmt"
	"strings"
	"testing"

	"platen.dev/events/contract"
)

// writing is a text in some script.
type writing struct{ name, lang, dir, text string }

var writings = []writing{
	{"latin", "en", "ltr", "The harbour master keeps a diary of tides, fog and late ferries."},
	{"accents", "cs", "ltr", "Příliš žluťoučký kůň úpěl ďábelské ódy; ǅ, ﬁ, ẞ und Œuvre."},
	{"greek", "el", "ltr", "Ξεσκεπάζω την ψυχοφθόρα βδελυγμία."},
	{"cyrillic", "ru", "ltr", "Съешь же ещё этих мягких французских булок."},
	{"arabic", "ar", "rtl", "يحتفظ مدير الميناء بدفتر للمد والجزر ١٢٣ و 456."},
	{"persian", "fa", "rtl", "دفتر بندر برای جزر و مد، مه و کشتی‌های دیر."},
	{"hebrew", "he", "rtl", "מנהל הנמל שומר יומן של גאות, ערפל ו-12 מעבורות."},
	{"chinese", "zh", "ltr", "港务长记录潮汐、雾和迟到的渡轮。每天三次，风雨无阻。"},
	{"japanese", "ja", "ltr", "港長は潮と霧と遅い船の日記をつけている。カタカナも。"},
	{"korean", "ko", "ltr", "항만장은 조수와 안개와 늦은 배의 일기를 쓴다."},
	{"thai", "th", "ltr", "นายท่าเรือจดบันทึกน้ำขึ้นน้ำลงและหมอกทุกวัน"},
	{"devanagari", "hi", "ltr", "बंदरगाह प्रमुख ज्वार और कोहरे की डायरी रखता है।"},
	{"bengali", "bn", "ltr", "বন্দরপ্রধান জোয়ার ও কুয়াশার দিনলিপি রাখেন।"},
	{"emoji", "en", "ltr", "Ferry ⛴️ fog 🌫️ flags 🇳🇴🇯🇵 family 👩‍👩‍👧 skin 👍🏽 done ✅."},
	{"mixed", "en", "ltr", "Dock 5 (رصيف ٥) opens at 06:30, רציף 7 at 07:15."},
}

// document returns a page in this script, with its text in most kinds of elements.
func (w writing) document() string {
	long := strings.TrimSpace(strings.Repeat(w.text+" ", 6))
	return fmt.Sprintf(`<!doctype html><html lang="%s" dir="%s"><head><meta charset="utf-8"><title>%s</title></head><body>`, w.lang, w.dir, w.name) +
		`<h1>` + w.text + `</h1><p>` + long + `</p><p style="text-align: end; color: #234">` + w.text + `</p>` +
		`<ul><li>` + w.text + `</li><li><b>` + w.text + `</b></li></ul>` +
		`<table border="1" width="100%"><tr><th>` + w.text + `</th><td>1.5</td></tr><tr><td>2.5</td><td>` + w.text + `</td></tr></table>` +
		`<p style="text-align: justify; border: 1px solid #333; padding: 8px">` + long + `</p>` +
		`<p dir="ltr" style="background: #dde">` + w.text + `</p><p dir="rtl" style="background: #edd">` + w.text + `</p></body></html>`
}

// isShifted reports whether the document is right-to-left and scaled: then the browser prints it wrongly.
func (w writing) isShifted(o contract.Paper) bool {
	return w.dir == "rtl" && o.Scale != 0 && o.Scale != 1
}

// papers lists sheets, margins and scales.
var papers = map[string]contract.Paper{
	"a4":              {},
	"a4-scale-1":      {Scale: 1},
	"a3-scale-1.3":    {Format: "A3", Scale: 1.3},
	"letter-turned":   {Format: "Letter", Landscape: true},
	"legal-scale-0.5": {Format: "Legal", Scale: 0.5, MarginTop: "1in", MarginBottom: "0.5in"},
	"tabloid-bare":    {Format: "Tabloid", MarginTop: "0", MarginRight: "0", MarginBottom: "0", MarginLeft: "0"},
	"a4-scale-2":      {Scale: 2, MarginLeft: "20mm", MarginRight: "20mm"},
	"a4-scale-0.77":   {Scale: 0.77, MarginTop: "37.5px", MarginLeft: "20mm", MarginRight: "60px"},
	"a4-header": {
		HeaderFooter: true,
		MarginTop:    "3cm",
		MarginBottom: "2cm",
		MarginLeft:   "2.5cm",
		MarginRight:  "1in",
		Header:       `<div style="text-align: right">Harbour <b class="title"></b></div>`,
		Footer:       `<span class="pageNumber"></span> / <span class="totalPages"></span>`,
	},
}

// fragments lists kinds of layout made with inline styles.
var fragments = map[string]string{
	"headings":   `<h1>One</h1><h2>Two</h2><h3>Three</h3><h4>Four</h4><h5>Five</h5><h6>Six</h6><p>Text</p>`,
	"lists":      `<ol start="7" type="a"><li>a<ol type="I"><li>b<li>c</ol><li value="30">d</ol><ol reversed><li>x<li>y</ol><ul type="square"><li>z</ul><dl><dt>t<dd>d</dl>`,
	"inline":     `<p>a <b>b</b> <i>c</i> <u>d</u> <s>e</s> H<sub>2</sub>O x<sup>2</sup> <small>f</small> <mark>g</mark> <kbd>h</kbd> <q>quoted</q> <abbr title="x">abbr</abbr> <del>i</del> <ins>j</ins> <tt>k</tt> <font color="#c00">l</font></p>`,
	"quotes":     `<blockquote><p>Said</p><blockquote>Said again</blockquote></blockquote><hr><address>Quay 5<br>Leith</address><center>middle</center>`,
	"code":       "<pre>func main() {\n\tprintln(\"tides\")   // three\n}\n</pre><p><code>x := 1</code> <samp>out</samp> <var>n</var></p>",
	"ruby":       `<p><ruby>港<rt>みなと</rt></ruby>の<ruby>船<rp>(</rp><rt>ふね</rt><rp>)</rp></ruby></p>`,
	"details":    `<details open><summary>Shown</summary><p>Inside</p></details><details><summary>Closed</summary><p>Hidden</p></details>`,
	"columns":    `<div style="columns: 3; column-gap: 20px; column-rule: 1px solid #888">` + strings.Repeat("<p>A column of words that break.</p>", 12) + `</div>`,
	"floats":     `<div style="float: left; width: 120px; height: 90px; background: #9cf; margin: 0 10px 0 0">left</div><div style="float: right; width: 80px; background: #fc9">right</div>` + strings.Repeat("<p>Words flow around both of the boxes until they end.</p>", 6),
	"flex":       `<div style="display: flex; gap: 12px; justify-content: space-between"><div style="flex: 1; background: #eee">one</div><div style="flex: 2; background: #ddd">two</div><div style="width: 90px; background: #ccc">three</div></div>`,
	"flex-wrap":  `<div style="display: flex; flex-wrap: wrap; gap: 8px">` + strings.Repeat(`<div style="width: 150px; height: 40px; border: 1px solid #555; box-sizing: border-box">card</div>`, 11) + `</div>`,
	"grid":       `<div style="display: grid; grid-template-columns: 1fr 2fr minmax(60px, 1fr); gap: 6px">` + strings.Repeat(`<div style="background: #dfd">cell</div>`, 8) + `</div>`,
	"gradient":   `<div style="height: 120px; background: linear-gradient(90deg, #f00, #00f); border-radius: 12px; color: #fff">fade</div><div style="height: 90px; background: radial-gradient(#ff0, #080)">round</div>`,
	"borders":    `<div style="border: 6px double #060; padding: 10px; border-radius: 20px; box-shadow: 4px 4px 0 #999">framed</div><p style="border-left: 5px solid #900; padding-left: 8px">barred</p><p style="outline: 2px dashed #009">outlined</p>`,
	"transforms": `<div style="transform: rotate(8deg); width: 200px; margin: 40px">leaning</div><div style="transform: scale(1.5); transform-origin: 0 0; width: 100px">larger</div><div style="transform: translate(30px, 40px); width: 300px">moved</div>`,
	"positions":  `<div style="position: relative; height: 200px; background: #f4f4f4"><div style="position: absolute; right: 10px; bottom: 10px">corner</div><div style="position: absolute; top: 50px; left: 50px; z-index: 2; background: #cfc">over</div></div>`,
	"opacity":    `<div style="background: #00c; color: #fff; opacity: .4; padding: 10px">faint</div><p style="color: rgba(200, 0, 0, .5)">half</p><p style="visibility: hidden">gone</p><p>kept</p>`,
	"spacing":    `<p style="letter-spacing: 3px; word-spacing: 10px; line-height: 2; text-indent: 40px; text-transform: uppercase">spaced out text</p><p style="font: italic 700 22px 'Liberation Serif'; text-decoration: underline wavy #c00">styled</p>`,
	"vertical":   `<div style="writing-mode: vertical-rl; height: 200px; border: 1px solid #aaa">縦書きの文章です。Latin too.</div>`,
	"clipped":    `<div style="width: 200px; height: 40px; overflow: hidden; border: 1px solid #000">` + strings.Repeat("too much text ", 30) + `</div><p>after</p>`,
	"ellipsis": `<div style="width: 150px; white-space: nowrap; overflow: hidden; text-overflow: ellipsis">a line that does not fit its box at all</div><p style="white-space: pre-line">kept   
		lines</p>`,
	"breaks":         `<p>first</p><p style="break-before: page">second</p><div style="page-break-after: always">still second</div><p>third</p>`,
	"avoid":          strings.Repeat(`<div style="break-inside: avoid; border: 1px solid #777; height: 310px; margin: 10px 0">block</div>`, 7),
	"orphans":        `<div style="height: 960px">filler</div><p style="orphans: 4; widows: 4">` + strings.Repeat("A paragraph that runs over the end of the sheet. ", 30) + `</p>`,
	"long":           strings.Repeat("<h2>Section</h2><p>"+strings.Repeat("The tide table lists high and low water. ", 20)+"</p>", 14),
	"bidi":           `<p>start <bdo dir="rtl">reversed</bdo> <bdi>شركة</bdi>: 5, <span dir="rtl">ציטוט (12)</span> end</p><p dir="auto">مرحبا first</p>`,
	"percent":        `<div style="width: 50%; background: #fec; height: 30px">half</div><div style="width: 33.3%; margin-left: auto; background: #cef">right third</div><div style="width: 100%; border: 2px solid #000; box-sizing: border-box">all</div>`,
	"table-plain":    `<table border="1" cellpadding="6" cellspacing="0"><caption>Tides</caption><thead><tr><th>Day</th><th>High</th></tr></thead><tbody><tr><td>Mon</td><td align="right">4.2</td></tr><tr><td>Tue</td><td align="right">4.4</td></tr></tbody><tfoot><tr><td>Mean</td><td>4.3</td></tr></tfoot></table>`,
	"table-spans":    `<table border="1" width="80%"><tr><td rowspan="3" bgcolor="#eeeeff">tall</td><td colspan="2">wide</td></tr><tr><td>a</td><td>b</td></tr><tr><td valign="bottom">c</td><td>d<br>e</td></tr></table>`,
	"table-nested":   `<table border="1"><tr><td><table border="1" style="border-collapse: collapse"><tr><td>in</td><td>in</td></tr></table></td><td>out</td></tr></table>`,
	"table-collapse": `<table style="border-collapse: collapse; width: 100%; table-layout: fixed"><tr><td style="border: 3px solid #036; width: 30%">a</td><td style="border: 1px solid #c00">b</td></tr><tr><td style="border: 1px dotted #000">c</td><td style="border: 2px dashed #080; overflow-wrap: anywhere">` + strings.Repeat("unbroken", 20) + `</td></tr></table>`,
	"table-long":     `<table border="1" width="100%"><thead><tr><th>No.</th><th>Ship</th></tr></thead><tbody>` + strings.Repeat(`<tr><td>12</td><td>Sea Pearl</td></tr>`, 90) + `</tbody><tfoot><tr><td colspan="2">carried over</td></tr></tfoot></table>`,
	"table-columns":  `<table width="100%"><colgroup><col width="20%"><col span="2" style="background: #ffd"></colgroup><tr><td>a</td><td>b</td><td>c</td></tr></table>`,
}

// postedDocuments returns documents sent as HTML: every script on half of the papers, every layout at some scales.
func postedDocuments(*testing.T, *web) (all []entry) {
	turn := 0
	for _, w := range writings {
		for on, o := range sorted(papers) {
			if turn++; turn%2 == 0 && !w.isShifted(o) { // nine papers: each script gets half of them
				continue
			}
			e := posted("posted/"+w.name+"/"+on, w.document(), o)
			if w.isShifted(o) {
				e.fault = true
				e.differs = &deviation{name: "rtl-root-scaled", like: source{html: turnedInside(w.document())}}
			}
			all = append(all, e)
		}
	}
	for name, html := range sorted(fragments) {
		for _, scale := range []float64{0, 1.25} {
			all = append(all, posted(fmt.Sprintf("posted/%s/scale-%v", name, scale), whole(html), contract.Paper{Scale: scale}))
		}
	}
	return all
}

// turnedInside returns a right-to-left document with a left-to-right root, so that only its content is right-to-left.
// The browser prints that correctly.
func turnedInside(html string) string {
	html = strings.Replace(html, `dir="rtl"`, ``, 1)
	html = strings.Replace(html, `<body>`, `<body><div dir="rtl">`, 1)
	return strings.Replace(html, `</body>`, `</div></body>`, 1)
}
