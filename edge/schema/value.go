package schema

// Check checks a value that is in no body, such as a header's.
func Check(k Kind, value any, loc ...any) []Violation { return k.check(value, loc) }
