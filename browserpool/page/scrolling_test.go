package page

import (
	"strings"
	"testing"

	"platen.dev/browserpool/pagetest"
	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

// Boxes that scroll hide no code and no tables on paper: long lines of code are broken, wide tables shrunk. What stays hidden is warned of.
func TestScrollingBoxes(t *testing.T) {
	testkit.Long(t)
	t.Parallel()
	slot := openSlot(t)
	cells := func(n int) string {
		return strings.Repeat(`<td style="white-space: nowrap">A CELL</td>`, n) + "<td>END</td>"
	}
	line := strings.Repeat("long line ", 30) + "END"
	web := pagetest.NewWeb(t, pagetest.Pages{
		"/code":    `<pre style="overflow: auto">` + line + `</pre>`,
		"/high":    `<pre style="max-height: 100px; overflow: auto">` + strings.Repeat("line\n", 60) + `END</pre>`,
		"/inner":   `<div style="max-height: 100px; overflow: auto"><pre>` + strings.Repeat("line\n", 60) + `END</pre></div>`,
		"/field":   `<textarea rows="3" style="box-sizing: content-box; padding: 9px; max-height: 90px">` + strings.Repeat("line\n", 20) + `END</textarea>`,
		"/nested":  `<div style="overflow-x: auto"><pre style="overflow: auto"><code style="display: block; overflow: auto">` + line + `</code></pre></div>`,
		"/listing": `<div style="overflow-x: scroll"><table><tr><td>1</td><td style="white-space: pre">` + line + `</td></tr></table></div>`,
		"/table":   `<div style="overflow-x: auto"><table><tr>` + cells(16) + `</tr></table></div>`,
		"/wide":    `<div style="overflow-x: auto"><table><tr>` + cells(90) + `</tr></table></div>`,
		"/grid":    `<div><table><tr><td>HEAD</td></tr></table></div><div style="overflow-x: auto"><table><tr>` + cells(16) + `</tr></table></div>`,
		"/editor":  `<div style="overflow: auto; height: 100px; position: relative"><div style="position: absolute; white-space: pre">` + line + `</div></div>`,
		"/clean":   `<div style="overflow-x: auto"><div style="width: 2000px">END</div></div><textarea wrap="off">` + line + `</textarea>`,
	})
	for path, cut := range map[string]bool{
		"/code": false, "/high": false, "/inner": false, "/field": false, "/nested": false, "/listing": false, "/table": false, "/clean": false, "/wide": true, "/grid": true, "/editor": true,
	} {
		result := mustPrint(t, slot, Print{URL: web.URL + path})
		if shown := strings.Contains(testkit.PDFText(t, result.PDF), "END"); shown == cut {
			t.Errorf("%s: its end is shown: %t", path, shown)
		}
		if warned := len(result.Warnings) == 1 && result.Warnings[0].Code == contract.PageCut; warned != cut || len(result.Warnings) > 1 {
			t.Errorf("%s: warnings %v", path, result.Warnings)
		}
	}
}
