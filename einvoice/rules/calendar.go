package rules

import "time"

// isCalendarDay reports whether a text is a day of the calendar, written YYYYMMDD.
func isCalendarDay(text string) bool {
	_, err := time.Parse("20060102", text)
	return err == nil && len(text) == len("20060102")
}
