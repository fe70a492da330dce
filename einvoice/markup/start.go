package markup

import (
	"fmt"
	"strings"
)

// startTag reads "<name attributes>" or "<name attributes/>".
func (r *Reader) startTag() (Token, *Fault) {
	start := r.at
	r.at++
	raw := r.name()
	switch {
	case raw == "":
		return Token{}, r.faultAt(start, r.here(), "the name of an element after \"<\"; write a plain \"<\" as &lt;")
	case len(r.opens) == 0 && r.rooted:
		return Token{}, r.faultAt(start, fmt.Sprintf("a second root element <%s>", Short(raw)), "nothing after the root element")
	case len(r.opens) == MaxDepth:
		return Token{}, r.faultAt(start, "elements nested deeper", fmt.Sprintf("at most %d levels", MaxDepth))
	}
	bindings := len(r.bindings)
	if fault := r.attributes(); fault != nil {
		return Token{}, fault
	}
	name, fault := r.qualify(raw, start)
	if fault == nil {
		fault = r.qualifyAttributes()
	}
	if fault != nil {
		return Token{}, fault
	}
	r.rooted = true
	r.opens = append(r.opens, open{raw, name, bindings, start})
	return Token{Kind: Start, Offset: start, Name: name, Attributes: r.attrs}, nil
}

// attributes reads the rest of a start tag. Namespace declarations go into force and
// are not kept.
func (r *Reader) attributes() *Fault {
	r.attrs = r.attrs[:0]
	declared := len(r.bindings)
	for count := 0; ; count++ {
		spaced := r.space()
		switch {
		case r.take(">"):
			return nil
		case r.take("/>"):
			r.closing = true
			return nil
		case r.at >= len(r.text):
			return r.fault("the end of the document", "\">\" to end the tag")
		case !spaced:
			return r.fault(r.here(), "white space before an attribute, or \">\" to end the tag")
		case count == MaxAttributes:
			return r.fault("one more attribute", fmt.Sprintf("at most %d on an element", MaxAttributes))
		}
		if fault := r.attribute(declared); fault != nil {
			return fault
		}
	}
}

func (r *Reader) attribute(declared int) *Fault {
	attr := Attribute{Offset: r.at}
	raw := r.name()
	if raw == "" {
		return r.fault(r.here(), "the name of an attribute, or \">\" to end the tag")
	}
	var ok bool
	if attr.Name.Prefix, attr.Name.Local, ok = split(raw); !ok {
		return r.faultAt(attr.Offset, fmt.Sprintf("name %q", Short(raw)), "a name with one colon at most, and something on both its sides")
	}
	r.space()
	if !r.take("=") {
		return r.fault(r.here(), fmt.Sprintf("\"=\" after attribute %s", Short(raw)))
	}
	r.space()
	var fault *Fault
	if attr.Value, fault = r.value(); fault != nil {
		return fault
	}
	if r.repeated(attr.Name, declared) {
		return r.faultAt(attr.Offset, fmt.Sprintf("attribute %s a second time", Short(raw)), "each attribute once")
	}
	if isDeclaration, fault := r.declare(&attr); fault != nil || isDeclaration {
		return fault
	}
	r.attrs = append(r.attrs, attr)
	return nil
}

// repeated looks among this element's attributes and, from declared on, namespace
// declarations.
func (r *Reader) repeated(name Name, declared int) bool {
	for i := range r.attrs {
		if r.attrs[i].Name.Local == name.Local && r.attrs[i].Name.Prefix == name.Prefix {
			return true
		}
	}
	prefix := name.Local
	if name.Prefix == "" && name.Local == "xmlns" {
		prefix = ""
	} else if name.Prefix != "xmlns" {
		return false
	}
	for _, b := range r.bindings[declared:] {
		if b.prefix == prefix {
			return true
		}
	}
	return false
}

// value reads a quoted value: white space becomes spaces, references what they stand for.
func (r *Reader) value() (string, *Fault) {
	if r.at >= len(r.text) || r.text[r.at] != '"' && r.text[r.at] != '\'' {
		return "", r.fault(r.here(), "a value in quotes")
	}
	quote := r.text[r.at]
	length := strings.IndexByte(r.text[r.at+1:], quote)
	if length < 0 {
		return "", r.fault("a value without an end", "a closing quote")
	}
	start := r.at + 1
	raw := r.text[start : start+length]
	if i := strings.IndexByte(raw, '<'); i >= 0 {
		return "", r.faultAt(start+i, "\"<\" in an attribute value", "&lt;, or a closing quote before it")
	}
	r.at = start + length + 1
	if strings.IndexByte(raw, '\n') >= 0 || strings.IndexByte(raw, '\t') >= 0 {
		raw = strings.NewReplacer("\n", " ", "\t", " ").Replace(raw)
	}
	return r.references(raw, start)
}

func (r *Reader) qualify(raw string, offset int) (Name, *Fault) {
	prefix, local, ok := split(raw)
	if !ok {
		return Name{}, r.faultAt(offset, fmt.Sprintf("name %q", Short(raw)), "a name with one colon at most, and something on both its sides")
	}
	space, bound := r.resolve(prefix)
	if !bound {
		return Name{}, r.faultAt(offset, fmt.Sprintf("namespace prefix %s of <%s>, which is not declared", Short(prefix), Short(raw)), fmt.Sprintf("xmlns:%s on this element or one around it", Short(prefix)))
	}
	return Name{prefix, local, space}, nil
}

func (r *Reader) qualifyAttributes() *Fault {
	for i := range r.attrs {
		attr := &r.attrs[i]
		if attr.Name.Prefix == "" {
			continue
		}
		space, bound := r.resolve(attr.Name.Prefix)
		if !bound || attr.Name.Prefix == "xmlns" {
			return r.faultAt(attr.Offset, fmt.Sprintf("namespace prefix %s of an attribute, which is not declared", Short(attr.Name.Prefix)), fmt.Sprintf("xmlns:%s on this element or one around it", Short(attr.Name.Prefix)))
		}
		attr.Name.Space = space
		for _, other := range r.attrs[:i] {
			if other.Name.Space == space && other.Name.Local == attr.Name.Local {
				return r.faultAt(attr.Offset, fmt.Sprintf("attribute %s a second time under another prefix", Short(attr.Name.Local)), "each attribute once")
			}
		}
	}
	return nil
}
