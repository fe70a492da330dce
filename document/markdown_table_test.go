package document

import (
	"strings"
	"testing"
)

// Only cells with an overlong word may break words.
func TestLongWordsInCells(t *testing.T) {
	long, short := strings.Repeat("x", longWord+1), strings.Repeat("x", longWord)
	const breaks = "overflow-wrap: anywhere; min-width: "
	for cell, want := range map[string]bool{
		short: false, long: true, "a " + long + " b": true, short + " " + short: false, short + "&nbsp;" + short: true,
		"**" + short + "**y": true, "`" + long + "`": true, "<https://example.com/" + long + ">": true, "<b a='" + long + "'>": true,
		"[" + short + "](https://example.com/" + long + ")": false, strings.Repeat("漢字", 100): false, strings.Repeat("カナ", 100) + long: true,
		strings.Repeat("&amp;", longWord): false, strings.Repeat("&amp;", longWord+1): true,
	} {
		got := mustMarkdown(t, "|a|b|\n|-|-:|\n|c|"+cell+"|\n")
		if strings.Contains(got, breaks) != want || !strings.Contains(got, "text-align: right") {
			t.Errorf("%s: %s", cell, got[strings.Index(got, "<body"):])
		}
	}
	for columns, want := range map[int]string{1: "12.0em", 2: "12.0em", 4: "8.0em", 20: "1.6em"} {
		table := strings.Repeat("|a", columns) + "|\n" + strings.Repeat("|-", columns) + "|\n|" + long + strings.Repeat("|b", columns-1) + "|\n"
		if got := mustMarkdown(t, table); !strings.Contains(got, breaks+want) {
			t.Errorf("%d columns: no %s in %s", columns, want, got[strings.Index(got, "<body"):])
		}
	}
}
