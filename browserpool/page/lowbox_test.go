package page

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"platen.dev/events/contract"
	"platen.dev/events/testkit"
)

// The strips of a table show all its rows, and what follows is below them, whatever has a height, or hides what is beyond it.
func TestStripsInLowBoxes(t *testing.T) {
	testkit.Long(t)
	t.Parallel()
	const columns, rows = 14, 7
	row := func(name string) (all string) {
		for i := range columns {
			all += fmt.Sprintf("<td>%s_%d", name, i)
		}
		return "<tr>" + all
	}
	var body string
	for n := range rows {
		body += row(fmt.Sprintf("r%d", n))
	}
	const (
		style  = `<!doctype html><style>table { table-layout: fixed; width: 1680px; border-spacing: 0 } td { padding: 0; line-height: 20px } `
		grid   = `<div class="grid"><div style="overflow: hidden"><table>%s</table></div><div class="view"><div class="box"><table>%s</table></div></div></div>`
		column = ".grid { display: flex; flex-direction: column; height: 100px } .view { flex: 1; min-height: 0; overflow: hidden } "
	)
	for name, rules := range map[string]string{
		"hidden":              ".grid { height: 100px } .view { height: 80px } .box { height: 100%; overflow: hidden }",
		"column":              column + ".box { height: 100%; overflow: hidden }",
		"scrolls":             column + ".box { height: 100%; overflow: auto }",
		"high enough":         ".grid { height: 160px } .view { height: 140px } .box { height: 100%; overflow: hidden }",
		"column high enough":  strings.Replace(column, "100px", "160px", 1) + ".box { height: 100%; overflow: hidden }",
		"only holds":          ".grid { height: 160px } .box { overflow: auto }",
		"only holds and cuts": ".grid { height: 160px; overflow: hidden } .box { overflow: auto }",
		"rows":                ".grid { display: grid; grid-template-rows: 20px 140px } .view, .box { min-height: 0 } .box { height: 100%; overflow: auto }",
	} {
		html := style + rules + "</style>" + fmt.Sprintf(grid, row("H"), body) + "<p>AFTER"
		result := mustPrint(t, openSlot(t), Print{HTML: html, Full: true})
		if result.Pages != 1 || len(result.Warnings) > 0 {
			t.Errorf("%s: %d pages, warnings %v", name, result.Pages, result.Warnings)
		}
		ends, after := map[string]float64{}, wordAt(t, result.PDF, "AFTER").yMin
		for _, word := range aWord.FindAllStringSubmatch(testkit.Tool(t, result.PDF, "pdftotext", "-bbox", "-", "-"), -1) {
			ends[word[5]] = number(t, word[4])
		}
		for i := range columns * rows {
			if cell := fmt.Sprintf("r%d_%d", i/columns, i%columns); ends[cell] == 0 || ends[cell] > after+1 {
				t.Errorf("%s: %s ends at %.0f points, what follows begins at %.0f", name, cell, ends[cell], after)
			}
		}
	}
}

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

// What stays in view beside a column and shows nothing, as a handle to drag, takes no room in a strip: the column before would show there.
func TestStripsWithHandles(t *testing.T) {
	t.Parallel()
	row := `<div style="display: flex; width: 2500px"><div style="position: sticky; left: 0; flex: 0 0 100px; background: #fff">NAME</div>` +
		`<div style="position: sticky; left: 100px; flex: 0 0 20px; margin-right: -20px"></div>`
	for i := range 20 {
		row += fmt.Sprintf(`<div style="flex: 0 0 120px">C%d</div>`, i)
	}
	pdf := mustPrint(t, openSlot(t), Print{HTML: `<!doctype html><div style="overflow: auto"><div>` + strings.Repeat(row+"</div>", 2) + `</div></div><p>AFTER`, Full: true}).PDF
	names := boxes(t, pdf, "NAME")
	if len(names) < 6 {
		t.Fatalf("the name is there %d times", len(names))
	}
	const width = 75 // points
	for i := range 20 {
		for _, at := range boxes(t, pdf, fmt.Sprintf("C%d", i)) {
			if beside := math.Mod(at.left-names[0].left-width+1, 90); at.left < names[0].left+width-1 || beside > 2 {
				t.Errorf("column %d is at %.0f points, the first one at %.0f", i, at.left, names[0].left)
			}
		}
	}
}
