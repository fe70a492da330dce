package pagetest

import (
	"strings"

	"platen.dev/browserpool/chromium"
)

// LongTables is a document of 200 KB, for which a renderer takes 120 MiB.
var LongTables = "<!doctype html>" + strings.Repeat(`<h2>Station</h2><table style="width: 100%; border-collapse: collapse">`+
	strings.Repeat(`<tr style="background: #eef3f8"><td style="padding: 4px">12:00</td><td>1.20 m</td><td>2.20 m</td><td>990 hPa</td><td>wind 7 kn</td></tr>`, 24)+
	"</table>", 60)

// LargestProcess is the memory, in bytes, of the process of a browser that has most.
func LargestProcess(browser int) (largest int64) {
	for _, used := range chromium.ReadUsage(map[int]bool{browser: true})[browser] {
		largest = max(largest, used.Bytes)
	}
	return largest
}
