package schema

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

func (s String) check(value any, loc []any) []Violation {
	text, ok := value.(string)
	if !ok {
		return s.wrongType(loc)
	}
	length := utf8.RuneCountInString(text)
	if length < s.MinLength {
		return one(loc, "string_too_short", "String should have at least %d character%s", s.MinLength, plural(s.MinLength))
	}
	if s.MaxLength > 0 && length > s.MaxLength {
		return one(loc, "string_too_long", "String should have at most %d character%s", s.MaxLength, plural(s.MaxLength))
	}
	if len(s.OneOf) > 0 && !s.listed(text) {
		return s.notListed(loc)
	}
	if s.Pattern != nil && !whole(s.Pattern, text) {
		return one(loc, "string_pattern_mismatch", "String should match pattern '%s'", s.Pattern)
	}
	return s.checkMeaning(text, loc)
}

// wrongType says what was expected: a value off the list is reported alike,
// whatever its type, as Pydantic's literals do.
func (s String) wrongType(loc []any) []Violation {
	if len(s.OneOf) > 0 {
		return s.notListed(loc)
	}
	return one(loc, "string_type", "Input should be a valid string")
}

func (s String) notListed(loc []any) []Violation {
	return one(loc, "literal_error", "Input should be %s", alternatives(s.OneOf))
}

func (s String) checkMeaning(text string, loc []any) []Violation {
	if s.Check == nil {
		return nil
	}
	if wrong := s.Check(text); wrong != "" {
		return one(loc, "value_error", "Value error, %s", wrong)
	}
	return nil
}

func (s String) listed(text string) bool {
	if s.AnyCase {
		return slices.ContainsFunc(s.OneOf, func(v string) bool { return sameLetters(v, text) })
	}
	return slices.Contains(s.OneOf, text)
}

// sameLetters compares without regard to the case of A to Z. Unicode's folding
// would let ſ pass for s, which whoever reads the value later does not expect.
func sameLetters(a, b string) bool { return lower(a) == lower(b) }

func lower(s string) string {
	return strings.Map(func(r rune) rune {
		if 'A' <= r && r <= 'Z' {
			return r + 'a' - 'A'
		}
		return r
	}, s)
}

// whole tells whether a pattern matches all of a text. The longest match is asked
// for, as a|ab would otherwise stop at the first letter of ab. The copy is there
// because Longest changes its receiver.
func whole(pattern *regexp.Regexp, text string) bool {
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
