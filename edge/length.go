package edge

import (
	"regexp"
	"strconv"
)

// lengthForm is a CSS length in the units of paper and screen.
var lengthForm = regexp.MustCompile(`^(\d{1,6}(?:\.\d{1,6})?|\.\d{1,6})(px|mm|cm|in|pt|pc)?$`)

// checkLength says what is wrong with a margin: only 0 goes without a unit.
func checkLength(s string) string {
	m := lengthForm.FindStringSubmatch(s)
	if m == nil {
		return "margin must be a CSS length such as 10px, 5mm or 0.5in"
	}
	if n, err := strconv.ParseFloat(m[1], 64); m[2] == "" && (err != nil || n != 0) {
		return "margin needs a unit: px, mm, cm, in, pt or pc"
	}
	return ""
}
