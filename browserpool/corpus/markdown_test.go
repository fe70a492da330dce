package corpus

import (
	"fmt"
	"strings"
	"testing"

	"platen.dev/events/contract"
)

// passages covers the syntax of Markdown.
var passages = map[string]string{
	"headings":   "# One\n\n## Two\n\nSetext\n======\n\n### Three ###\n\ntext  \nbroken line\n",
	"emphasis":   "*a* _b_ **c** __d__ ***e*** ~~gone~~ `code` snake_case_word 2*3*4\n",
	"lists":      "- a\n- b\n  - c\n\n    para\n  - d\n\n1. x\n2. y\n   1. z\n\n7) seven\n8) eight\n",
	"quotes":     "> said\n> > again\n>\n> - list\n\nafter\n\n---\n\n***\n",
	"code":       "```go\nfunc main() {\n\tprintln(\"x\")\n}\n```\n\n    indented\n\n`` a ` b ``\n",
	"table":      "| left | middle | right |\n|:---|:---:|---:|\n| a | b | 1.25 |\n| **c** | `d` | 10 |\n",
	"table-wide": "|" + strings.Repeat(" column |", 6) + "\n|" + strings.Repeat("---|", 6) + "\n" + strings.Repeat("|"+strings.Repeat(" some words |", 6)+"\n", 5),
	"table-long": "| no | ship |\n|---|---|\n" + strings.Repeat("| 12 | Sea Pearl |\n", 80),
	"links":      "[harbour](https://example.org \"title\") <https://example.org/a?b=c> [ref] and [js](javascript:alert(1))\n\n[ref]: https://example.org/ref\n",
	"html":       "text <b>shown</b>\n\n<div>as text</div>\n\n<script>alert(1)</script>\n\n&copy; &amp; &#x20ac; \\*not\\*\n",
	"prose":      strings.Repeat("## Section\n\n"+strings.Repeat("The tide table lists high and low water. ", 30)+"\n\n", 12),
	"picture":    "![flag](" + dataURI("image/png", encodings()["png"]) + ")\n\ntext ![alternative](https://127.0.0.1:1/none.png)\n",
	"scripts":    "# 港の日記\n\n港長は潮と霧の日記をつけている。\n\n# يوميات\n\nيحتفظ مدير الميناء بدفتر.\n\n# יומן\n\nמנהל הנמל\n\nनाव ⛴️ นายท่า\n",
	"rtl-table":  "| اسم | رقم |\n|---|---|\n| سفينة | ١٢ |\n| שם | 7 |\n",
	"crlf":       "# Title\r\n\r\n- a\r\n- b\r\n\r\ntext\r\n",
}

// markdownDocuments returns documents that are sent as Markdown, on some papers.
func markdownDocuments(*testing.T, *web) (all []entry) {
	for name, markdown := range sorted(passages) {
		for on, o := range sorted(map[string]contract.Paper{"a4": {}, "letter": {Format: "Letter", Scale: 1.2, MarginLeft: "1in", MarginRight: "1in"}}) {
			e := entry{name: fmt.Sprintf("markdown/%s/%s", name, on), source: source{markdown: markdown}, options: o}
			if name == "picture" {
				e.warns = contract.ResourceMissing
			}
			all = append(all, e)
		}
	}
	return all
}
