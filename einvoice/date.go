package einvoice

import (
	"strings"
	"time"
)

// Date is a date as the document writes it: its Node's text, whose format is a code.
type Date struct{ *Node }

// dateOf takes the text from the element around it.
func dateOf(n *Node) Date {
	if s := n.At("DateTimeString"); s != nil {
		return Date{s}
	}
	return Date{n.At("DateString")}
}

// layouts are the formats of UNTDID 2379 that name a moment or a month. Others, such
// as weeks, keep their text.
var layouts = map[string]string{"102": "20060102", "203": "200601021504", "204": "20060102150405", "610": "200601"}

// Time reads the date, by its format or, if that does not fit, by how it looks. The
// schema does not hold dates to anything, so that it may be no date at all.
func (d Date) Time() (time.Time, bool) {
	text := strings.TrimSpace(d.Text())
	if layout, known := layouts[strings.TrimSpace(d.Attribute("format"))]; known {
		if t, err := time.Parse(layout, text); err == nil {
			return t, true
		}
	}
	for _, layout := range []string{"20060102", time.DateOnly, "2006-01-02T15:04:05", time.RFC3339, "200601021504", "20060102150405"} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, true
		}
	}
	return time.Time{}, false
}
