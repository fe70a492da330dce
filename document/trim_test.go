package document

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"platen.dev/events/testkit"
)

// enough is a limit that no test reaches.
const enough = 1 << 30

// trimmable lists fragments that the trimmer and the sanitiser might read differently.
var trimmable = []string{
	"<a style=\"color:00\f00\">x", `<a style="color:00&#12;00">x`, `<a style="color:00&#13;00">x`, `<a style="color:00&#13;&#10;00">x`, `<a style="color:00&#11;00">x`, `<a style="color:&#13;red;top:1px&#13;">x`,
	`a<!-- b -->c`, `<<!-- -->script>x`, `a<!doctype html>b`, `&am<x>p;`, `<<x>b>c`, `a<x>b</x>c<o:p/>d`,
	`<svg><b>a</b><svg>b</svg>c</svg>d`, `</svg>a<svg>b`, `</svg><svg>b</svg>c`, `<svg/>a`, `<title>a<b>c</title>d`, `<title>a`, `<textarea><svg></textarea>a`,
	`<script>a</script>b`, `<script><!--<script>a</script>b--></script>c`, `<script>a`, `<script/>a</script>b`, `</script>a`, `<style>a</style>b<style>`, `<style/>b`,
	`<xmp><b>a</xmp>b`, `<plaintext><b>a`, `<svg><xmp></svg></xmp>a</svg>b`, `<noscript><b>a</noscript>b`, `<iframe><p>x</iframe>y`, `<p`, `<p a`, `</p`, `<!-`, `<`,
	`<p style=color:red>`, `<p style="color:red;x:y;margin:0">`, `<p style="color:red;;margin:0">`, `<p style=";color:red">`, `<p style="x">a`, `<p style="x;color:red">`,
	"<p style=\"color:red;\n\">", `<p style="color:red; ">`, `<p style="color:red ! important;x:y">`, `<p style="color:red !IMPORTANT;x:y">`, `<p style="x:color:red;x:y">`,
	`<p style="color:a:red;x:y">`, `<p style=":red;color:red">`, `<p style="0::;margin:0">`, `<p style="0: :a;margin:0">`, `<p style="color:;x:y">`, `<p style="COLOR:RED;x:y">`, `<p style="-webkit-color:red;x:y">`, `<p style="-webkit--moz-color:red;x:y">`,
	`<p style="font-family:'a;b:c';x:y">`, `<p style='font-family:"a:b";x:y'>`, `<p style="font-family:'a;color:red;x:y">`, `<p style="quotes:'\201C' '\201D';x:y">`,
	`<p style="color:/* a */red;x:y">`, `<p style="background:url(data:image/png;base64,AAAA);color:red">`, `<p style="background:url('data:a;b');color:red">`,
	`<p style="color:rgb(1;2);x:y">`, `<p style="color:red);x:y">`, `<p style="color:rgb(1,2,3;x:y">`, `<p style="color:red}x:y">`, `<p style="{color:red;x:y">`, `<p style="@a;color:red;x:y">`,
	`<p STYLE="color:red;x:y" style="margin:0;x:y" title='"' x=y>`, `<p a"b=c style="color:red;x:y">`, `<p =x style="color:red;x:y">`, `<br style="color:red;x:y"/>`,
	`<body style="color:red;x:y" onload=x><p>`, `<html lang=de><head><title>a &amp; b</title></head><body dir=rtl>c</body></html>`,
	`<html DIR=rtl dir=ltr lang='de"'><body lang=ar dir=up class=x LANG=de>c`, `<html/dir=rtl><body dir=&#114;tl lang>c`,
	"<p style=\"color:red;x:y\" title=\"a\r\nb\x00c\">\r\n&nbsp;&#x41;&amp;lt;&notanentity;&", "<p style=\"color:\xff;x:y\">", "<p style=\"color:\ufeffred;x:y\">", "<b\x00>x",
	`<a href="https://a/?b&amp;c&copy=1">x</a><a href="x:y">z</a>`, `<img src="data:image/svg+xml,<svg fill='#fff'>">x`, `<img src=data:image/png;base64,AA==>x`, `<img src='data:image/jpg;base64,A A'>`,
	`<img src="&#100;ata:image/png,x"><img src="data:text/html,&lt;b>"><a href=" #x ">y</a><a href="">z</a><a href>z</a>`, "<img src=\"data:image/svg+xml,<svg\r\n>\x00\">x",
	`<p style="0!url(x:0);color:red">`, `<p style="0 URL( x:0 );color:red">`, `<p style="':' url(x:0);color:red">`, `<p style="a(x:0);color:red">`, `<p style="background:url(x:0);color:red">`,
	`<p style="background:URL( 'https://a/b@2x.png' ) no-repeat;x:y">`, `<p style='background:url("a@b" c;x:y'>`, `<p style="font-family:'@a';x:y">`, `<p style="list-style:url(cid:a) '\d800'">`,
	`<p style="background:url(&quot;https://a&quot;) \d800;color:">`, `<table background=https://a><tr><td background="cid:b"><p background=c>`, `<body background="a&quot;b" style="background:url(x)"><p>`,
	`<p title="&quot;&lt;" style="color:red;x:y">`, `<img src="data:image/png;base64,AAAA" alt="a" style="x:y">`,
}

// checkTrimmed fails the test unless a source is sanitised to the same result after trimming.
func checkTrimmed(t *testing.T, source string) {
	t.Helper()
	source = strings.TrimPrefix(source, byteOrderMark)
	if strings.TrimSpace(source) == "" {
		return // the sanitiser does not look at it
	}
	want := Sanitize(source)
	got, err := SanitizeWithin(source, enough)
	if err != nil {
		if len(source) < 1000 && strings.Count(source, `\`) <= maxEscapes {
			t.Errorf("%q: %v", source, err)
		}
		return
	}
	if got != want && !(got == Sanitized{} && want.Empty()) {
		t.Errorf("%q\nbecame %+v\n  not  %+v", source, got, want)
	}
	trimmed := newTrimmer(source, enough, allowedElements)
	text, err := trimmed.run()
	if err != nil || trimmed.least > len(want.Body) {
		t.Errorf("%q: %v, expected %d bytes, got %d: %s", source, err, trimmed.least, len(want.Body), want.Body)
	}
	if body := allowList.Sanitize(text); body != want.Body && strings.TrimSpace(text) != "" { // even if nothing can be seen
		t.Errorf("%q\nwas trimmed to %q\nand became %q\n  not  %q", source, text, body, want.Body)
	}
	if _, err := SanitizeWithin(source, len(want.Body)-1); !want.Empty() && !errors.Is(err, ErrTooLarge) {
		t.Errorf("%q: got %v with %d bytes where one less is allowed", source, err, len(want.Body))
	}
}

// The trimmer removes only what the sanitiser would remove.
func TestTrim(t *testing.T) {
	for _, source := range append(trimmable, hostile...) {
		for _, embedded := range []string{source, "<div><b>" + source, source + source, source + "<p style='color:red;x:y'>z"} {
			checkTrimmed(t, embedded)
		}
	}
	files, err := filepath.Glob("../testdata/*/*.html")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		checkTrimmed(t, string(source))
	}
}

// The sanitiser keeps the tags of all allowed elements, as the trimmer assumes.
func TestAllowedElementsAreKept(t *testing.T) {
	for _, element := range elements {
		if source := "<" + element + "></" + element + ">"; Sanitize(source).Body != source {
			t.Errorf("%s became %s", source, Sanitize(source).Body)
		}
	}
}

// Documents that would be too large, or too expensive to read, are refused; those that only look like it are not.
func TestTooLargeHTML(t *testing.T) {
	const limit = 240 << 10
	many := func(text string, n int) string { return strings.Repeat(text, n) }
	for name, tc := range map[string]struct {
		source string
		want   error
	}{
		"text":                    {many("x", limit), nil},
		"more text":               {many("x", limit+1), ErrTooLarge},
		"entities":                {many("&nbsp;", limit/2), nil},
		"more entities":           {many("&nbsp;", limit/2+1), ErrTooLarge},
		"long entities":           {many("&CounterClockwiseContourIntegral;", limit/3), nil},
		"text not shown":          {"<svg>" + many("x", 13*limit) + "</svg>x", nil},
		"very much text":          {many("x", 13*limit), ErrTooLarge},
		"escapes":                 {many("&", limit/5), nil},
		"more escapes":            {many("&", limit/5+1), ErrTooLarge},
		"tags":                    {many("<b></b>", limit/7), nil},
		"more tags":               {many("<b></b>", limit/7+1), ErrTooLarge},
		"unknown tags":            {many("<x>", 100_000), nil},
		"more unknown tags":       {many("<x>", 103_000), ErrTooLarge},
		"a large script":          {"<script>" + many("if (a < b) c('<p>')", 200_000) + "</script>x", nil},
		"a large comment":         {"<!--" + many("<p>", 1_000_000) + "-->x", nil},
		"a large picture removed": {`<img src="data:text/html;base64,` + many("AAAA", 1_000_000) + `">x`, nil},
		"a large link removed":    {`<a href="data:image/png;base64,` + many("AAAA", 1_000_000) + `">x</a>`, nil},
		"a picture":               {`<img src="data:image/svg+xml,` + many("x", limit-len(`<img src="data:image/svg+xml,">`)) + `">`, nil},
		"a larger picture":        {`<img src="data:image/svg+xml,` + many("x", limit-len(`<img src="data:image/svg+xml,">`)+1) + `">`, ErrTooLarge},
		"a link":                  {`<a href="#` + many("x", limit-len(`<a href="#">x</a>`)) + `">x</a>`, nil},
		"a longer link":           {`<a href="#` + many("x", limit-len(`<a href="#">x</a>`)+1) + `">x</a>`, ErrTooLarge},
		"a large picture":         {`<img src="data:image/png;base64,` + many("AAAA", 1_000_000) + `">x`, ErrTooLarge},
		"a large background":      {`<p style="background:url('data:image/png;base64,` + many("AAAA", 1_000_000) + `')">x`, ErrTooLarge},
		"a large one of the body": {`<body style="background:url('data:image/png;base64,` + many("AAAA", 1_000_000) + `')">x`, ErrTooLarge},
		"a large one removed":     {`<p style="background:url('data:text/html;base64,` + many("AAAA", 1_000_000) + `')">x`, nil},
		"many backgrounds":        {`<p style="` + many("background:url(x);", 8_000) + `">x`, nil},
		"many more backgrounds":   {`<p style="` + many("background:url(x);", 50_000) + `">x`, ErrTooLarge},
		"attributes":              {"<p " + many("a ", maxAttributes) + ">x", nil},
		"more attributes":         {"<p " + many("a ", maxAttributes+1) + ">x", ErrTooLarge},
		"slashed tags":            {strings.Repeat("<p "+many("a ", maxAttributes/2)+"/>", 2) + "x", nil},
		"more slashed tags":       {strings.Repeat("<p "+many("a ", maxAttributes/2)+"/>", 2) + "x<p a/>", ErrTooLarge},
		"attributes of an end":    {"x</p " + many("a ", maxAttributes+1) + ">", nil},
		"kept attributes":         {many("<b id=a>", limit/len(`<b id="a">`)-1) + "x", nil},
		"more kept attributes":    {many("<b id=a>", limit/len(`<b id="a">`)+1) + "x", ErrTooLarge},
		"removed attributes":      {many("<b id=~>", limit/len(`<b>`)-1) + "x", nil},
		"removed values":          {many("<td id=~ lang=~ dir=~ width=~ height=~>", maxRemoved/5) + "x", nil},
		"more removed values":     {many("<td id=~ lang=~ dir=~ width=~ height=~>", maxRemoved/5+1) + "x", ErrTooLarge},
		"references":              {`<p style="x:` + many("&ab", limit+limit/4) + `">x`, nil},
		"more references":         {`<p style="x:` + many("&ab", limit+limit/4+1) + `">x`, ErrTooLarge},
		"a title":                 {"<title>" + many("x", limit) + "</title>x", nil},
		"a longer title":          {"<title>" + many("x", limit+1_000) + "</title>x", ErrTooLarge},
		"a title of spaces":       {"<title>" + many(" ", 13*limit) + "</title>x", nil},
		"titles":                  {"<title>" + many("x", limit+1) + "</title><title>y</title>x", nil},
		"no title":                {"<p><title>" + many("x", limit+1) + "</title>x", nil},
		"quotes":                  {many(`"`, limit/len("&#34;")), nil},
		"more quotes":             {many(`"`, limit/len("&#34;")+1), ErrTooLarge},
		"plain text":              {"<plaintext>" + many("x", limit), nil},
		"more plain text":         {"<plaintext>" + many("x", limit+1), ErrTooLarge},
		"unsafe styles":           {`<p style="` + many("x:y;", 90_000) + `">x`, nil},
		"more unsafe styles":      {`<p style="` + many("x:y;", 103_000) + `">x`, ErrTooLarge},
		"styles":                  {`<p style="` + many("top:1px;", 20_000) + `">x`, nil},
		"more styles":             {`<p style="` + many("top:1px;", 30_000) + `">x`, ErrTooLarge},
		"odd styles":              {many(`<p style="color:\72ed">`, 2_000) + "x", nil},
		"more odd styles":         {many(`<p style="color:\72ed">`, 6_500) + "x", ErrTooLarge},
		"brackets":                {`<p style="top:` + many("(", maxBrackets) + many("x", maxOddStyles) + many(")", maxBrackets) + `">x`, nil},
		"more brackets":           {`<p style="top:` + many("(", maxBrackets+1) + many("x", maxOddStyles) + many(")", maxBrackets+1) + `">x`, ErrTooLarge},
		"escaped styles":          {`<p style="color:` + many(`\41 `, maxEscapes) + `">x`, nil},
		"more escaped styles":     {`<p style="color:` + many(`\41 `, maxEscapes+1) + `">x`, ErrTooLarge},
	} {
		if _, err := SanitizeWithin(tc.source, limit); !errors.Is(err, tc.want) {
			t.Errorf("%s: got %v, want %v", name, err, tc.want)
		}
	}
}

// Trimming changes only the cost.
func FuzzTrim(f *testing.F) {
	for _, source := range append(trimmable, hostile...) {
		f.Add(source)
	}
	f.Fuzz(checkTrimmed)
}

// worst returns documents of up to 7.3 MB that are refused, or of which nothing remains. Those with fixed numbers are just below a
// limit of the trimmer, or of the sanitiser alone.
func worst() map[string]string {
	const most = 7_300_000
	fill := func(s string) string { return strings.Repeat(s, most/len(s)) }
	many := func(n int, s string) string { return strings.Repeat(s, min(n, most/len(s))) }
	ids, attributes, references := many(3_000, "<b id=abcdefghijklm>")+"x", strings.Repeat(" a=b", 15), strings.Repeat("&ab", 20)
	return map[string]string{
		"styled words": fill(`<b style="color:red">x</b> `), "unsafe styles": fill(`<b style="x:y">x</b>`), "one style": `<p style="` + fill(`color:red;`) + `">x`,
		"one unsafe style": `<p style="` + fill(`x:y;`) + `">`, "one odd style": `<p style="{` + fill(`x:y;`) + `">`, "colons": `<p style="` + fill(`:`) + `">`,
		"escapes": `<p style="color:` + fill(`\41 `) + `">`, "calls": `<p style="color:` + fill(`a(`) + `">`, "unsafe calls": `<p style="` + fill(`top:url(x);`) + `">`,
		"empty elements": fill(`<b></b>`), "breaks": fill(`<br>`), "unknown": fill(`<x>`), "unknown with attributes": fill(`<x y>`), "text": fill(`lorem ipsum `),
		"ampersands": fill(`&`), "half entities": fill(`&a`), "entities": fill(`&nbsp;`), "angles": fill(`< `), "comments": fill(`<!---->`), "comment": `<!--` + fill(`x`),
		"script": `<script>` + fill(`</s`), "scripts": fill(`<script></script>`), "drawing": `<svg>` + fill(`<g>`), "drawing with styles": `<svg>` + fill(`<b style="color:red">`),
		"attributes": `<p ` + fill(`a `) + `>`, "title": `<p title="` + fill(`&nbsp;`) + `">`, "links": fill(`<a href="http://a/?b&c&d&e&f">`), "link": `<a href="/?` + fill(`a&`) + `">`,
		"slashed tags": fill(`<b a b c d e f g h i j k l/>`), "slashed documents": fill(`<html a b c d e f g h a=b/>`),
		"background": `<p style="background:url(data:image/png;base64,` + fill(`AAAA`) + `)">x`, "removed background": `<p style="background:url(data:text/html,` + fill(`AAAA`) + `)">`,
		"escaped background": `<p style="background:url('data:image/svg+xml,` + fill(`<`) + `')">x`, "body's background": `<body style="background:url(data:image/png;base64,` + fill(`AAAA`) + `)">x`,
		"backgrounds": `<p style="background:` + fill(`url(x),`) + `">x`, "unclosed backgrounds": `<p style="background:` + fill(`url("url('`) + `">`, "backgrounds of no address": `<p style="background:` + fill(`url( `) + `">`,
		"picture": `<img src="data:image/png;base64,` + fill(`AAAA`) + `">`, "titles": fill("<title>a</title>"),

		"references in a style": `<p style="x:` + fill(`&ab`) + `">`, "references in styles": many(81_000, `<b style="x:`+references+`">`), "references in an unknown attribute": `<p a="` + fill(`&ab`) + `">`,
		"title of references": `<title>` + fill(`&ab`) + `</title>`, "long title": `<title>` + fill(`&ab`) + `</title>x`, "removed URLs": many(80_000, `<a href="x:`+references+`">`),
		"unknown attributes": many(81_000, `<b`+attributes+`>`), "attributes of a document": many(102_000, `<html`+attributes+`>`), "attributes of unknown elements": many(102_000, `<x`+attributes+`>`),
		"attributes of an end": `</b ` + fill(`a `) + `>`, "slashes": `<b ` + fill(`/`) + `>`, "spaces": `<b ` + fill(` `) + `>x` + strings.Repeat(ids, 5), "text of raw elements": `<xmp>` + fill(`&ab`), "plain text": `<plaintext>` + fill(`<b>`),
		"text of a drawing": `<svg>` + fill(`a<`), "invisible": fill("\x00"), "removed URLs, then ids": many(60_000, `<a href="x:`+references+`">`) + ids + ids + ids, "braces, then ids": `<p style="` + many(60_000, `{`) + `">` + ids + ids + ids + ids,
		"removed attributes, then ids": many(55_000, `<td id=~ lang=~ dir=~ width=~ height=~ align=~ valign=~ bgcolor=~ colspan=~ rowspan=~>`) + ids,
	}
}

// forgotten is the memory that pools allocate again; none without the race detector.
var forgotten uint64

// Refused HTML takes little memory besides the source: at most a copy of it, and a copy of one attribute.
func TestRefusedHTMLTakesLittleMemory(t *testing.T) {
	for name, source := range worst() {
		used := allocated(func() {
			if s, err := SanitizeWithin(source, 240<<10); err == nil && !s.Empty() {
				t.Errorf("%s: it is not refused", name)
			}
		})
		t.Logf("%s: %.1f MB", name, float64(used)/1e6)
		if most := uint64(3*len(source)+1<<20) + forgotten; used > most {
			t.Errorf("%s: %d bytes of HTML took %d bytes of memory, expected at most %d", name, len(source), used, most)
		}
	}
}

// BenchmarkRefusedHTML measures the worst refused documents: less than 100 ms of processor time each. Sanitised first,
// each would take from 50 ms to hours.
func BenchmarkRefusedHTML(b *testing.B) {
	for name, source := range worst() {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(source)))
			before := testkit.ProcessorTime(b)
			for b.Loop() {
				if s, err := SanitizeWithin(source, 240<<10); err == nil && !s.Empty() {
					b.Fatal("it is not refused")
				}
			}
			b.ReportMetric(float64((testkit.ProcessorTime(b)-before).Microseconds())/1000/float64(b.N), "cpu-ms/op")
		})
	}
}
