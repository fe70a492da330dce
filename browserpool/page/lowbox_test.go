package page

import (
	"strings"
	"testing"

	"platen.dev/events/contract"
)

// A box that becomes as high as what it holds holds its floats, too, and what follows is below it.
func TestGrownBoxesHoldFloats(t *testing.T) {
	t.Parallel()
	const tabs = `<div style="overflow: hidden; background: #fff">AFTER</div>`
	scrolls := func(height string) string {
		return `<div style="height: ` + height + `; overflow: auto">` + strings.Repeat("<p>line</p>", 20) + "<p>END</p></div>"
	}
	for name, html := range map[string]string{
		"in a float": `<div style="height: 200px"><div style="float: left; width: 100%; height: 100%; overflow: hidden">` + scrolls("100%") + `</div></div>`,
		"floats":     `<div style="height: 200px"><div style="float: left; width: 100%">` + scrolls("200px") + `</div></div>`,
	} {
		result := mustPrint(t, openSlot(t), Print{HTML: "<!doctype html>" + html + tabs, Full: true, Options: contract.Paper{SinglePage: true}})
		if end, after := wordAt(t, result.PDF, "END"), wordAt(t, result.PDF, "AFTER"); end.yMax > after.yMin || after.xMin > 40 {
			t.Errorf("%s: the box ends at %.0f points, what follows begins at %.0f, %.0f", name, end.yMax, after.xMin, after.yMin)
		}
	}
}
