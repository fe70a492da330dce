package document

import "testing"

func TestEmbeds(t *testing.T) {
	const dot = `<img src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=">`
	for html, want := range map[string]bool{
		`<p>text`: false,
		`<p><img src=" DATA:image/svg+xml,<svg/>">`: false,
		`<p>` + dot + dot:                                                       false,
		`<p>` + dot + `<img src="HTTP://x/y">`:                                  true,
		`<IMG alt="x" SRC='https://x/y.png'>`:                                   true,
		`<img src=https://x/y.png>`:                                             true,
		`<p title=' src="https://x"'> src="https://x/"</p>` + dot:               false,
		`<a href="https://x/">link</a>`:                                         false,
		`<p style="background: url(https://x/y.png)">x</p>`:                     true,
		`<p style="background: url(data:image/png,x), url(//x/y.png)">x</p>`:    true,
		`<p style="background: url(data:image/png,x)">url("https://x")</p>`:     false,
		`<p style="width: 1px; filter: url(https://x/y.png)">x</p>`:             false, // sanitised
		`<td background="https://x/y.png">x`:                                    true,
		`<table><td background="data:image/png,x">x`:                            false,
		`<p style="background: url(cid:b)">x`:                                   false,
		`<body background="https://x/y.png">x`:                                  true,
		`<script src="https://x/y.js"></script><iframe src="//x"></iframe><p>x`: false,
	} {
		if got := Embeds(Sanitize(html).HTML()); got != want {
			t.Errorf("%s: %t, want %t", html, got, want)
		}
	}
	for markdown, want := range map[string]bool{
		"![x](https://x/y.png)": true, "`<img src=\"https://x\">`": false, "<img src=\"https://x\">": false, "[x](https://x)": false,
		"![x](data:image/svg+xml;base64,PHN2Zz4)": false,
	} {
		html, err := Markdown(markdown)
		if err != nil || Embeds(html) != want {
			t.Errorf("%s: %t, %v, want %t", markdown, !want, err, want)
		}
	}
}
