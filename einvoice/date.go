package einvoice

import (
	"strings"
	"time"
)

// Date is a date as the document writes it: a Node whose text is in the format that its
// attribute format names by a code.
type Date struct{ *Node }

// dateOf takes the text from the element that wraps it.
func dateOf(n *Node) Date {
	if s := n.At("DateTimeString"); s != nil {
		return Date{s}
	}
	return Date{n.At("DateString")}
}

// dateLayouts are the formats of UNTDID 2379 that denote a moment, a day or a month.
// Dates in other formats, such as weeks, are not parsed.
var dateLayouts = map[string]string{"102": "20060102", "203": "200601021504", "204": "20060102150405", "610": "200601"}

// Time parses the date in its declared format or, failing that, in common formats. It
// reports false if the text is not a date, as the schema accepts any text.
func (d Date) Time() (time.Time, bool) {
	text := strings.TrimSpace(d.Text())
	if layout, known := dateLayouts[strings.TrimSpace(d.Attribute("format"))]; known {
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

// IsMonth reports whether the date is a month, without a day.
func (d Date) IsMonth() bool {
	_, err := time.Parse(dateLayouts["610"], strings.TrimSpace(d.Text()))
	return err == nil && strings.TrimSpace(d.Attribute("format")) == "610"
}

// Latest returns the latest of some dates. Texts that are no dates count only if there is no other.
func Latest(all []Date) (latest Date) {
	var day time.Time
	for _, d := range all {
		t, ok := d.Time()
		if d.Node != nil && (latest.Node == nil || ok && t.After(day)) {
			latest, day = d, t
		}
	}
	return latest
}

// Period is a range of dates.
type Period struct{ *Node }

// Start is the first day.
func (p Period) Start() Date { return dateOf(p.At("StartDateTime")) }

// End is the last day.
func (p Period) End() Date { return dateOf(p.At("EndDateTime")) }

// Description describes the period in words.
func (p Period) Description() *Node { return p.At("Description") }
