package convert

import (
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"platen.dev/edge/dashboard/form"
	"platen.dev/edge/dashboard/page"
	"platen.dev/edge/request"
	"platen.dev/events"
)

// options are the flags derived from the declarations of the operations: body.options.margin.top becomes --margin-top.
type options struct {
	flags *pflag.FlagSet
	// fields are those of each operation by the names of their flags.
	fields map[events.Operation]map[string]page.Field
	// literal is set if a value that begins with @ names no file.
	literal bool
}

// left are fields without a flag: the inputs, and what a waiting command does itself.
var left = []string{"url", "html", "markdown", "xml", "wait", "test", "webhook_url", "delivery"}

// declare adds a flag for every option of the operations.
func declare(flags *pflag.FlagSet) *options {
	o := &options{flags: flags, fields: map[events.Operation]map[string]page.Field{}}
	for _, op := range request.Operations() {
		fields, _ := form.New(op.Kind(), left...).Fields(func(string) string { return "" }, nil)
		o.fields[op.Name] = map[string]page.Field{}
		o.collect(op.Name, fields)
	}
	for _, op := range request.Operations() {
		for name, f := range o.fields[op.Name] {
			if flags.Lookup(name) == nil {
				o.add(name, f)
			}
		}
	}
	return o
}

func (o *options) collect(op events.Operation, fields []page.Field) {
	for _, f := range fields {
		if f.Kind == page.FieldGroup {
			o.collect(op, f.Fields)
			continue
		}
		name := flagName(f.Path)
		if other, taken := o.fields[op][name]; taken {
			panic(fmt.Sprintf("%s and %s have one flag", other.Path, f.Path)) // impossible: TestFlags declares all
		}
		o.fields[op][name] = f
	}
}

// flagName returns the name of a field's flag: its path without the groups that contain most options.
func flagName(path string) string {
	name := strings.TrimPrefix(path, "body.")
	name = strings.TrimPrefix(strings.TrimPrefix(name, "options."), "render.")
	return strings.NewReplacer(".", "-", "_", "-").Replace(name)
}

func (o *options) add(name string, f page.Field) {
	doc := strings.TrimPrefix(f.Doc, "An extension: ")
	if doc == "" {
		doc = strings.ReplaceAll(f.Name, "_", " ")
	}
	if len(f.Options) > 0 {
		doc = strings.TrimSuffix(doc, ".") + ": " + strings.Join(f.Options, ", ")
	}
	if f.Kind == page.FieldLines {
		doc = strings.TrimSuffix(doc, ".") + "; may be repeated"
	}
	if f.Default != "" {
		doc = fmt.Sprintf("%s (default %s)", strings.TrimSuffix(doc, "."), f.Default)
	}
	o.flags.Var(&value{kind: f.Kind, listed: len(f.Options) > 0}, name, strings.ReplaceAll(doc, "`", ""))
	if f.Kind == page.FieldTruth {
		o.flags.Lookup(name).NoOptDefVal = "true"
	}
}

// value is a flag's value as typed: the decoder of requests reports what is wrong with it.
type value struct {
	typed  string
	kind   page.FieldKind
	listed bool // it is one of a list: several may be separated by commas
}

// Set implements pflag.Value.
func (v *value) Set(typed string) error {
	if v.kind == page.FieldLines && v.listed {
		typed = strings.ReplaceAll(typed, ",", "\n")
	}
	if v.kind == page.FieldLines && v.typed != "" {
		typed = v.typed + "\n" + typed // the flag may be repeated
	}
	v.typed = typed
	return nil
}

// String implements pflag.Value.
func (v *value) String() string { return v.typed }

// Type implements pflag.Value: it is the name of the value in the help.
func (v *value) Type() string {
	switch v.kind {
	case page.FieldTruth:
		return "bool"
	case page.FieldNumber:
		return "number"
	case page.FieldJSON:
		return "json"
	case page.FieldLines:
		return "texts"
	}
	return "text"
}

// given returns the names of the options that were set.
func (o *options) given() (names []string) {
	for _, fields := range o.fields {
		for name := range fields {
			if o.flags.Changed(name) && !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	return names
}

// text returns the text that was typed for an option; "" for none.
func (o *options) text(name string) string { return o.flags.Lookup(name).Value.String() }

// fits returns an error if an option does not apply to a conversion.
func (o *options) fits(c conversion) error {
	for _, name := range o.given() {
		if _, has := o.fields[c.op.Name][name]; !has {
			return fmt.Errorf("--%s is no option for %s: `platen convert --help` and docs/API.md say what has it", name, c.op.Name)
		}
	}
	if name := "format"; c.image != "" && o.flags.Changed(name) && formats["."+strings.ToLower(o.text(name))] != c.image {
		return fmt.Errorf("--format %s does not match %s", o.text(name), c.output)
	}
	return nil
}

// body returns the request of a conversion whose input has been read. declared are values that the input has, unless options override them.
func (o *options) body(c conversion, input string, declared map[string]string) ([]byte, error) {
	values := map[string]string{"body." + c.source: input}
	maps.Copy(values, declared)
	if c.image != "" {
		values["body.options.format"] = c.image
	}
	for _, name := range o.given() {
		if name == "format" && c.image != "" { // it fits
			continue
		}
		f := o.fields[c.op.Name][name]
		value := o.flags.Lookup(name).Value.String()
		if !o.literal && (f.Kind == page.FieldLong || f.Kind == page.FieldJSON || f.Secret) {
			var err error
			if value, err = contentOf(value); err != nil {
				return nil, fmt.Errorf("--%s: %w", name, err)
			}
		}
		values[f.Path] = value
	}
	return form.New(c.op.Kind()).Body(func(path string) string { return values[path] }), nil
}

// contentOf returns a value, or the content of the file that it names with @.
func contentOf(value string) (string, error) {
	name, named := strings.CutPrefix(value, "@")
	if !named {
		return value, nil
	}
	b, err := os.ReadFile(name)
	return strings.TrimRight(string(b), "\r\n"), err
}
