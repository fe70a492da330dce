package einvoice

import (
	"fmt"
	"strings"

	"platen.dev/einvoice/cii"
	"platen.dev/einvoice/markup"
)

// characters takes text to the element that holds it, or reports that none may be here.
func (v *validator) characters(token *markup.Token) {
	f := &v.frames[len(v.frames)-1]
	switch {
	case f.node == nil:
	case f.node.child.Type.Kind != cii.Elements:
		v.collect(f, token.Text)
	case f.strayed:
	case token.CData || strings.Trim(token.Text, " \t\n\r") != "" || len(f.node.child.Type.Children) == 0:
		f.strayed = true
		v.report(firstInk(token), strayText(token.Text), textless(f.node.child.Type))
	}
}

// firstInk is where text has its first character that is no white space.
func firstInk(token *markup.Token) int {
	if token.CData {
		return token.Offset
	}
	return token.Offset + len(token.Text) - len(strings.TrimLeft(token.Text, " \t\n\r"))
}

func strayText(text string) string {
	if text = strings.Trim(text, " \t\n\r"); text == "" {
		return "white space that is more than layout"
	}
	return fmt.Sprintf("text %q", markup.Short(text))
}

func textless(typ *cii.Type) string {
	if len(typ.Children) == 0 {
		return "an empty element"
	}
	return "elements only"
}

// collect joins the pieces of a text; mostly there is one, which needs no copy.
func (v *validator) collect(f *frame, piece string) {
	if f.pieces++; f.pieces == 1 {
		f.node.text = piece
		return
	}
	if f.pieces == 2 {
		v.buffer = append(v.buffer[:0], f.node.text...)
	}
	v.buffer = append(v.buffer, piece...)
}

func (v *validator) checkText(f *frame, typ *cii.Type) {
	if f.pieces > 1 {
		f.node.text = string(v.buffer)
	}
	if !typ.Kind.Accepts(f.node.text) {
		v.report(int(f.node.offset), fmt.Sprintf("%q", markup.Short(f.node.text)), typ.Kind.Wanted())
	}
	f.node.text = typ.Kind.Normalize(f.node.text)
}

// checkAttributes keeps the attributes that the type has, and reports others. Those of
// XML Schema instances are no content.
func (v *validator) checkAttributes(n *Node, token *markup.Token) {
	typ := n.child.Type
	first := len(v.attributes)
	for i := range token.Attributes {
		attr := &token.Attributes[i]
		switch {
		case attr.Name.Space == cii.Namespaces["xsi"]:
			v.checkInstance(typ, attr)
		case attr.Name.Prefix != "" || attributeOf(typ, attr.Name.Local) == nil:
			v.report(attr.Offset, "attribute "+attributeName(attr.Name), wantedAttributes(typ))
		default:
			v.attributes = append(v.attributes, Attribute{attr.Name.Local, attr.Value})
		}
	}
	if len(v.attributes) > first {
		n.attributes = v.attributes[first:len(v.attributes):len(v.attributes)]
	}
	for i := range typ.Attributes {
		if a := &typ.Attributes[i]; a.Required && !has(n.attributes, a.Name) {
			v.report(token.Offset, fmt.Sprintf("%s without attribute %s", n.child.QName, a.Name), fmt.Sprintf("%s=\"…\", which is required", a.Name))
		}
	}
}

// checkInstance: hints at schemas are allowed anywhere, xsi:type may repeat what the
// type is anyway, and nothing may be nil.
func (v *validator) checkInstance(typ *cii.Type, attr *markup.Attribute) {
	switch attr.Name.Local {
	case "schemaLocation", "noNamespaceSchemaLocation":
	case "type":
		name, bound := v.reader.Resolve(attr.Value)
		if !bound || typ.Name == "" || name.Local != typ.Name || name.Space != typ.Space {
			v.report(attr.Offset, fmt.Sprintf("xsi:type %q", markup.Short(attr.Value)), "no xsi:type, or the type that the element has anyway")
		}
	default:
		v.report(attr.Offset, "attribute "+attributeName(attr.Name), wantedAttributes(typ))
	}
}

func attributeOf(typ *cii.Type, name string) *cii.Attribute {
	for i := range typ.Attributes {
		if typ.Attributes[i].Name == name {
			return &typ.Attributes[i]
		}
	}
	return nil
}

func attributeName(name markup.Name) string {
	if name.Prefix == "" {
		return markup.Short(name.Local)
	}
	return markup.Short(name.Prefix) + ":" + markup.Short(name.Local)
}

func wantedAttributes(typ *cii.Type) string {
	if len(typ.Attributes) == 0 {
		return "no attribute"
	}
	names := make([]string, len(typ.Attributes))
	for i, a := range typ.Attributes {
		names[i] = a.Name
	}
	return "no attribute but " + strings.Join(names, " and ")
}

func has(attributes []Attribute, name string) bool {
	for _, a := range attributes {
		if a.Name == name {
			return true
		}
	}
	return false
}
