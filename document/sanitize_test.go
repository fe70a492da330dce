package document

import (
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// hostile lists fragments with the word PAYLOAD where something would run or load. Sanitizing must remove it.
var hostile = []string{
	`<script>PAYLOAD</script>`,
	`<SCRIPT SRC=//evil.example/PAYLOAD></SCRIPT>`,
	`<scr<script>ipt>PAYLOAD</script>`,
	`<style>body{background:url(PAYLOAD)}</style>`,
	`<style><!--</style><script>PAYLOAD</script>-->`,
	`<iframe src="https://PAYLOAD">PAYLOAD</iframe>`,
	`<iframe srcdoc="<script>PAYLOAD</script>"></iframe>`,
	`<object data="PAYLOAD">PAYLOAD</object>`,
	`<embed src="PAYLOAD">`,
	`<svg onload="PAYLOAD"><script>PAYLOAD</script></svg>`,
	`<svg><style><img src=x onerror=PAYLOAD></style></svg>`,
	`<math><mtext><script>PAYLOAD</script></mtext></math>`,
	`<math><mi xlink:href="javascript:PAYLOAD" href="javascript:PAYLOAD" actiontype="PAYLOAD" style="--x:url(PAYLOAD)">x</mi></math>`,
	`<math><annotation-xml encoding="text/html"><img src=x onerror=PAYLOAD></annotation-xml></math>`,
	`<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=PAYLOAD&gt;">`,
	`<math><textarea></math><a title="</textarea><img src=x onerror=PAYLOAD>">`, `<select><textarea></select><img src=x onerror=PAYLOAD></textarea>`,
	`<textarea><img src=x onerror=PAYLOAD>`, `<select><option><img src=x onerror=PAYLOAD>`, `<svg><textarea></svg><img src=x onerror=PAYLOAD>`,
	`<math><mtext><![CDATA[</mtext><img src=x onerror=PAYLOAD>]]></math>`,
	`<template><img src=PAYLOAD onerror=PAYLOAD></template>`,
	`<noscript><img title="</noscript><script>PAYLOAD</script>"></noscript>`,
	`<textarea><img src=x onerror=PAYLOAD></textarea>`,
	`<img src="javascript:PAYLOAD">`,
	`<img src=x onerror="PAYLOAD">`,
	`<img src="data:text/html,PAYLOAD">`,
	`<img src="data:text/xml,PAYLOAD">`,
	`<img src="data:text/html;image/png,PAYLOAD">`,
	`<img src="data:image/,PAYLOAD">`,
	`<img src="data:image,PAYLOAD">`,
	`<img src="data:imagetext/html,PAYLOAD">`,
	`<img src="data:image/svg+xml/html,PAYLOAD">`,
	"<img src=\"da\nta:text/html,PAYLOAD\">",
	`<img src="&#1;data:text/html,PAYLOAD">`,
	`<img src="blob:PAYLOAD">`,
	`<img src="filesystem:https://PAYLOAD">`,
	`<img src="view-source:https://PAYLOAD">`,
	`<img src="about:PAYLOAD">`,
	`<a href="data:image/png;base64,PAYLOAD">x</a>`,
	`<a href="data:image/svg+xml,PAYLOAD">x</a>`,
	`<a href="DATA:image/svg+xml,PAYLOAD">x</a>`,
	`<a href=" data:image/svg+xml,PAYLOAD">x</a>`,
	`<a href="blob:PAYLOAD">x</a>`,
	`<a href="ftp://PAYLOAD">x</a>`,
	`<a href="x:PAYLOAD">x</a>`,
	"<a href=\"\u00a0javascript:PAYLOAD\">x</a>",
	"<a href=\"java&#10;script:PAYLOAD\">x</a>",
	"<a href=\"&#13;javascript:PAYLOAD\">x</a>",
	`<a href="javascript&colon;PAYLOAD">x</a>`,
	`<img src="data:image/svg+xml,x" onload="PAYLOAD">`,
	`<img srcset="https://PAYLOAD 1x">`,
	`<img lowsrc="https://PAYLOAD" dynsrc="https://PAYLOAD">`,
	`<img src="file:///PAYLOAD">`,
	`<img src="ftp://host/PAYLOAD">`,
	`<a href="javascript:PAYLOAD">x</a>`,
	`<a href="JaVaScRiPt:PAYLOAD">x</a>`,
	"<a href=\"java\tscript:PAYLOAD\">x</a>",
	`<a href=" &#1; javascript:PAYLOAD">x</a>`,
	`<a href="&#106;avascript:PAYLOAD">x</a>`,
	`<a href="vbscript:PAYLOAD">x</a>`,
	`<a href="data:text/html;base64,PAYLOAD">x</a>`,
	`<a href="x" onclick=PAYLOAD ping="https://PAYLOAD">x</a>`,
	`<p onmouseover="PAYLOAD">x</p>`,
	`<p style="background:url(javascript:PAYLOAD)">x</p>`,
	`<p style="background:url(file:///PAYLOAD)">x</p>`,
	`<p style="background:URL( ' &#9;file:///PAYLOAD' )">x</p>`,
	`<p style="background:url(data:text/html,PAYLOAD)">x</p>`,
	`<p style="background:url(cid:PAYLOAD)">x</p>`,
	`<p style="background:u\72l(&quot;file:///PAYLOAD&quot;)">x</p>`,
	`<p style="background:u\72l(&quot;https://PAYLOAD&quot;;x)">x</p>`,
	`<p style="background:url(&quot;\66 ile:///PAYLOAD&quot;)">x</p>`,
	`<p style="background:url(&quot;https://a\22 ),url(file:PAYLOAD&quot;)">x</p>`,
	`<p style="background:url( &quot;https://PAYLOAD)">x</p>`,
	"<p style=\"background:url('https://PAYLOAD\n')\">x</p>",
	`<p style="background:url(https://a b PAYLOAD)">x</p>`,
	`<p style="background:url(https://a&quot;PAYLOAD)">x</p>`,
	`<p style="background:element(#PAYLOAD)">x</p>`,
	`<p style="background:image-set(url(https://PAYLOAD) 1x)">x</p>`,
	`<p style="background:image(url(https://PAYLOAD))">x</p>`,
	`<p style="background:paint(PAYLOAD)">x</p>`,
	`<p style="list-style:url(https://PAYLOAD) &quot;\d800&quot;;background:url(file:PAYLOAD)\110000">x</p>`,
	`<p style="width:url(https://PAYLOAD)">x</p>`,
	`<p style="font-family:'url(https://PAYLOAD)'">x</p>`,
	`<p style="background:-url(https://PAYLOAD)">x</p>`,
	`<ul style="list-style: ' url(&quot;https:x'url(file:///PAYLOAD\22 )"><li>x</ul>`,
	`<p style="background-image:url(&quot;https://a\22),url(&quot;),url(//evil/PAYLOAD\22 )">x</p>`,
	`<ul style="list-style: ' url(&quot;https:x'image-set(url(http://evil.test/PAYLOAD\22 )"><li>x</ul>`,
	`<ul style="list-style: ' url(&quot;data:image/png,x'url(http://PAYLOAD?\22 )"><li>x</ul>`,
	`<p style="color: '; background: ' url(&quot;https:x'url(file:///PAYLOAD\22 )">x</p>`,
	`<body style="list-style: ' url(&quot;https:x'url(file:///PAYLOAD\22 )">x</body>`,
	`<p style="background:u\72l(https://PAYLOAD)">x</p>`,
	`<p style="background:u/**/rl(https://PAYLOAD)">x</p>`,
	`<p style="background-image:image-set('https://PAYLOAD' 1x)">x</p>`,
	`<p style="background-image:-webkit-image-set('https://PAYLOAD' 1x)">x</p>`,
	`<p style="background-image:cross-fade(url(https://PAYLOAD),red,50%)">x</p>`,
	`<p style="background-image:src('https://PAYLOAD')">x</p>`,
	`<p style="width:expression(PAYLOAD)">x</p>`,
	`<p style="color:var(--PAYLOAD)">x</p>`,
	`<p style="-moz-binding:url(PAYLOAD)">x</p>`,
	`<p style="behavior:url(PAYLOAD)">x</p>`,
	`<p style="content:url(PAYLOAD)">x</p>`,
	`<p style="cursor:url(PAYLOAD),auto">x</p>`,
	`<p style="filter:url(PAYLOAD)">x</p>`,
	`<p style="@import 'PAYLOAD'">x</p>`,
	`<p style="color:red}body{background:PAYLOAD">x</p>`,
	`<link rel=stylesheet href="PAYLOAD">`,
	`<link rel=preload href="https://PAYLOAD">`,
	`<meta http-equiv=refresh content="0;url=PAYLOAD">`,
	`<base href="https://PAYLOAD/">`,
	`<form action="PAYLOAD"><input formaction="PAYLOAD"><button formaction="PAYLOAD">b</button></form>`,
	`<input type=image src="https://PAYLOAD">`,
	`<video src="PAYLOAD" poster="PAYLOAD"><source src="PAYLOAD"></video>`,
	`<audio src="PAYLOAD"></audio>`,
	`<table background="javascript:PAYLOAD"><tr><td background="file:///PAYLOAD">x</table>`, `<p background="https://PAYLOAD">x`,
	`<body background="file:PAYLOAD" onload="PAYLOAD">x</body>`,
	`<frameset><frame src="PAYLOAD"></frameset>`,
	`<!--[if IE]><script>PAYLOAD</script><![endif]-->`,
	`<![CDATA[<script>PAYLOAD</script>]]>`,
	`<?xml-stylesheet href="PAYLOAD"?>`,
	`<x-element onfoo=PAYLOAD is=PAYLOAD>x</x-element>`,
	`<p slot=PAYLOAD contenteditable=PAYLOAD autofocus onfocus=PAYLOAD>x</p>`,
	`<p id="PAYLOAD onx=1" class="PAYLOAD">x</p>`,
	`<p title='"><script>PAYLOAD2</script>' onx="PAYLOAD">x</p>`,
	"<p/onclick=PAYLOAD>x</p>",
	"<p \x00onclick=PAYLOAD>x</p>",
	"<scr\x00ipt>PAYLOAD</scr\x00ipt>",
}

// Serialised output quotes each value, and escapes quotes within.
var (
	values  = regexp.MustCompile(`="[^"]*"`)
	handler = regexp.MustCompile(`(?i)<[^>]*\son[a-z]+\s*=`)
	// address matches an address, and its scheme as a group: nothing runs the rest.
	address = regexp.MustCompile(`\s(?:src|href|background)="(?:([^"/?#:]*:)[^"]*|[^"]*)"`)
	// dangerous matches text that no output may contain outside of character data.
	dangerous = regexp.MustCompile(`(?i)<[^>]*(="[^"/?#]*(?:javascript|vbscript):|url\(|expression\(|<script)`)
	// shownPicture matches one in a style, whose address is one of those that an image may have.
	shownPicture = regexp.MustCompile(`\burl\((?:"|&#34;)(?:(?:(?i:https?:|data:(?:image/[a-z0-9.+-]+|application/octet-stream)?[;,])|[^:"\s]*?[/?#])` +
		`[\w.~:/?#\[\]@!$&'()+,;=%-]*?|[\w.~@!$&'()+,;=%[\]-]*?)(?:"|&#34;)\)`)
	// calls matches a call of url, also one whose name has escapes.
	calls = regexp.MustCompile(`(?i)(?:u|\\0*[57]5\s?)(?:r|\\0*[57]2\s?)(?:l|\\0*[46]c\s?)\(`)
)

func TestHostileHTML(t *testing.T) {
	for _, source := range hostile {
		for _, within := range []string{source, "<div><b>" + source, "<table><tr><td>" + source + "</table>", source + source} {
			got := Sanitize(within)
			checkInert(t, within, got.Body)
			if style := got.BodyStyle; strings.Contains(style, "PAYLOAD") {
				t.Errorf("%q keeps the body style %q", within, style)
			}
		}
	}
}

// checkInert fails the test if the body, parsed as a browser does, has anything outside the
// allow-list.
func checkInert(t *testing.T, source, body string) {
	t.Helper()
	tree, err := html.Parse(strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	var visit func(*html.Node)
	visit = func(n *html.Node) {
		if n.Type == html.ElementNode {
			switch n.Data {
			case "script", "style", "iframe", "object", "embed", "svg", "template", "link", "meta", "base",
				"annotation-xml", "mglyph", "malignmark", "button", "video", "audio", "source", "frame", "frameset", "noscript":
				t.Errorf("%q leaves an element %s: %s", source, n.Data, body)
			}
			for _, a := range n.Attr {
				if a.Key == "style" {
					a.Val = shownPicture.ReplaceAllString(a.Val, "")
				}
				if strings.HasPrefix(a.Key, "on") || a.Key != "title" && strings.Contains(a.Val, "PAYLOAD") || a.Key == "style" && calls.MatchString(a.Val) {
					t.Errorf("%q leaves %s=%q on %s", source, a.Key, a.Val, n.Data)
				}
			}
		}
		for child := n.FirstChild; child != nil; child = child.NextSibling {
			visit(child)
		}
	}
	visit(tree)
	body = shownPicture.ReplaceAllString(body, "")
	if handler.MatchString(values.ReplaceAllString(body, `=""`)) ||
		dangerous.MatchString(address.ReplaceAllString(body, ` src="$1"`)) && !strings.Contains(source, "title=") {
		t.Errorf("%q leaves %s", source, body)
	}
}

// The usual markup of documents is unchanged.
func TestHarmlessHTML(t *testing.T) {
	for _, source := range []string{
		`<h1 id="top" lang="de" dir="ltr">Title</h1>`,
		`<h2 id="हिन्दी-में">हिन्दी में</h2>`,
		`<p style="color: red; margin: 0 auto; width: calc(100% - 2px)">x</p>`,
		`<p style="background: linear-gradient(90deg, rgba(1, 2, 3, 0.5), #fff)">x</p>`,
		`<p style="transform: rotate(-45deg) translateX(2px)">x</p>`,
		`<div style="display: grid; grid-template-columns: repeat(2, minmax(0, 1fr))">x</div>`,
		`<p style="break-after: page">x</p>`,
		`<table border="1" cellpadding="2" cellspacing="0"><colgroup><col span="2"></colgroup><thead><tr><th scope="col" colspan="2" id="h">a</th></tr></thead><tbody><tr><td rowspan="2" headers="h" aria-label="x" aria-hidden="true" align="right" valign="top">b</td></tr></tbody></table>`,
		`<img src="https://example.com/a.png" alt="a" width="10" height="20">`,
		`<img src="data:image/png;base64,iVBORw0KGgo=">`,
		`<img src="data:image/jpg;base64,AAAA">`, `<img src="data:image/pjpeg;base64,AAAA">`, `<img src="data:image/webp;base64,AAAA">`,
		`<img src="data:image/avif;base64,AAAA">`, `<img src="data:image/apng;base64,AAAA">`, `<img src="data:image/bmp;base64,AAAA">`,
		`<img src="data:;base64,AAAA">`, `<img src="data:,AAAA">`, `<img src="data:application/octet-stream;base64,AAAA">`,
		`<img src="data:image/x-icon;base64,AAAA">`, `<img src="data:image/vnd.microsoft.icon;base64,AAAA">`, `<img src="DATA:Image/PNG;BASE64,AAAA">`,
		`<img src="data:image/svg+xml;charset=utf-8;base64,AAAA">`, `<img src="data:image/svg+xml;base64,PHN2Zz4">`, `<img src="data:image/png;base64,iVBO Rw0K
			Ggo=">`,
		`<img src="data:image/svg+xml;utf8,&lt;svg xmlns=&#39;http://www.w3.org/2000/svg&#39;/&gt;">`,
		"<img src=\"data:image/svg+xml,&lt;svg\n\txmlns=&#34;http://www.w3.org/2000/svg&#34; width=&#34;100%&#34;&gt;&lt;rect fill=&#34;#%zz&#34;/&gt;\">",
		`<img src="data:image/svg+xml;charset=UTF-8,%3Csvg%20xmlns=%22http://www.w3.org/2000/svg%22/%3E">`,
		`<img src=" data:image/gif;base64,AAAA">`, `<img src="HTTPS://example.com/a b.png">`, `<img src="//example.com/a.png">`, `<img src="a.png">`,
		`<a href="../a/b.html?x=1:2#c">l</a>`, `<a href="?x:y">l</a>`, `<a href="page.html">l</a>`, `<a href="https://example.com/[x]">l</a>`,
		`<a href="mailto:a@example.com">m</a>`,
		`<a href="https://example.com/?a=1&amp;b=2">l</a>`,
		`<a href="#top">up</a>`,
		`<ol start="3" type="a" reversed=""><li value="7">x</li></ol>`,
		`<ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp></ruby>`,
		`<span>1 &lt; 2 &amp; 3</span>`,
		`<p dir="rtl">مرحبا</p>`,
		`<details open=""><summary>s</summary>d</details>`,
		`<input type="checkbox" checked="" disabled=""> done <input type="text" value="Jane &#34;J&#34; Doe" size="20"> <progress value="0.5" max="1"></progress>`,
		`<textarea rows="3" cols="20">1 &lt; 2</textarea><select multiple="" size="2"><optgroup label="G"><option selected="">A</option></optgroup></select>`,
		`<math display="block"><mfrac linethickness="2px"><mrow><mi mathvariant="normal">a</mi><mo stretchy="false" lspace="0.2em">+</mo><mn>1</mn></mrow><msqrt><msup><mi>x</mi><mn>2</mn></msup></msqrt></mfrac><mspace width="1em"/><mtable><mtr><mtd columnspan="2"><mtext>if</mtext></mtd></mtr></mtable></math>`,
	} {
		if got := Sanitize(source).Body; got != source {
			t.Errorf("changed\n  from %s\n  to   %s", source, got)
		}
	}
}

// The beginning of a URL shows that it has no scheme.
func TestRelativeURLs(t *testing.T) {
	for url, want := range map[string]bool{
		strings.Repeat("x", 200): true, strings.Repeat("x", 201): false, strings.Repeat("x", 200) + "/" + strings.Repeat("y:", 500): true, strings.Repeat("x", 201) + "/": false,
		"#" + strings.Repeat("x:", 500): true, "": false, " ": false, "a b": false, "a:b": false, "a/b:c": true,
	} {
		if got := strings.Contains(Sanitize(`<a href="`+url+`">x</a>`).Body, "href="); got != want {
			t.Errorf("%.20s… of %d bytes is kept: %t", url, len(url), got)
		}
	}
}

// Active elements are removed with their content; of unknown ones, the content is kept.
func TestContentOfRemovedElements(t *testing.T) {
	for source, want := range map[string]string{
		`a<script>b</script>c`:                   `ac`,
		`a<style>b</style>c`:                     `ac`,
		`a<iframe>b</iframe>c`:                   `ac`,
		`a<svg><text>b</text></svg>c`:            `ac`,
		`a<frame src="x">b<map name="m"><area>c`: `abc`,
		`a<form action="x"><input name="n" type="file" onfocus="x" value="v">b</form>c`:             `a<form><input value="v">b</form>c`,
		`<math><semantics><mi href="x">y</mi><annotation encoding="TeX">z</annotation></semantics>`: `<math><semantics><mi>y</mi></semantics>`,
		`a<blink>b</blink>c`:                       `abc`,
		`a<embed src="x">c`:                        `ac`,
		`a<link href=x><meta charset=x>c`:          `ac`,
		`<p style="color:red;behavior:url(x)">x`:   `<p style="color: red">x`,
		`<p style="position:absolute;x:y" foo=1>x`: `<p style="position: absolute">x`,
	} {
		if got := Sanitize(source).Body; got != want {
			t.Errorf("%s became %s, want %s", source, got, want)
		}
	}
}

// What browsers skip in a style costs its other declarations nothing; a picture costs only itself.
func TestRepairedStyles(t *testing.T) {
	const want = `<p style="color: red">x`
	for _, style := range []string{
		"color:red;\n", "\n\tcolor: red;\n\t", ";color:red", "color:red;;", "color:red; ;", "color:red; /* c */", "/* a: b; */ color:red", "color:red/* c */;", "bold;color:red",
		"color:red; bold", "color:red; width=100", "{{css}};color:red", "color:red;{{css}}", "a { color: blue };color:red", "color:red; /* unclosed",
	} {
		if got := Sanitize(`<p style="` + style + `">x`).Body; got != want {
			t.Errorf("%q became %s", style, got)
		}
		checkTrimmed(t, `<p style="`+style+`">x`)
	}
	for style, want := range map[string]string{
		`background:#1a73e8 url('https://e.test/a.png') center/cover no-repeat;color:#fff`: `background: #1a73e8 url("https://e.test/a.png") center/cover no-repeat; color: #fff`,
		`background:url( &quot;a;b&quot; ),linear-gradient(red,blue)`:                      `background: url("a;b"),linear-gradient(red,blue)`,
		`background-image:URL(data:image/png;base64,AA==)`:                                 `background-image: url("data:image/png;base64,AA==")`,
		`color:var(--ink, rgb(1, 2, 3));width:var(--w)`:                                    "color: rgb(1, 2, 3)",
		`color:var(--a, var(--b, red));width:var(--a, ')')`:                                "color: red",
		`background:url(https://x/*/y.png);color:red`:                                      `background: url("https://x/%2A/y.png"); color: red`,
		`list-style:square url(x)`:                                                         `list-style: square url("x")`,
		`background:red;background:url(a(b))`:                                              "background: red",
		`padding-inline-start:1em;overflow-y:hidden`:                                       "padding-inline-start: 1em; overflow-y: hidden",
	} {
		source := `<p style="` + style + `">x`
		if got := Sanitize(source).Body; got != `<p style="`+html.EscapeString(want)+`">x` {
			t.Errorf("%q became %s", style, got)
		}
		checkTrimmed(t, source)
	}
}

// A style keeps pictures whose addresses an image may have, and writes them so that nothing of them ends the string. One that is refused leaves an empty
// address, of which the requester is warned.
func TestPicturesInStyles(t *testing.T) {
	long := "data:image/png;base64," + strings.Repeat("AAAA", 10*maxStyleValue)
	for style, want := range map[string]string{
		`background:url()`:                                     `background: none`,
		`background:red url( '' )`:                             `background: red none`,
		`background-image:url(` + long + `)`:                   `background-image: url("` + long + `")`,
		`background:url(HTTPS://a/b@2x.png?c=1&amp;d=(2)'#e)`:  ``,
		`background:url('HTTPS://a/b@2x.png?c=1&amp;d=(2)#e')`: `background: url("HTTPS://a/b@2x.png?c=1&d=%282%29#e")`,
		`background:url(&quot;//a/it's ü<>{}.png&quot;) fixed`: `background: url("//a/it%27s%20%C3%BC%3C%3E%7B%7D.png") fixed`,
		`background:url(https://a/é),url(cid:b) red`:           `background: url("https://a/%C3%A9"),url("") red`,
		`background:url(javascript:x);color:red`:               `background: url(""); color: red`,
		`background:url('https://a/;x:y')`:                     `background: url("https://a/;x:y")`,
		`list-style-image:url( https://a )`:                    `list-style-image: url("https://a")`,
		`background:var(--b, red url(https://a/(b)));top:0`:    `top: 0`,
		`background:var(--b, red url('https://a/(b)'))`:        `background: red url("https://a/%28b%29")`,
		`background:u\72 l(https://a);top:0`:                   `top: 0`,
		`background:\000075\72l(&quot;file:a&quot;)`:           ``,
		`font-family:'\5b8b\41 B\\72';background:url(b)`:       `background: url("b")`,
		`font-family:'\41 B';background-color:rgb(1,2,3)`:      `font-family: '\41 B'; background-color: rgb(1,2,3)`,
		`color:url(https://a);top:0`:                           `top: 0`,
		`background:url(https://a` + "\\)" + `);top:0`:         `top: 0`,
		`background:curl(https://a);top:0`:                     `top: 0`,
		strings.Repeat(`background:url(https://a);`, 2000):     strings.TrimSuffix(strings.Repeat(`background: url("https://a"); `, 2000), "; "),
	} {
		source := `<p style="` + style + `">x`
		if want != "" {
			want = ` style="` + html.EscapeString(want) + `"`
		}
		if got := Sanitize(source).Body; got != `<p`+want+`>x` {
			t.Errorf("%.200q became %.200s", style, got)
		}
		checkTrimmed(t, source)
	}
}

// Headers and footers are of text.
func TestPicturesInTemplates(t *testing.T) {
	if got := SanitizeTemplate(`<p style="background:red url(https://a);list-style-image:url(b)">x</p>`); got != `<p style="background: red none; list-style-image: none">x</p>` {
		t.Error(got)
	}
}

// Markup of old documents and e-mails stays as browsers know it.
func TestOldMarkup(t *testing.T) {
	for _, source := range []string{
		`<font size="+2" face="Arial, &#39;Times New Roman&#39;">x</font>`, `<table rules="all" frame="box" cellpadding="10px" border="" bgcolor="ffcc00"><tr height="9"><td nowrap="">x`,
		`<hr color="red" size="3" noshade="">`, `<img src="https://e.test/a" hspace="9" border="0">`, `<br clear="all">`, `<form><fieldset><legend>a</legend><label>b</label></fieldset></form>`,
		`<menu><li>a</menu>`, `<big>a</big><nobr>b</nobr><acronym>c</acronym>`, `<p hidden="">x`, `<dialog open="">x</dialog>`,
		`<table background="https://e.test/a"><tbody background="a/b"><tr background="data:image/png;base64,AA=="><td background="//e.test/a b">x`,
	} {
		if got := Sanitize(source).Body; got != source {
			t.Errorf("%s became %s", source, got)
		}
		checkTrimmed(t, source)
	}
	if got := Sanitize(`<body bgcolor="ffcc00" text=navy style="margin:0">x`).BodyStyle; got != "background-color: #ffcc00; color: navy; margin: 0" {
		t.Error(got)
	}
	checkTrimmed(t, `<body bgcolor="ffcc00" text=navy style="margin:0">x`)
	if got := Sanitize(`<body background=" https://e.test/a&quot;b.png" style="margin:0">x`).BodyStyle; got != `background-image: url("https://e.test/a%22b.png"); margin: 0` {
		t.Error(got)
	}
}

func TestEmpty(t *testing.T) {
	for source, want := range map[string]bool{
		"":                                      true,
		" \n\t":                                 true,
		"<p>&nbsp;</p><br>":                     true,
		"<p>\u200b\u200e\ufeff</p>":             true,
		"<script>x</script><style>y</style>":    true,
		"<!-- comment -->":                      true,
		"<html><head><title>t</title></head>":   true,
		`<div style="background:red">  </div>`:  true,
		"x":                                     false,
		"<p>.</p>":                              false,
		"<hr>":                                  false,
		`<img src="https://example.com/a.png">`: false,
	} {
		if got := Sanitize(source).Empty(); got != want {
			t.Errorf("Empty(%q) = %v", source, got)
		}
	}
}

// The safe properties of the caller's html, title and body elements are kept.
func TestDocumentProperties(t *testing.T) {
	got := Sanitize(`<!doctype html><html lang="ar" dir="rtl"><head><title> A &amp;
		B </title></head><body style="font-size: 12pt; background: url(x)" onload=x><p>text</p></body></html>`)
	want := Sanitized{Lang: "ar", Dir: "rtl", Title: "A & B", BodyStyle: `font-size: 12pt; background: url("x")`}
	got.Body, want.Body = "", ""
	if got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	for source, want := range map[string]Sanitized{
		`<html lang=de dir=ltr><body lang=ar dir=rtl>x`:  {Lang: "de", Dir: "ltr", BodyLang: "ar", BodyDir: "rtl"},
		`<body dir=AUTO lang=x-1 style="x:y" onload=z>x`: {BodyDir: "AUTO", BodyLang: "x-1"},
		`<html dir=rtl><body dir=up lang='"'>x`:          {Dir: "rtl"},
		`<p>x</p><body dir=rtl>y`:                        {},
	} {
		within, err := SanitizeWithin(source, enough)
		got := Sanitize(source)
		if within != got || err != nil {
			t.Errorf("%s: got %+v, within a limit %+v, %v", source, got, within, err)
		}
		if got.Body = ""; got != want {
			t.Errorf("%s: got %+v, want %+v", source, got, want)
		}
	}
	hostile := Sanitize(`<body dir='"><script>' lang='"><script>'><html lang='"><script>' dir="x"><title><script>alert(1)</script></title><body>t`).HTML()
	if strings.Contains(hostile, "<script") {
		t.Errorf("the properties break out: %s", hostile)
	}
}

// A byte order mark before the document would be a line of its own.
func TestByteOrderMarkOfHTML(t *testing.T) {
	const source = "\ufeff<h1>a</h1>\ufeff"
	within, err := SanitizeWithin(source, enough)
	if got := Sanitize(source); err != nil || got.Body != "<h1>a</h1>\ufeff" || within != got {
		t.Errorf("got %q, and within a limit %q, %v", got.Body, within.Body, err)
	}
}

// The direction of the document is moved to its body, which keeps its own language.
func TestDirectionOfDocument(t *testing.T) {
	for source, want := range map[string]string{
		`<html lang=ar dir=rtl><body>x`:                       `<html lang="ar"><head>*</head><body dir="rtl">x`,
		`<html dir=rtl><body dir=ltr>x`:                       `<html><head>*</head><body dir="ltr">x`,
		`<html lang=de dir=ltr><body lang=he dir=auto>x`:      `<html lang="de"><head>*</head><body lang="he" dir="auto">x`,
		`<html dir=auto><body style="color:red"><p dir=rtl>x`: `<html><head>*</head><body dir="auto" style="color: red"><p dir="rtl">x`,
		`<html dir=rtl>x`:                                     `<html><head>*</head><body dir="rtl">x`,
		`<body lang=he>x`:                                     `<html><head>*</head><body lang="he">x`,
	} {
		before, after, _ := strings.Cut(want, "*")
		if got := Sanitize(source).HTML(); !strings.Contains(got, before) || !strings.Contains(got, after) {
			t.Errorf("%s became %s, want %s", source, got, want)
		}
	}
}

func TestWholeDocument(t *testing.T) {
	got := Sanitize(`<html lang="de"><body><p>Grüße</p></body></html>`).HTML()
	for _, want := range []string{`<!doctype html>`, `<html lang="de">`, `<meta charset="utf-8">`, `Content-Security-Policy`, `<p>Grüße</p>`} {
		if !strings.Contains(got, want) {
			t.Errorf("no %s in %s", want, got)
		}
	}
}

// For any input, the output contains only what the allow-list permits.
func FuzzSanitize(f *testing.F) {
	for _, source := range append(trimmable, hostile...) {
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source string) {
		s := Sanitize(source)
		checkInert(t, source, `<p style="`+html.EscapeString(s.BodyStyle)+`">`)
		checkInert(t, source, strings.ReplaceAll(s.Body, "PAYLOAD", "-")) // the word is the other tests'
		s.Empty()
		s.HTML()
	})
}

func BenchmarkSanitize(b *testing.B) {
	source := strings.Repeat(`<tr><td style="color: red; padding: 2px 4px">Item</td><td align="right">12.50</td></tr>`, 2500)
	b.SetBytes(int64(len(source)))
	for b.Loop() {
		Sanitize(source)
	}
}
