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

// References is where the schemas of named objects are found in a document.
const References = "#/components/schemas/"

// Describe writes a kind as a JSON Schema of OpenAPI 3.1 (dialect 2020-12), and
// the named objects that it refers to, itself included, by their names.
//
// The schema accepts what Decode accepts. It refuses what Decode refuses, too,
// except for String.Check and Object.Rules, which it cannot say, and digits of a
// Number beyond a float's precision. Patterns are handed on as they are: they have
// to mean the same in Go and in ECMAScript.
//
// Properties are Ordered; encoding/json writes the result. Describe panics when two
// different objects have one name.
func Describe(kind Kind) (schema, components map[string]any) {
	d := &describer{components: map[string]any{}}
	return kind.describe(d), d.components
}

// describer collects the named objects met on the way.
type describer struct{ components map[string]any }

func (o Object) describe(d *describer) map[string]any {
	schema := o.inPlace(d)
	if o.Name == "" {
		return schema
	}
	if known, taken := d.components[o.Name]; taken && !reflect.DeepEqual(known, schema) {
		panic(fmt.Sprintf("schema: two different objects are named %s", o.Name))
	}
	d.components[o.Name] = schema
	return map[string]any{"$ref": References + o.Name}
}

func (o Object) inPlace(d *describer) map[string]any {
	properties, required := Ordered{}, []any{}
	for _, f := range o.Fields {
		properties = append(properties, Member{f.Name, f.describe(d)})
		if f.Required {
			required = append(required, f.Name)
		}
	}
	schema := map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
	if len(required) > 0 {
		schema["required"] = required
	}
	if o.Doc != "" {
		schema["description"] = o.Doc
	}
	return schema
}

func (f Field) describe(d *describer) map[string]any {
	schema := maps.Clone(f.Kind.describe(d))
	if !f.Required {
		schema = nullable(schema)
	}
	if doc := f.sentences(schema["description"]); doc != "" {
		schema["description"] = doc
	}
	if f.Default != nil {
		schema["default"] = f.Default
	}
	if f.Example != nil {
		schema["examples"] = []any{f.Example}
	}
	if f.Plan != "" {
		schema["x-platen-plan"] = f.Plan
	}
	return schema
}

// sentences joins what is to be said of the field, of its kind and of its plan. An
// object has its own place for what it says, unless the field is silent.
func (f Field) sentences(ofKind any) string {
	about, _ := ofKind.(string)
	if _, elsewhere := f.Kind.(Object); elsewhere && f.Doc != "" {
		about = ""
	}
	var plan string
	if f.Plan != "" {
		plan = capital(f.Plan) + " plan or higher."
	}
	all := slices.DeleteFunc([]string{f.Doc, about, plan}, func(s string) bool { return s == "" })
	return strings.Join(all, " ")
}

func capital(s string) string {
	letters := []rune(s)
	letters[0] = unicode.ToUpper(letters[0])
	return string(letters)
}

// nullable lets null pass as well. A reference cannot be widened, so it becomes
// one of two alternatives.
func nullable(schema map[string]any) map[string]any {
	kind, typed := schema["type"]
	if !typed {
		return map[string]any{"anyOf": []any{schema, map[string]any{"type": "null"}}}
	}
	schema["type"] = []any{kind, "null"}
	if values, listed := schema["enum"].([]any); listed {
		schema["enum"] = append(values[:len(values):len(values)], nil)
	}
	return schema
}

func (s String) describe(*describer) map[string]any {
	schema := map[string]any{"type": "string"}
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

// describeValues lists the values. Where case does not matter the list stays for
// readers and code generators, beside a pattern that says what else passes:
// ECMAScript's patterns have no flag for it, hence a class for each letter.
func (s String) describeValues(schema map[string]any) {
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
	schema["anyOf"] = []any{map[string]any{"enum": values}, map[string]any{"pattern": anyCase(s.OneOf)}}
	schema["description"] = "Upper and lower case are alike."
}

func (s String) describeSecret(schema map[string]any) {
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

func (Bool) describe(*describer) map[string]any { return map[string]any{"type": "boolean"} }

func (i Integer) describe(*describer) map[string]any {
	schema := map[string]any{"type": "integer"}
	if i.Min > math.MinInt64 {
		schema["minimum"] = i.Min
	}
	if i.Max < math.MaxInt64 {
		schema["maximum"] = i.Max
	}
	return schema
}

func (n Number) describe(*describer) map[string]any {
	schema := map[string]any{"type": "number"}
	if !math.IsInf(n.Min, 0) {
		schema["minimum"] = n.Min
	}
	if !math.IsInf(n.Max, 0) {
		schema["maximum"] = n.Max
	}
	return schema
}

func (t Tuple) describe(d *describer) map[string]any {
	items := make([]any, len(t))
	for i, kind := range t {
		items[i] = kind.describe(d)
	}
	return map[string]any{
		"type": "array", "prefixItems": items, "items": false,
		"minItems": len(t), "maxItems": len(t),
	}
}

func (l List) describe(d *describer) map[string]any {
	return map[string]any{"type": "array", "items": l.Items.describe(d)}
}

func (e Either) describe(d *describer) map[string]any {
	kinds := make([]any, len(e))
	for i, kind := range e {
		kinds[i] = kind.describe(d)
	}
	return map[string]any{"anyOf": kinds}
}
