package events

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"unicode"
)

// Field is one field of a command, an event or an entry, fit to be shown. Value is a
// string, a bool, a number, or Fields.
type Field struct {
	Name  string
	Value any
}

// Fields are the fields of a value in the order of their declaration.
type Fields []Field

// Describe returns the non-zero fields of a command's body, an event or a journal entry, without
// content or secrets. Identifiers, enumerations, numbers and times are shown; of text and bytes
// only the length, as a caller may have written them. A text made by Platen is shown if its
// declaration is tagged `log:"show"`; a number tagged `log:"always"` is shown even if zero.
func Describe(v any) Fields { return describe(reflect.ValueOf(v)) }

// TypeName returns the type name of a command or an event, such as JobQueued.
func TypeName(v any) string { return reflect.TypeOf(v).Name() }

func describe(v reflect.Value) (fields Fields) {
	for i := range v.NumField() {
		declared, field := v.Type().Field(i), v.Field(i)
		if field.Kind() == reflect.Pointer {
			field = field.Elem()
		}
		tag := declared.Tag.Get("log")
		if !declared.IsExported() || !field.IsValid() || field.IsZero() && tag != "always" {
			continue
		}
		if declared.Anonymous { // the head of a Submission
			fields = append(fields, describe(field)...)
			continue
		}
		if shown := shownValue(field, tag == "show"); shown != nil {
			fields = append(fields, Field{snakeCase(declared.Name), shown})
		}
	}
	return fields
}

// shownValue returns a field's value as shown, or nil if it is not.
func shownValue(v reflect.Value, show bool) any {
	if s, ok := v.Interface().(fmt.Stringer); ok && v.Kind() != reflect.Struct {
		return s.String()
	}
	named := v.Type().PkgPath() != "" // the type belongs to this package, so its values are known
	switch v.Kind() {
	case reflect.Struct:
		return describe(v)
	case reflect.Bool:
		return v.Bool()
	case reflect.Int, reflect.Int64:
		return v.Int()
	case reflect.Uint8, reflect.Uint64:
		return v.Uint()
	case reflect.Float64:
		return v.Float()
	case reflect.String:
		if named || show {
			return v.String()
		}
		return length(v.Len())
	case reflect.Slice, reflect.Array:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			return length(v.Len())
		}
	}
	return nil
}

func length(n int) string { return fmt.Sprintf("(%d bytes)", n) }

// snakeCase converts a Go name into a key: MaxFile is max_file, HTMLBytes is html_bytes.
func snakeCase(name string) string {
	var b strings.Builder
	letters := []rune(name)
	for i, r := range letters {
		begins := i > 0 && unicode.IsUpper(r) && (unicode.IsLower(letters[i-1]) || i+1 < len(letters) && unicode.IsLower(letters[i+1]))
		if begins {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// String formats the fields as key=value, separated by spaces.
func (f Fields) String() string {
	parts := make([]string, len(f))
	for i, field := range f {
		if inner, ok := field.Value.(Fields); ok {
			parts[i] = fmt.Sprintf("%s={%s}", field.Name, inner)
			continue
		}
		parts[i] = fmt.Sprintf("%s=%v", field.Name, field.Value)
	}
	return strings.Join(parts, " ")
}

// MarshalJSON writes the fields as an object, in their order.
func (f Fields) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, field := range f {
		if i > 0 {
			b.WriteByte(',')
		}
		value, err := json.Marshal(field.Value)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%q:%s", field.Name, value)
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// text formats a value for its String method: JobQueued{job=… lane=slow}.
func text(v any) string { return fmt.Sprintf("%s{%s}", TypeName(v), Describe(v)) }
