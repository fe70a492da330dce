package main

import (
	"fmt"
	"strings"
)

// reportBytes is the approximate size of the generated report: near the largest job allowed.
const reportBytes = 200 << 10

// reportMemory is how much memory a node with its browsers may take for such reports: 0.7 GiB.
const reportMemory = 7 << 30 / 10

// report returns a document of about 200 KB: a long text with tables, some forty pages.
func report() string {
	var b strings.Builder
	b.WriteString("<h1>Tide gauge, yearly report</h1>")
	for section := 1; b.Len() < reportBytes; section++ {
		fmt.Fprintf(&b, "<h2>%d. Station %d</h2><p>The station reported on every day but %d. Readings are in metres above chart datum; gaps are shown as dashes.</p>", section, section, section%7)
		b.WriteString(`<table style="width: 100%; border-collapse: collapse">`)
		for row := range 24 {
			fmt.Fprintf(&b, `<tr style="background: %s"><td style="padding: 4px">%02d:00</td><td>%.2f m</td><td>%.2f m</td><td>%d hPa</td><td>wind %d kn</td></tr>`,
				[]string{"#ffffff", "#eef3f8"}[row%2], row, 1.2+float64((row*section)%31)/10, 2.2+float64((row+section)%17)/10, 990+(row*7+section)%40, (row*section)%35)
		}
		b.WriteString("</table>")
	}
	return b.String()
}
