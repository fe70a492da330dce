// Package form turns the declaration of a body into a form, the typed values into the body that a program would send, and
// the body's violations into errors of the fields. It validates nothing itself.
package form

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"platen.dev/edge/dashboard/page"
	"platen.dev/edge/schema"
	"platen.dev/events"
)

// root is the first step of every path, as in the locations of violations.
const root = "body"

// Form is the form of a body.
type Form struct{ fields []field }

// field is a field of the form by its path, such as body.options.format.
type field struct {
	schema.Property
	path   string
	kind   page.FieldKind
	fields []field
}

// New makes the form of an object, without some of its fields, such as wait or options.toc.
func New(k schema.Kind, without ...string) Form {
	return Form{fieldsOf(k, root, without)}
}

func fieldsOf(k schema.Kind, path string, without []string) (all []field) {
	properties, _ := schema.Properties(k)
	for _, p := range properties {
		f := field{Property: p, path: path + "." + p.Name, kind: kindOf(p.Kind)}
		if slices.Contains(without, strings.TrimPrefix(f.path, root+".")) {
			continue
		}
		if f.kind == page.FieldGroup {
			f.fields = fieldsOf(p.Kind, f.path, without)
		}
		all = append(all, f)
	}
	return all
}

// longText is the length in characters from which a text gets several lines.
const longText = 500

func kindOf(k schema.Kind) page.FieldKind {
	switch kind := k.(type) {
	case schema.String:
		switch {
		case len(kind.OneOf) > 0:
			return page.FieldChoice
		case kind.Secret || kind.Format != "" || kind.Pattern != nil || 0 < kind.MaxLength && kind.MaxLength < longText:
			return page.FieldText
		}
		return page.FieldLong
	case schema.Bool:
		return page.FieldTruth
	case schema.Integer, schema.Number:
		return page.FieldNumber
	case schema.List[string]:
		return page.FieldLines
	}
	if _, ok := schema.Properties(k); ok {
		return page.FieldGroup
	}
	return page.FieldJSON
}

// Body returns the typed values as JSON, without empty fields and objects. A value that is not the number, boolean or JSON
// that its field wants is sent as a text, so that the decoder refuses it as it does any other client's.
func (f Form) Body(value func(path string) string) []byte {
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(object(f.fields, value)); err != nil {
		panic(err) // impossible: it consists of texts and checked JSON
	}
	return bytes.TrimRight(text.Bytes(), "\n")
}

func object(fields []field, value func(string) string) schema.Ordered {
	set := schema.Ordered{}
	for _, f := range fields {
		if f.kind == page.FieldGroup {
			if inner := object(f.fields, value); len(inner) > 0 {
				set = append(set, schema.Member{Name: f.Name, Value: inner})
			}
			continue
		}
		if typed := value(f.path); typed != "" {
			set = append(set, schema.Member{Name: f.Name, Value: f.json(typed)})
		}
	}
	return set
}

// json converts the text typed into a field, which is not a group, to a JSON value.
func (f field) json(typed string) any {
	switch bare := strings.TrimSpace(typed); f.kind {
	case page.FieldTruth:
		if bare == "true" || bare == "false" {
			return json.RawMessage(bare)
		}
	case page.FieldNumber:
		if strings.Trim(bare, "-+.0123456789eE") == "" && json.Valid([]byte(bare)) {
			return json.RawMessage(bare)
		}
	case page.FieldJSON:
		if json.Valid([]byte(bare)) {
			return json.RawMessage(bare)
		}
	case page.FieldLines:
		if isJSONList(bare) {
			return json.RawMessage(bare)
		}
		return lines(typed)
	}
	return strings.ReplaceAll(typed, "\r\n", "\n") // browsers send CRLF
}

func isJSONList(text string) bool { return strings.HasPrefix(text, "[") && json.Valid([]byte(text)) }

// lines returns the non-empty lines of a text.
func lines(typed string) []string {
	all := []string{}
	for line := range strings.Lines(typed) {
		if bare := strings.TrimSpace(line); bare != "" {
			all = append(all, bare)
		}
	}
	return all
}

// Values returns the texts that fill the form with a body, by path. Empty texts and empty objects cannot be entered. An
// error means that the body has something for which the form has no field.
func (f Form) Values(body []byte) (map[string]string, error) {
	d := json.NewDecoder(bytes.NewReader(body))
	d.UseNumber()
	var tree any
	if err := d.Decode(&tree); err != nil {
		return nil, err
	}
	all := map[string]string{}
	return all, collect(f.fields, tree, all)
}

func collect(fields []field, tree any, all map[string]string) error {
	members, ok := tree.(map[string]any)
	if !ok {
		return fmt.Errorf("form: %T is not an object", tree)
	}
	for name, value := range members {
		i := slices.IndexFunc(fields, func(f field) bool { return f.Name == name })
		if i < 0 {
			return fmt.Errorf("form: no field %s", name)
		}
		f := fields[i]
		if f.kind == page.FieldGroup {
			if err := collect(f.fields, value, all); err != nil {
				return err
			}
			continue
		}
		text, err := f.text(value)
		if err != nil {
			return err
		}
		all[f.path] = text
	}
	return nil
}

// text returns the text to type for a JSON value.
func (f field) text(value any) (string, error) {
	if text, ok := value.(string); ok && f.kind != page.FieldJSON {
		return text, nil
	}
	if list, ok := value.([]any); ok && f.kind == page.FieldLines {
		var joined strings.Builder
		for _, item := range list {
			fmt.Fprintln(&joined, item)
		}
		if text := strings.TrimSpace(joined.String()); text != "" && reflect.DeepEqual(f.json(text), texts(list)) {
			return text, nil
		}
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	err := e.Encode(value)
	return strings.TrimRight(text.String(), "\n"), err
}

func texts(list []any) any {
	all := make([]string, len(list))
	for i, item := range list {
		all[i] = fmt.Sprint(item)
	}
	return all
}

// Fields returns the fields as a page shows them, with the typed values and the violations.
func (f Form) Fields(value func(path string) string, violations []schema.Violation) ([]page.Field, []page.Fault) {
	wrong, faults := map[string][]string{}, []page.Fault(nil)
	for _, v := range violations {
		at, text := f.place(v)
		wrong[at] = append(wrong[at], text)
		faults = append(faults, page.Fault{Field: at, Text: text})
	}
	return shown(f.fields, value, wrong), faults
}

// place returns the path of the field with the violation, "" for none. The text begins with the rest of the violation's path.
func (f Form) place(v schema.Violation) (path, text string) {
	steps := make([]string, len(v.Loc))
	for i, step := range v.Loc {
		steps[i] = fmt.Sprint(step)
	}
	text, n := strings.TrimPrefix(v.Msg, "Value error, "), 1
	for fields := f.fields; n < len(steps); n++ {
		i := slices.IndexFunc(fields, func(f field) bool { return f.Name == steps[n] })
		if i < 0 {
			break
		}
		path, fields = fields[i].path, fields[i].fields
	}
	if rest := strings.Join(steps[min(n, len(steps)):], "."); rest != "" {
		text = rest + ": " + text
	}
	return path, text
}

func shown(fields []field, value func(string) string, wrong map[string][]string) (all []page.Field) {
	for _, f := range fields {
		s := page.Field{
			Kind: f.kind, Path: f.path, Name: f.Name, Doc: f.Doc, Required: f.Required, Plan: events.Plan(f.Plan), Wrong: wrong[f.path],
			Fields: shown(f.fields, value, wrong),
		}
		if f.kind != page.FieldGroup {
			s.Value = value(f.path)
		}
		if f.Default != nil && f.kind != page.FieldGroup {
			s.Default = fmt.Sprint(f.Default)
		}
		bound(&s, f.Kind)
		s.Open = len(s.Wrong) > 0 || slices.ContainsFunc(s.Fields, touched)
		all = append(all, s)
	}
	return all
}

func touched(f page.Field) bool { return f.Value != "" || f.Open || len(f.Wrong) > 0 }

// bound sets a field's bounds to those of its kind.
func bound(s *page.Field, k schema.Kind) {
	switch kind := k.(type) {
	case schema.String:
		s.Options, s.MostChars, s.Secret = kind.OneOf, kind.MaxLength, kind.Secret
	case schema.Integer:
		s.Least, s.Most = fmt.Sprint(kind.Min), fmt.Sprint(kind.Max)
	case schema.Number:
		s.Least, s.Most = fmt.Sprint(kind.Min), fmt.Sprint(kind.Max)
	case schema.List[string]:
		if item, ok := kind.Items.(schema.String); ok {
			s.Options = item.OneOf
		}
	}
}
