package page

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// moment is a time as it is shown: for programs, for people, and as seen from now.
type moment struct{ ISO, Text, Ago string }

// when returns nil for no time.
func when(at, now time.Time) (*moment, error) {
	if at.IsZero() {
		return nil, nil
	}
	at = at.UTC()
	ago, err := ago(at, now)
	return &moment{ISO: at.Format(time.RFC3339), Text: at.Format("2 Jan 2006, 15:04:05"), Ago: ago}, err
}

// exactly is a time to the millisecond.
func exactly(at time.Time) *moment {
	at = at.UTC()
	return &moment{ISO: at.Format("2006-01-02T15:04:05.000Z07:00"), Text: at.Format("2 Jan 2006, 15:04:05.000")}
}

// day returns a time that is shown as its day.
func day(at time.Time) *moment {
	if at.IsZero() {
		return nil
	}
	at = at.UTC()
	return &moment{ISO: at.Format(time.DateOnly), Text: at.Format("2 Jan 2006")}
}

// units are the units in which times are told, the largest first. Each is used for durations of at least from.
var units = []struct {
	key        string
	from, unit time.Duration
}{
	{"d", 48 * time.Hour, 24 * time.Hour},
	{"h", 2 * time.Hour, time.Hour},
	{"min", time.Minute, time.Minute},
	{"s", time.Second, time.Second},
}

// ago says how long ago a time was, or how far ahead it is, in a single unit, which is precise enough.
func ago(at, now time.Time) (string, error) {
	d, key := now.Sub(at), "ago.past"
	if d < 0 {
		d, key = -d, "ago.ahead"
	}
	for _, u := range units {
		if d >= u.from {
			return text(key, "n", number(int64(d/u.unit)), "unit", word("unit", u.key))
		}
	}
	return text("ago.now")
}

// span is a duration in the unit in which it is easiest to read.
func span(d time.Duration) string {
	switch {
	case d < time.Second:
		return strconv.FormatInt(d.Milliseconds(), 10) + " ms"
	case d < time.Minute:
		return strconv.FormatFloat(d.Seconds(), 'f', 1, 64) + " s"
	case d < time.Hour:
		return fmt.Sprintf("%d min %d s", int(d.Minutes()), int(d.Seconds())%60)
	}
	return fmt.Sprintf("%d h %d min", int(d.Hours()), int(d.Minutes())%60)
}

// number separates the thousands of a number.
func number(n int64) string {
	digits := strconv.FormatInt(n, 10)
	sign := ""
	if n < 0 {
		sign, digits = "-", digits[1:]
	}
	for at := len(digits) - 3; at > 0; at -= 3 {
		digits = digits[:at] + "," + digits[at:]
	}
	return sign + digits
}

// spoken turns the name of a type into words: KeyIssued into "Key issued".
func spoken(name string) string {
	var words strings.Builder
	for i, r := range name {
		if i > 0 && unicode.IsUpper(r) {
			words.WriteByte(' ')
			r = unicode.ToLower(r)
		}
		words.WriteRune(r)
	}
	return words.String()
}

// anchor returns the fragment of a code in the documentation of errors.
func anchor(code any) string {
	return strings.ReplaceAll(strings.ToLower(fmt.Sprint(code)), "_", "-")
}
