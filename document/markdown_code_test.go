package document

import (
	"fmt"
	"strings"
	"testing"
)

// Wide drawings of characters become smaller instead of losing their shape; other code keeps its size, and drawings that would get too small.
func TestDrawings(t *testing.T) {
	diagram := func(columns int) string {
		inner := columns - 2
		return "┌" + strings.Repeat("─", inner) + "┐\n│" + strings.Repeat(" ", inner) + "│\n└" + strings.Repeat("─", inner) + "┘"
	}
	table := func(columns int) string {
		edge := "+" + strings.Repeat("-", columns-2) + "+"
		return edge + "\n|" + strings.Repeat(" ", columns-2) + "|\n" + edge
	}
	sized := func(columns int) string {
		return fmt.Sprintf(`<pre style="font-size: %.3fem"><code>`, 0.86*90/float64(columns))
	}
	for name, tc := range map[string]struct{ code, want string }{
		"narrow":         {diagram(90), "<pre><code>┌"},
		"wide":           {diagram(91), sized(91) + "┌"},
		"widest":         {diagram(180), sized(180) + "┌"},
		"too wide":       {diagram(181), "<pre><code>┌"},
		"table":          {table(120), sized(120) + "+-"},
		"tabs":           {"├\t─\n├\n└" + strings.Repeat("\t", 24) + "x", sized(97)},
		"two lines":      {strings.Repeat("─", 100) + "\n" + strings.Repeat("─", 100), "<pre><code>─"},
		"one edge":       {"+" + strings.Repeat("-", 100) + "+\n" + strings.Repeat("x", 120), "<pre><code>+"},
		"ordinary code":  {strings.Repeat("x ", 100), "<pre><code>x x"},
		"trailing space": {diagram(80) + strings.Repeat(" ", 40), "<pre><code>┌"},
		"escaped":        {table(120) + "\n<b> & \x00", "&lt;b&gt; &amp; \ufffd"},
	} {
		for kind, source := range map[string]string{"fenced": "```\n" + tc.code + "\n```", "indented": "    " + strings.ReplaceAll(tc.code, "\n", "\n    ")} {
			if kind == "indented" && name == "tabs" {
				continue // the indentation counts for them
			}
			if got := mustMarkdown(t, source); !strings.Contains(got, tc.want) {
				_, body, _ := strings.Cut(got, "<body>")
				t.Errorf("%s, %s: no %q in %s", name, kind, tc.want, body)
			}
		}
	}
}
