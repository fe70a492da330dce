package schema

import (
	"strconv"
	"strings"
	"time"
)

// isDate accepts a day of the calendar, which may be before the common era or after the
// year 9999, and may have a time zone.
func isDate(s string) bool {
	s = strings.TrimPrefix(withoutZone(s), "-")
	year, rest, _ := strings.Cut(s, "-")
	if len(rest) != len("01-31") || !isDigits(year) || len(year) < 4 || len(year) > 4 && year[0] == '0' || strings.Trim(year, "0") == "" {
		return false
	}
	// The calendar repeats every 400 years.
	n, err := strconv.Atoi(year[max(0, len(year)-8):])
	if err != nil {
		return false
	}
	day := strconv.Itoa(2000+n%400) + "-" + rest
	_, err = time.Parse(time.DateOnly, day)
	return err == nil
}

// isTime accepts a time of day, with fractions of a second and a time zone if need be.
func isTime(s string) bool {
	s = withoutZone(s)
	clock, fraction, broken := strings.Cut(s, ".")
	if broken && !isDigits(fraction) || len(clock) != len("14:30:00") {
		return false
	}
	if clock == "24:00:00" {
		return strings.Trim(fraction, "0") == ""
	}
	_, err := time.Parse(time.TimeOnly, clock)
	return err == nil
}

// withoutZone leaves out a time zone, which is Z or an offset of up to 14 hours.
func withoutZone(s string) string {
	if rest, utc := strings.CutSuffix(s, "Z"); utc {
		return rest
	}
	at := len(s) - len("+14:00")
	if at <= 0 || s[at] != '+' && s[at] != '-' || s[at+3] != ':' {
		return s
	}
	hour, minute := s[at+1:at+3], s[at+4:]
	if !isDigits(hour) || !isDigits(minute) || hour > "14" || minute > "59" || hour == "14" && minute != "00" {
		return s
	}
	return s[:at]
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// isLanguage accepts letters and, after hyphens, letters and digits, at most eight each.
func isLanguage(s string) bool {
	for n, part := range strings.Split(s, "-") {
		letters := strings.Trim(strings.ToLower(part), "abcdefghijklmnopqrstuvwxyz") == ""
		if part == "" || len(part) > 8 || !letters && (n == 0 || strings.Trim(strings.ToLower(part), "abcdefghijklmnopqrstuvwxyz0123456789") != "") {
			return false
		}
	}
	return true
}
