package schema

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

func (s String) check(d *decoder, value any) { s.decode(d, value) }

func (s String) decode(d *decoder, value any) string {
	text, ok := value.(string)
	if !ok {
		s.refuseType(d)
		return ""
	}
	switch {
	case len(text) < s.MinLength*utf8.UTFMax && utf8.RuneCountInString(text) < s.MinLength: // counting takes time
		d.refuse("string_too_short", "String should have at least %d character%s", s.MinLength, plural(s.MinLength))
	case s.MaxLength > 0 && len(text) > s.MaxLength && utf8.RuneCountInString(text) > s.MaxLength:
		d.refuse("string_too_long", "String should have at most %d character%s", s.MaxLength, plural(s.MaxLength))
	case len(s.OneOf) > 0 && !s.listed(text):
		s.refuseUnlisted(d)
	case s.Pattern != nil && !matchesWhole(s.Pattern, text):
		d.refuse("string_pattern_mismatch", "String should match pattern '%s'", s.Pattern)
	default:
		return s.read(d, text)
	}
	return ""
}

// refuseType says what was expected. A value off the list gets the same report for any type, as in Pydantic's literals.
func (s String) refuseType(d *decoder) {
	if len(s.OneOf) > 0 {
		s.refuseUnlisted(d)
		return
	}
	d.refuse("string_type", "Input should be a valid string")
}

func (s String) refuseUnlisted(d *decoder) {
	d.refuse("literal_error", "Input should be %s", alternatives(s.OneOf))
}

// read returns a valid text in the form in which it is read.
func (s String) read(d *decoder, text string) (usual string) {
	wrong := ""
	switch {
	case s.Normal != nil:
		usual, wrong = s.Normal(text)
	case s.Check != nil:
		usual, wrong = s.spelled(text), s.Check(text)
	default:
		usual = s.spelled(text)
	}
	if wrong != "" {
		d.refuse("value_error", "Value error, %s", wrong)
	}
	return usual
}

func (String) canonical(value any) any { return value }

func (s String) listed(text string) bool { return slices.Contains(s.OneOf, s.spelled(text)) }

// spelled returns a text in the list's spelling.
func (s String) spelled(text string) string {
	if !s.AnyCase {
		return text
	}
	if i := slices.IndexFunc(s.OneOf, func(v string) bool { return sameLetters(v, text) }); i >= 0 {
		return s.OneOf[i]
	}
	return text
}

// sameLetters compares without regard to the case of A to Z. Unicode's folding would
// let ſ pass for s, which later readers of the value do not expect.
func sameLetters(a, b string) bool { return lower(a) == lower(b) }

func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// matchesWhole reports whether a pattern matches all of a text. It takes the longest
// match, as a|ab would otherwise stop at the first letter of ab, and a copy of the
// pattern, because Longest changes its receiver.
func matchesWhole(pattern *regexp.Regexp, text string) bool {
	longest := *pattern
	longest.Longest()
	place := longest.FindStringIndex(text)
	return place != nil && place[0] == 0 && place[1] == len(text)
}

// alternatives lists values as 'a', 'b' or 'c'.
func alternatives(values []string) string {
	quoted := make([]string, len(values))
	for i, v := range values {
		quoted[i] = "'" + v + "'"
	}
	last := len(quoted) - 1
	if last == 0 {
		return quoted[0]
	}
	return strings.Join(quoted[:last], ", ") + " or " + quoted[last]
}
