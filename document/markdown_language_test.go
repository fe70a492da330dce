package document

import (
	"strings"
	"testing"
)

// Blocks with kana or hangul get the attribute lang; the others do not.
func TestMarkdownMarksLanguages(t *testing.T) {
	for source, want := range map[string]string{
		"直すのは海だ。":             `<p dir="auto" lang="ja">直すのは海だ。</p>`,
		"# 차 세 잔":             `lang="ko" id="차-세-잔">차 세 잔</h1>`,
		"- 물은 식힌다":            `<li dir="auto" lang="ko">`,
		"水是茶的母亲。":             `<p dir="auto">水是茶的母亲。</p>`,
		"茶、お茶、차":              `<p dir="auto">茶、お茶、차</p>`,
		"Tea, plain as it is": `<p dir="auto">Tea, plain as it is</p>`,
	} {
		got, err := Markdown(source)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(got, want) {
			t.Errorf("%q: no %s in\n%s", source, want, got[strings.Index(got, "<body"):])
		}
	}
}
