package schema

import (
	"slices"
	"strconv"
)

// Either is a value of one of these kinds. It cannot hold Integers that are to be
// read by json.Number.Int64: which kind a value was taken for is not remembered.
type Either []Kind

const notList = "Input should be a valid list"

func (t Tuple) check(value any, loc []any) []Violation {
	items, ok := value.([]any)
	if !ok {
		return one(loc, "list_type", notList)
	}
	all := t.checkLength(len(items), loc)
	for i := range min(len(t), len(items)) {
		all = atMost(all, t[i].check(items[i], at(loc, i)))
		items[i] = settled(t[i], items[i])
	}
	return all
}

func (t Tuple) checkLength(length int, loc []any) []Violation {
	switch want := len(t); {
	case length < want:
		return one(loc, "too_short", "List should have at least %d item%s after validation, not %d", want, plural(want), length)
	case length > want:
		return one(loc, "too_long", "List should have at most %d item%s after validation, not %d", want, plural(want), length)
	}
	return nil
}

func (l List) check(value any, loc []any) (all []Violation) {
	items, ok := value.([]any)
	if !ok {
		return one(loc, "list_type", notList)
	}
	for i := 0; i < len(items) && len(all) < MaxViolations; i++ {
		all = atMost(all, l.Items.check(items[i], at(loc, i)))
		items[i] = settled(l.Items, items[i])
	}
	return all
}

// check tells what every alternative has against the value, as Pydantic does.
func (e Either) check(value any, loc []any) (all []Violation) {
	for _, kind := range e {
		violations := kind.check(value, loc)
		if len(violations) == 0 {
			return nil
		}
		all = atMost(all, violations)
	}
	return all
}

// gatesOf looks for gated fields below a value that is not gated by itself.
func gatesOf(kind Kind, value any, path []string) (all []Gate) {
	switch kind := kind.(type) {
	case Object:
		fields, _ := value.(map[string]any)
		return kind.gates(fields, path)
	case List:
		items, _ := value.([]any)
		for i, item := range items {
			all = append(all, gatesOf(kind.Items, item, append(slices.Clone(path), strconv.Itoa(i)))...)
		}
	case Tuple:
		items, _ := value.([]any)
		for i := range min(len(kind), len(items)) {
			all = append(all, gatesOf(kind[i], items[i], append(slices.Clone(path), strconv.Itoa(i)))...)
		}
	}
	return all
}
