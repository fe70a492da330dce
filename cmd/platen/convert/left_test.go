package convert

import "testing"

func TestLeftOut(t *testing.T) {
	for source, want := range map[string]string{
		"":            "",
		"<p>text</p>": "",
		`<link rel="icon" href="a.png"><a href="b.html">b</a><img src="https://example.com/a.png"><img src="//example.com/a.png"><img src="data:image/png;base64,AA"><img>`: "",
		`<LINK REL="preload StyleSheet" href=a.css><style>p {}</style><script src=a.js></script><script>"<svg>"</script><!-- <iframe> -->`:                                  "left out: style sheets (2), scripts (2); --html-mode full shows them",
		`<img src="a b.png"><img src=../c.png><svg><script></script></svg><iframe src="https://example.com"></iframe><object></object>`:                                     "left out: scripts (1), frames (2), drawings (1), pictures of its folder (2); --html-mode full shows them",
		`<td background="a.png" style="background: url('b.png'), url(https://example.com/c.png)"><p background="">`:                                                         "left out: pictures of its folder (2); --html-mode full shows them",
	} {
		if got := leftOut(source); got != want {
			t.Errorf("%s: %q, want %q", source, got, want)
		}
	}
}
