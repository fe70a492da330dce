package document

import "testing"

func TestSanitizeTemplate(t *testing.T) {
	for source, want := range map[string]string{
		`Page <span class="pageNumber"></span> of <span class="totalPages"></span>`: `Page <span class="pageNumber"></span> of <span class="totalPages"></span>`,
		`<b style="color: red">Draft</b>`:                                           `<b style="color: red">Draft</b>`,
		`<script>alert(1)</script><span class="url">x</span>`:                       `<span class="url">x</span>`,
		`<img src="https://example.test/x.png">logo`:                                `logo`,
		`<span class="other" onclick="x()">a</span>`:                                `<span>a</span>`,
		`<style>p{}</style><p>a</p>`:                                                `<p>a</p>`,
		`<div style="background: url(https://example.test/x)">a</div>`:              `<div style="background: none">a</div>`,
	} {
		if got := SanitizeTemplate(source); got != want {
			t.Errorf("%s: got %s, want %s", source, got, want)
		}
	}
}
