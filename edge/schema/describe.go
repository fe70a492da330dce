package schema

import (
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"
	"unicode"
)

// JSONSchema is a JSON Schema by its keywords.
type JSONSchema map[string]any

// References is where a document keeps the schemas of named objects.
const References = "#/components/schemas/"

// Describe writes a kind as a JSON Schema of OpenAPI 3.1 (dialect 2020-12), and
// the named objects that it refers to, itself included, by their names.
//
// The schema accepts what Decode accepts. It refuses what Decode refuses, too,
// except for String.Check, String.Normal and Object.Rules, which it cannot express, and digits of a
// Number beyond a float's precision. Patterns are passed on as they are: they have
// to mean the same in Go and in ECMAScript.
//
// Properties are Ordered; encoding/json writes the result. Describe panics when two
// different objects have one name.
func Describe(kind Kind) (schema JSONSchema, components map[string]JSONSchema) {
	d := &describer{components: map[string]JSONSchema{}}
	return kind.describe(d), d.components
}

// describer collects the named objects.
type describer struct{ components map[string]JSONSchema }

func (o Object[T]) describe(d *describer) JSONSchema {
	members := make([]*member, len(o.Fields))
	for i, f := range o.Fields {
		members[i] = f.about()
	}
	schema := describeObject(d, o.Doc, members)
	if o.Name == "" {
		return schema
	}
	if known, taken := d.components[o.Name]; taken && !reflect.DeepEqual(known, schema) {
		panic(fmt.Sprintf("schema: two different objects are named %s", o.Name))
	}
	d.components[o.Name] = schema
	return JSONSchema{"$ref": References + o.Name}
}

func describeObject(d *describer, doc string, members []*member) JSONSchema {
	properties, required, either := Ordered{}, []any{}, []any{}
	for _, m := range members {
		properties = append(properties, Member{m.name, m.describe(d)})
		switch {
		case m.always():
			required = append(required, m.name)
		case m.required:
			either = append(either, given(m.name), given(m.unless))
		}
	}
	schema := JSONSchema{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		schema["required"] = required
	}
	if len(either) > 0 {
		schema["anyOf"] = either
	}
	if doc != "" {
		schema["description"] = doc
	}
	return schema
}

// given is the schema of an object with a field that is not null.
func given(name string) JSONSchema {
	return JSONSchema{"required": []any{name}, "properties": JSONSchema{name: JSONSchema{"not": JSONSchema{"type": "null"}}}}
}

func (m *member) describe(d *describer) JSONSchema {
	schema := maps.Clone(m.kind.describe(d))
	doc := m.sentences(schema)
	if !m.always() {
		schema = nullable(schema)
	}
	if doc != "" {
		schema["description"] = doc
	}
	if m.absence != nil {
		schema["default"] = m.absence
	}
	if m.example != nil {
		schema["examples"] = []any{m.example}
	}
	if m.plan != "" {
		schema["x-platen-plan"] = m.plan
	}
	return schema
}

// sentences joins the descriptions of the field, its kind and its plan. The field's own description replaces that of an object.
func (m *member) sentences(kind JSONSchema) string {
	ofKind, _ := kind["description"].(string)
	if kind["type"] == "object" && m.doc != "" {
		ofKind = ""
	}
	var plan string
	if m.plan != "" {
		plan = capital(m.plan) + " plan or higher."
	}
	all := slices.DeleteFunc([]string{m.doc, ofKind, plan}, func(s string) bool { return s == "" })
	return strings.Join(all, " ")
}

func capital(s string) string {
	letters := []rune(s)
	letters[0] = unicode.ToUpper(letters[0])
	return string(letters)
}

// nullable lets null pass as well. A reference cannot be widened, so it becomes
// one of two alternatives.
func nullable(schema JSONSchema) JSONSchema {
	kind, typed := schema["type"]
	if !typed {
		return JSONSchema{"anyOf": []any{schema, JSONSchema{"type": "null"}}}
	}
	schema["type"] = []any{kind, "null"}
	if values, listed := schema["enum"].([]any); listed {
		schema["enum"] = append(values[:len(values):len(values)], nil)
	}
	return schema
}

func (s String) describe(*describer) JSONSchema {
	schema := JSONSchema{"type": "string"}
	if s.MinLength > 0 {
		schema["minLength"] = s.MinLength
	}
	if s.MaxLength > 0 {
		schema["maxLength"] = s.MaxLength
	}
	if s.Pattern != nil {
		schema["pattern"] = "^(?:" + s.Pattern.String() + ")$"
	}
	if s.Format != "" {
		schema["format"] = s.Format
	}
	s.describeValues(schema)
	s.describeSecret(schema)
	return schema
}

// describeValues lists the values. If case does not matter, the list remains for readers and code generators, beside a
// pattern that accepts the other spellings. ECMAScript's patterns have no flag for that, hence a class for each letter.
func (s String) describeValues(schema JSONSchema) {
	if len(s.OneOf) == 0 {
		return
	}
	values := make([]any, len(s.OneOf))
	for i, v := range s.OneOf {
		values[i] = v
	}
	if !s.AnyCase {
		schema["enum"] = values
		return
	}
	schema["anyOf"] = []any{JSONSchema{"enum": values}, JSONSchema{"pattern": anyCase(s.OneOf)}}
	schema["description"] = "Upper and lower case are alike."
}

func (s String) describeSecret(schema JSONSchema) {
	if !s.Secret {
		return
	}
	schema["writeOnly"] = true
	if s.Format == "" {
		schema["format"] = "password"
	}
}

// anyCase is a pattern for values without regard to case: ^(?:[Aa]4|[Aa]3)$.
func anyCase(values []string) string {
	var pattern strings.Builder
	for i, value := range values {
		if i > 0 {
			pattern.WriteByte('|')
		}
		for _, r := range value {
			pattern.WriteString(class(r))
		}
	}
	return "^(?:" + pattern.String() + ")$"
}

func class(r rune) string {
	switch letter := lower(string(r)); {
	case "a" <= letter && letter <= "z":
		return "[" + strings.ToUpper(letter) + letter + "]"
	case strings.ContainsRune(`\^$.|?*+()[]{}/`, r):
		return `\` + letter
	default:
		return letter
	}
}

func (Bool) describe(*describer) JSONSchema { return JSONSchema{"type": "boolean"} }

func (i Integer) describe(*describer) JSONSchema {
	schema := JSONSchema{"type": "integer"}
	if i.Min > math.MinInt64 {
		schema["minimum"] = i.Min
	}
	if i.Max < math.MaxInt64 {
		schema["maximum"] = i.Max
	}
	return schema
}

func (n Number) describe(*describer) JSONSchema {
	schema := JSONSchema{"type": "number"}
	if !math.IsInf(n.Min, 0) {
		schema["minimum"] = n.Min
	}
	if !math.IsInf(n.Max, 0) {
		schema["maximum"] = n.Max
	}
	return schema
}

func (t Tuple[V]) describe(d *describer) JSONSchema {
	items := make([]any, len(t))
	for i, kind := range t {
		items[i] = kind.describe(d)
	}
	return JSONSchema{
		"type": "array", "prefixItems": items,
		"minItems": len(t), "maxItems": len(t),
	}
}

func (l List[V]) describe(d *describer) JSONSchema {
	schema := JSONSchema{"type": "array", "items": l.Items.describe(d)}
	if l.Most > 0 {
		schema["maxItems"] = l.Most
	}
	return schema
}

func (e Either) describe(d *describer) JSONSchema {
	kinds := make([]any, len(e))
	for i, kind := range e {
		kinds[i] = kind.describe(d)
	}
	return JSONSchema{"anyOf": kinds}
}
