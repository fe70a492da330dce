package document

import (
	"errors"
	"strings"
	"testing"
	"time"

	"platen.dev/events/testkit"
)

func mustMarkdown(t *testing.T, source string) string {
	t.Helper()
	got, err := Markdown(source)
	if err != nil {
		t.Fatalf("%.40q: %v", source, err)
	}
	return got
}

// CommonMark, tables and strikethrough are rendered; other extensions of GFM are not.
func TestMarkdown(t *testing.T) {
	for source, want := range map[string]string{
		"# Hello *you*":                            `<h1 dir="auto" id="hello-you">Hello <em>you</em></h1>`,
		"\ufeff# Hello":                            `<title>Hello</title>`,
		"\ufeff# Hi":                               `<h1 dir="auto" id="hi">Hi</h1>`,
		"# A&nbsp;&lt;b\\*&gt;":                    "<title>A\u00a0&lt;b*&gt;</title>",
		"a\n\nb":                                   `<p dir="auto">b</p>`,
		"1. x\n2. y":                               `<li dir="auto">y</li>`,
		"> quote":                                  `<blockquote dir="auto">`,
		"```go\nx < y\n```":                        "<pre><code>x &lt; y\n</code></pre>",
		"|a|b|\n|-|:-:|\n|c|d|":                    `<th dir="auto" style="text-align: center">b</th>`,
		"~~gone~~":                                 `<del>gone</del>`,
		"[l](https://example.com)":                 `<a href="https://example.com">l</a>`,
		"![i](https://e.com/a.png)":                `<img src="https://e.com/a.png" alt="i">`,
		"- [ ] task":                               `[ ] task`,
		"www.example.com":                          `<p dir="auto">www.example.com</p>`,
		"a<b>c</b>":                                `a&lt;b&gt;c&lt;/b&gt;`,
		"<div>\n*x*\n</div>":                       "&lt;div&gt;\n*x*\n&lt;/div&gt;",
		"<script>alert(1)</script>":                `&lt;script&gt;alert(1)&lt;/script&gt;`,
		"<!-- note -->":                            `&lt;!-- note --&gt;`,
		"a <!-- b --> c":                           `a &lt;!-- b --&gt; c`,
		"&lt;b&gt; &copy;":                         `&lt;b&gt; ©`,
		"- שלום\n\n  1. **a**":                     "<ul dir=\"rtl\">\n<li dir=\"rtl\">\n<p dir=\"auto\">שלום</p>\n<ol dir=\"auto\">",
		"> 1) שלום":                                "<blockquote dir=\"rtl\"><ol dir=\"rtl\">\n<li dir=\"rtl\">",
		"|שלום|1|\n|-|-|\n|a|2|":                   "<table dir=\"rtl\">\n<thead>\n<tr>\n<th dir=\"auto\">שלום</th>\n<th>1</th>",
		"שלום":                                     `<p dir="auto">שלום</p>`,
		"[x](javascript:alert(1))":                 `<p dir="auto"><a>x</a></p>`,
		"[x](JAVASCRIPT:alert(1))":                 `<p dir="auto"><a>x</a></p>`,
		"[x](data:text/html,a)":                    `<p dir="auto"><a>x</a></p>`,
		"<javascript:alert(1)>":                    `<p dir="auto"><a>javascript:alert(1)</a></p>`,
		"![i](file:///etc/passwd)":                 `<p dir="auto"><img alt="i"></p>`,
		"[x](file:///etc/passwd)":                  `<p dir="auto"><a>x</a></p>`,
		"[x](data:image/png,a)":                    `<p dir="auto"><a>x</a></p>`,
		"![i](data:image/svg+xml;utf8,%3Csvg/%3E)": `<img src="data:image/svg+xml;utf8,%3Csvg/%3E" alt="i">`,
		"![i](data:image/jpg;base64,AAAA)":         `<img src="data:image/jpg;base64,AAAA" alt="i">`,
		"![i](data:text/html,a)":                   `<p dir="auto"><img alt="i"></p>`,
		"# A & <b>\n\ntext":                        `<title>A &amp;</title>`,
		"\x00":                                     "\ufffd",
	} {
		if got := mustMarkdown(t, source); !strings.Contains(got, want) {
			_, body, _ := strings.Cut(got, "<body>")
			t.Errorf("%q: no %s in %s", source, want, body)
		}
	}
}

// Hostile HTML inside Markdown is made harmless, too.
func TestMarkdownOfHostileHTML(t *testing.T) {
	for _, source := range hostile {
		for _, embedded := range []string{source, "text " + source, "- " + source, "[a](<" + source + ">)"} {
			_, body, _ := strings.Cut(mustMarkdown(t, embedded), "<body>")
			checkInert(t, embedded+" title=", body)
		}
	}
}

// A fragment keeps raw HTML, as far as it is safe, among what Markdown makes.
func TestMarkdownFragment(t *testing.T) {
	for source, want := range map[string][]string{
		"# A\n\n**b** `c`":                          {"<h1", "A</h1>", "<strong>b</strong>", "<code>c</code>"},
		"<p align=center><b>Logo</b></p>\n\n*text*": {`<p align="center"><b>Logo</b></p>`, "<em>text</em>"},
		"one<br>two":                                {"one<br>two"},
		`<img src="logo.png" width="90" onerror="alert(1)"> ![l](l.png)`: {`<img src="logo.png" width="90">`, `<img src="l.png" alt="l">`},
		"<table><tr><td colspan=2>*a*</td></tr></table>":                 {`<table><tr><td colspan="2">*a*</td></tr></table>`},
		"|a|\n|:-:|\n|1|": {`text-align: center`, "1</td>"},
		"x <script>alert(1)</script> y\n\n<script>\nalert(1)\n</script>": {"x  y"},
		"<!-- a note -->\n\nx <div onclick=alert(1)>y</div>":             {"x <div>y</div>"},
		"": nil,
	} {
		got, err := MarkdownFragment(source, 1000)
		if err != nil || strings.Contains(got, "alert") || strings.Contains(got, "note") {
			t.Errorf("%q: %q, %v", source, got, err)
		}
		for _, part := range want {
			if !strings.Contains(got, part) {
				t.Errorf("%q: no %s in %s", source, part, got)
			}
		}
	}
	for _, source := range hostile {
		got, err := MarkdownFragment("text "+source, 100_000)
		if err != nil {
			t.Errorf("%q: %v", source, err)
		}
		checkInert(t, source, got)
	}
	if _, err := MarkdownFragment(strings.Repeat("<b>x</b>", 200), 1000); !errors.Is(err, ErrTooLarge) {
		t.Errorf("a large fragment: %v", err)
	}
}

// Structure that is expensive for its length is either refused or rendered in time: below
// a second of processor time, or much longer under the race detector.
func TestMarkdownHostileStructure(t *testing.T) {
	const length = 100_000
	fill := func(s string) string { return strings.Repeat(s, length/len(s)) }
	for _, refused := range []string{
		fill(">"), fill("> "), fill("- ") + "x", fill("1. ") + "x", fill("> - ") + "x", fill("[a]("),
		"|" + strings.Repeat("a|", 300) + "\n|" + strings.Repeat("-|", 300) + "\n" + fill("x\n"),
	} {
		if _, err := Markdown(refused); !errors.Is(err, ErrComplex) {
			t.Errorf("%.20q…: got %v, want ErrComplex", refused, err)
		}
	}
	for _, rendered := range []string{
		fill("["), fill("!["), fill("*"), fill("*a "), fill("_a __b "), fill("~~a~b"), fill("`a``b```c"), fill("<"), fill("<!--"),
		fill("a <?"), fill("<a x='"), fill("[a]: b\n"), fill("[a\n"), fill("a|b\n-|-\n"), fill("&#1"), fill("\\"), fill("a  \n"),
		fill(strings.Repeat(">", 40) + "a\n"), fill(strings.Repeat("* ", 100) + "\n"), strings.Repeat("[", length/2) + strings.Repeat("]", length/2),
	} {
		before := testkit.ProcessorTime(t) // a busy machine takes longer, and no more of it
		mustMarkdown(t, rendered)
		if took := testkit.ProcessorTime(t) - before; took > 30*time.Second {
			t.Errorf("%.20q… took %v", rendered, took)
		}
	}
}

// A long document is not mistaken for a hostile one.
func TestMarkdownLongDocument(t *testing.T) {
	chapter := "## Chapter\n\nText with a [link](https://example.com) and `code`.\n\n- a\n  - b\n    - c\n\n> said\n\n|a|b|\n|-|-|\n|1|2|\n\n---\n\n"
	mustMarkdown(t, strings.Repeat(chapter, 100_000/len(chapter)))
	mustMarkdown(t, "|a|b|c|\n|-|-|-|\n"+strings.Repeat("|1|2|3|\n", 12_000))
}

func BenchmarkMarkdown(b *testing.B) {
	source := strings.Repeat("Some *plain* text with `code` and a [link](https://example.com).\n\n", 1500)
	b.SetBytes(int64(len(source)))
	for b.Loop() {
		if _, err := Markdown(source); err != nil {
			b.Fatal(err)
		}
	}
}

// A conversion ends when its result is too large.
func TestTooLargeMarkdown(t *testing.T) {
	const limit = 240 << 10
	for name, tc := range map[string]struct {
		source string
		want   error
	}{
		"items":           {strings.Repeat("- a\n\n", 4_000), nil},
		"more items":      {strings.Repeat("- a\n\n", 20_000), ErrTooLarge},
		"references":      {strings.Repeat(`"`, limit/5-20), nil},
		"more references": {strings.Repeat(`"`, limit/5), ErrTooLarge},
	} {
		html, err := MarkdownWithin(tc.source, limit)
		if !errors.Is(err, tc.want) {
			t.Errorf("%s: got %d bytes and %v, want %v", name, len(html), err, tc.want)
		}
	}
}

// BenchmarkRefusedMarkdown is what Markdown costs that makes too much HTML.
func BenchmarkRefusedMarkdown(b *testing.B) {
	for name, part := range map[string]string{"items": "- - - a\n", "lists": "- a\n\n", "rules": "-\n\n", "headings": "# a\n", "table": "|a|b|\n|-|-|\n"} {
		source := strings.Repeat(part, 100_000/len(part))
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if _, err := MarkdownWithin(source, 240<<10); err == nil {
					b.Fatal("it is not refused")
				}
			}
		})
	}
}
