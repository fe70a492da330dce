package openapitest

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

func (s seen) checkHeaders() error {
	var all []error
	headers := object(s.declared["headers"])
	for _, name := range slices.Sorted(maps.Keys(headers)) {
		if err := s.checkHeader(name, object(headers[name])); err != nil {
			all = append(all, fmt.Errorf("header %s: %w", name, err))
		}
	}
	return errors.Join(all...)
}

func (s seen) checkHeader(name string, declared map[string]any) error {
	place, declared, err := s.document.resolve(s.place.to("headers", name), declared)
	if err != nil {
		return err
	}
	if !s.has(name) {
		if declared["required"] == true {
			return errors.New("missing")
		}
		return nil
	}
	value := typed(object(declared["schema"])["type"], s.value(name))
	return s.document.validate(place.to("schema"), value)
}

// value returns the text of a header, with several lines joined to one list. Names are compared without regard to case,
// since not every caller spells them as http.Header does.
func (s seen) value(name string) string {
	var lines []string
	for given, values := range s.header {
		if strings.EqualFold(given, name) {
			lines = append(lines, values...)
		}
	}
	return strings.Join(lines, ", ")
}

func (s seen) has(name string) bool {
	for given, values := range s.header {
		if strings.EqualFold(given, name) && len(values) > 0 {
			return true
		}
	}
	return false
}

var number = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?$`)

// typed reads a header's text as the type in its schema. A text that cannot be read as
// that type stays text, which the schema then refuses.
func typed(kind any, text string) any {
	switch {
	case (kind == "integer" || kind == "number") && number.MatchString(text):
		return json.Number(text)
	case kind == "boolean" && (text == "true" || text == "false"):
		return text == "true"
	}
	return text
}
