package dashboard

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"platen.dev/edge/dashboard/page"
	"platen.dev/edge/request"
	"platen.dev/edge/schema"
)

// The form of a block template is derived from the API's declarations: each value is a field, by its path. A value with
// only one possibility, such as the type of a block, is not a field.

// formNode is a part of a template.
type formNode struct {
	// name is that of a member; "" in a list.
	name     string
	required bool
	// children are the parts of an object or a list; constant is the only possible value; field is a value to fill in.
	object   bool
	children []formNode
	constant any
	field    *page.TemplateField
}

// templateForm is the whole template.
var templateForm = readForm()

func readForm() formNode {
	root, components := request.DescribeTemplate()
	return former(components).node("", root, "")
}

// former has the schemas of named objects.
type former map[string]schema.JSONSchema

// node makes a part of its schema. doc describes the part that it is in.
func (f former) node(path string, s schema.JSONSchema, doc string) formNode {
	s = f.resolve(s)
	if own, ok := s["description"].(string); ok {
		doc = own
	}
	if properties, ok := s["properties"].(schema.Ordered); ok {
		return f.object(path, s, properties, doc)
	}
	if items, ok := s["prefixItems"].([]any); ok {
		n := formNode{}
		for i, item := range items {
			n.children = append(n.children, f.node(join(path, fmt.Sprint(i)), item.(schema.JSONSchema), doc))
		}
		return n
	}
	if value, only := onlyValue(s); only {
		return formNode{constant: value}
	}
	field := fieldOf(path, s)
	field.Placeholders = strings.Contains(doc, "{placeholders}")
	return formNode{field: &field}
}

func (f former) object(path string, s schema.JSONSchema, properties schema.Ordered, doc string) formNode {
	n := formNode{object: true}
	required, _ := s["required"].([]any)
	for _, member := range properties {
		child := f.node(join(path, member.Name), member.Value.(schema.JSONSchema), doc)
		child.name, child.required = member.Name, slices.Contains(required, any(member.Name))
		n.children = append(n.children, child)
	}
	return n
}

// resolve follows a reference, which may be one of two alternatives beside null.
func (f former) resolve(s schema.JSONSchema) schema.JSONSchema {
	if ref, ok := s["$ref"].(string); ok {
		return f[strings.TrimPrefix(ref, schema.References)]
	}
	if alternatives, ok := s["anyOf"].([]any); ok {
		if first := alternatives[0].(schema.JSONSchema); first["$ref"] != nil {
			return f.resolve(first)
		}
	}
	return s
}

func join(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// onlyValue is the value of a schema that has one only.
func onlyValue(s schema.JSONSchema) (any, bool) {
	if values := listed(s); len(values) == 1 {
		return values[0], true
	}
	least, most := s["minimum"], s["maximum"]
	return least, least != nil && least == most
}

// listed returns the values of an enumeration, without null.
func listed(s schema.JSONSchema) (values []string) {
	list, _ := s["enum"].([]any)
	if alternatives, ok := s["anyOf"].([]any); ok { // upper and lower case are equivalent
		list, _ = alternatives[0].(schema.JSONSchema)["enum"].([]any)
	}
	for _, v := range list {
		if text, ok := v.(string); ok {
			values = append(values, text)
		}
	}
	return values
}

// longText is the length in characters from which a text gets several lines.
const longText = 500

func fieldOf(path string, s schema.JSONSchema) page.TemplateField {
	field := page.TemplateField{Path: path, Kind: page.InputText, Choices: listed(s)}
	field.Most, _ = s["maxLength"].(int)
	field.Default, _ = s["default"].(string)
	switch {
	case isType(s, "boolean"):
		field.Kind = page.InputSwitch
		field.Default = fmt.Sprint(s["default"])
	case len(field.Choices) > 0:
		field.Kind = page.InputChoice
	case strings.HasSuffix(path, ".logo"):
		field.Kind = page.InputPicture
	case field.Most > longText:
		field.Kind = page.InputLines
	case strings.HasSuffix(path, "_color"):
		field.Kind = page.InputColor
	}
	return field
}

// isType reports whether a schema is of a type, or null.
func isType(s schema.JSONSchema, name string) bool {
	several, _ := s["type"].([]any)
	return s["type"] == name || slices.Contains(several, any(name))
}

// filledForm is the form with the values of a template.
func filledForm(template []byte) ([]page.TemplateGroup, error) {
	var tree any
	if err := json.Unmarshal(template, &tree); err != nil {
		return nil, err
	}
	return grouped(templateForm, func(f *page.TemplateField, path []string) {
		value, found := at(tree, path)
		fillField(f, value, found)
	}), nil
}

// at is the value at a path of a JSON tree.
func at(tree any, path []string) (any, bool) {
	for _, step := range path {
		switch parent := tree.(type) {
		case map[string]any:
			tree = parent[step]
		case []any:
			var i int
			if _, err := fmt.Sscan(step, &i); err != nil || i < 0 || i >= len(parent) {
				return nil, false
			}
			tree = parent[i]
		default:
			return nil, false
		}
	}
	return tree, tree != nil
}

func fillField(f *page.TemplateField, value any, found bool) {
	switch value := value.(type) {
	case string:
		f.Value, f.Blank = value, value == "" && f.Kind == page.InputLines
		for _, choice := range f.Choices {
			if strings.EqualFold(choice, value) {
				f.Value = choice
			}
		}
	case bool:
		f.On = value
	}
	if f.Kind == page.InputSwitch && !found {
		f.On = f.Default == "true"
	}
}

// sentForm is the form as a browser sent it: the value of each field by its path, and which empty ones are meant to be.
func sentForm(value func(path string) string, blank []string) []page.TemplateGroup {
	return grouped(templateForm, func(f *page.TemplateField, _ []string) {
		sent := strings.ReplaceAll(strings.ReplaceAll(value(f.Path), "\r\n", "\n"), "\r", "\n") // normalise line ends
		if f.Kind == page.InputSwitch {
			f.On = sent != ""
			return
		}
		f.Value = sent
		f.Blank = sent == "" && f.Kind == page.InputLines && slices.Contains(blank, f.Path)
	})
}

// grouped returns the groups of a form: one for general settings, then one for each block.
func grouped(root formNode, fill func(f *page.TemplateField, path []string)) []page.TemplateGroup {
	groups := []page.TemplateGroup{{Key: page.GroupLook}}
	var walk func(n formNode)
	walk = func(n formNode) {
		for _, child := range n.children {
			switch {
			case child.field != nil:
				f := *child.field
				fill(&f, strings.Split(f.Path, "."))
				last := &groups[len(groups)-1]
				last.Fields = append(last.Fields, f)
			case !n.object: // a block
				groups = append(groups, page.TemplateGroup{Key: typeOf(child), Number: len(groups)})
				walk(child)
			default:
				walk(child)
			}
		}
	}
	walk(root)
	return groups
}

// typeOf is the type of a block.
func typeOf(block formNode) string {
	for _, member := range block.children {
		if text, ok := member.constant.(string); ok && member.name == "type" {
			return text
		}
	}
	return ""
}

// templateOf is the template that a form describes, as JSON. It may not be valid.
func templateOf(groups []page.TemplateGroup) []byte {
	fields := map[string]page.TemplateField{}
	for _, g := range groups {
		for _, f := range g.Fields {
			fields[f.Path] = f
		}
	}
	tree, _ := templateForm.value(fields)
	b, err := json.Marshal(tree)
	if err != nil {
		panic(err) // impossible: it consists of texts, switches and constants
	}
	return b
}

// value is the part of a template that fields describe; false for nothing but defaults.
func (n formNode) value(fields map[string]page.TemplateField) (any, bool) {
	switch {
	case n.field != nil:
		return valueOf(fields[n.field.Path])
	case n.constant != nil:
		return n.constant, true
	case !n.object:
		var all []any
		for _, child := range n.children {
			v, _ := child.value(fields)
			all = append(all, v)
		}
		return all, true
	}
	members := map[string]any{}
	for _, child := range n.children {
		if v, set := child.value(fields); set {
			members[child.name] = v
		}
	}
	return members, len(members) > 0
}

func valueOf(f page.TemplateField) (any, bool) {
	if f.Kind == page.InputSwitch {
		return f.On, fmt.Sprint(f.On) != f.Default
	}
	return f.Value, f.Value != "" || f.Blank
}

// withDefaults fills in the defaults that apply to empty fields.
func withDefaults(groups []page.TemplateGroup, defaults map[string]string) []page.TemplateGroup {
	for _, g := range groups {
		for i := range g.Fields {
			g.Fields[i].Default = cmp.Or(defaults[g.Fields[i].Path], g.Fields[i].Default)
		}
	}
	return groups
}

// withWrong puts violations beside their fields, and lists all of them.
func withWrong(groups []page.TemplateGroup, found []schema.Violation) (wrong []page.Violation) {
	for _, v := range found {
		told := page.Violation{Path: pathOf(v), Text: strings.TrimPrefix(v.Msg, "Value error, ")}
		wrong = append(wrong, told)
		for _, g := range groups {
			for i := range g.Fields {
				if g.Fields[i].Path == told.Path {
					g.Fields[i].Wrong = told.Text
				}
			}
		}
	}
	return wrong
}

// pathOf is the path of a violation inside the template.
func pathOf(v schema.Violation) string {
	var steps []string
	for _, step := range v.Loc[min(1, len(v.Loc)):] {
		steps = append(steps, fmt.Sprint(step))
	}
	return strings.Join(steps, ".")
}
