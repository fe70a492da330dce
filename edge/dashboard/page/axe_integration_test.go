//go:build integration

package page_test

import (
	"os"
	"slices"
	"testing"
)

// rules are the standards that pages are checked against: WCAG 2.2, level AA, and best practices.
const rules = `async () => {
	const found = await axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']});
	return found.violations.flatMap((v) => v.nodes.map((n) => v.id + ': ' + v.help + ': ' + n.html + ' ' + n.failureSummary)).join('\n');
}`

// TestAccessibility lets axe-core judge every page in both themes. PLATEN_TEST_AXE names its axe.min.js.
func TestAccessibility(t *testing.T) {
	path := os.Getenv("PLATEN_TEST_AXE")
	if path == "" {
		t.Skip("PLATEN_TEST_AXE is not set: no page is judged by axe-core")
	}
	axe, err := os.ReadFile(path)
	must(t, err)
	all := slices.DeleteFunc(append(views(), empties()...), func(v view) bool { return v.name == "empty-message" }) // one without a title is never shown
	p := newSite(t, all).open(t)
	for _, v := range all {
		for _, as := range []struct {
			width int
			theme string
		}{{1280, "light"}, {1280, "dark"}, {360, "light"}} {
			p.show(v.name, as.width, as.theme)
			p.eval(`(axe) => { (0, eval)(axe); return ''; }`, string(axe))
			if found := p.eval(rules); found != "" {
				t.Errorf("%s, %d px, %s:\n%s", v.name, as.width, as.theme, found)
			}
		}
	}
}
