package edge

import (
	"slices"

	"platen.dev/edge/schema"
)

// CheckTemplate checks a block template as a request's body would have it: its schema,
// and the placeholders of its texts by what placeholder says of one.
func CheckTemplate(template []byte, placeholder func(text string) error) []schema.Violation {
	value, violations := blockTemplate.Decode(template)
	if len(violations) > 0 {
		return violations
	}
	return checkPlaceholders(value, []any{"body"}, placeholder)
}

// checkPlaceholders names the texts of a block template with placeholders that nothing
// stands behind (api-spec.md, E-invoice data).
func checkPlaceholders(template fields, loc []any, placeholder func(text string) error) (all []schema.Violation) {
	check := func(text any, place ...any) {
		s, _ := text.(string)
		if err := placeholder(s); err != nil {
			all = append(all, schema.Violation{Loc: append(slices.Clone(loc), place...), Msg: "Value error, " + err.Error(), Type: "value_error"})
		}
	}
	blocks, _ := template["blocks"].([]any)
	for i, b := range blocks {
		block, _ := b.(map[string]any)
		check(block["text"], "blocks", i, "text")
		labels, _ := fields(block).object("labels")
		for _, name := range sortedNames(labels) {
			check(labels[name], "blocks", i, "labels", name)
		}
	}
	return all
}

func sortedNames(f fields) []string {
	names := make([]string, 0, len(f))
	for name := range f {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}
