package einvoice

import (
	"fmt"
	"slices"
	"strings"

	"platen.dev/document/markup"
	"platen.dev/einvoice/schema"
)

// checkAttributes keeps the attributes that the type has and reports all others, except
// for those of the XML Schema instance namespace, which are not content.
func (v *validator) checkAttributes(n *Node, token *markup.Token) {
	typ := n.child.Type
	first := len(v.attributes)
	for i := range token.Attributes {
		attr := &token.Attributes[i]
		switch {
		case attr.Name.Space == schema.XSI:
			v.checkInstanceAttribute(typ, attr)
		case attr.Name.Prefix != "" || !declares(typ, attr.Name.Local):
			v.report(attr.Offset, "attribute "+describeAttribute(attr.Name), expectedAttributes(typ))
		default:
			v.checkAttribute(typ, attr)
			v.attributes = append(v.attributes, Attribute{attr.Name.Local, attr.Value})
		}
	}
	if len(v.attributes) > first {
		n.attributes = v.attributes[first:len(v.attributes):len(v.attributes)]
	}
	for i := range typ.Attributes {
		if a := &typ.Attributes[i]; a.Required && !hasAttribute(n.attributes, a.Name) {
			v.report(token.Offset, fmt.Sprintf("%s without attribute %s", n.child.QName, a.Name), fmt.Sprintf("the required attribute %s=\"…\"", a.Name))
		}
	}
}

// checkAttribute checks the value of an attribute that the type has.
func (v *validator) checkAttribute(typ *schema.Type, attr *markup.Attribute) {
	for i := range typ.Attributes {
		if a := &typ.Attributes[i]; a.Name == attr.Name.Local && !a.Kind.Accepts(attr.Value) {
			v.report(attr.Offset, fmt.Sprintf("attribute %s %q", a.Name, markup.Excerpt(attr.Value)), a.Kind.Describe())
		}
	}
}

// checkInstanceAttribute allows schema locations on any element, and xsi:type if it
// repeats the element's own type, but no xsi:nil.
func (v *validator) checkInstanceAttribute(typ *schema.Type, attr *markup.Attribute) {
	switch attr.Name.Local {
	case "schemaLocation", "noNamespaceSchemaLocation":
	case "type":
		name, bound := v.reader.ResolveQName(attr.Value)
		if !bound || typ.Name == "" || name.Local != typ.Name || name.Space != typ.Space {
			v.report(attr.Offset, fmt.Sprintf("xsi:type %q", markup.Excerpt(attr.Value)), "no xsi:type, or the element's own type")
		}
	default:
		v.report(attr.Offset, "attribute "+describeAttribute(attr.Name), expectedAttributes(typ))
	}
}

func declares(typ *schema.Type, name string) bool {
	return slices.ContainsFunc(typ.Attributes, func(a schema.Attribute) bool { return a.Name == name })
}

func describeAttribute(name markup.Name) string {
	if name.Prefix == "" {
		return markup.Excerpt(name.Local)
	}
	return markup.Excerpt(name.Prefix) + ":" + markup.Excerpt(name.Local)
}

func expectedAttributes(typ *schema.Type) string {
	if len(typ.Attributes) == 0 {
		return "no attribute"
	}
	names := make([]string, len(typ.Attributes))
	for i, a := range typ.Attributes {
		names[i] = a.Name
	}
	return "no attribute other than " + strings.Join(names, " and ")
}

func hasAttribute(attributes []Attribute, name string) bool {
	return slices.ContainsFunc(attributes, func(a Attribute) bool { return a.Name == name })
}
