package markup

import (
	"fmt"
	"strings"
)

// wantQName is the expected form in a fault about a name.
const wantQName = "a name with at most one colon, and with text on both sides of it"

// startTag reads "<name attributes>" or "<name attributes/>".
func (r *Reader) startTag() (Token, *Fault) {
	start := r.pos
	r.pos++
	qname := r.readName()
	switch {
	case qname == "":
		return Token{}, r.faultAt(start, r.quoteNext(), "the name of an element after \"<\"; write a literal \"<\" as &lt;")
	case len(r.stack) == 0 && r.rootSeen:
		return Token{}, r.faultAt(start, fmt.Sprintf("a second root element <%s>", Excerpt(qname)), "nothing after the root element")
	case len(r.stack) == MaxDepth:
		return Token{}, r.faultAt(start, "an element nested too deeply", fmt.Sprintf("at most %d levels", MaxDepth))
	}
	bindings := len(r.bindings)
	if fault := r.readAttributes(); fault != nil {
		return Token{}, fault
	}
	name, fault := r.qualifyElement(qname, start)
	if fault == nil {
		fault = r.qualifyAttributes()
	}
	if fault != nil {
		return Token{}, fault
	}
	r.rootSeen = true
	r.stack = append(r.stack, openElement{qname, name, bindings, start})
	return Token{Kind: StartElement, Offset: start, Name: name, Attributes: r.attrs}, nil
}

// readAttributes reads the rest of a start tag. Namespace declarations come into scope
// and are not kept as attributes.
func (r *Reader) readAttributes() *Fault {
	r.attrs = r.attrs[:0]
	declared := len(r.bindings)
	for count := 0; ; count++ {
		spaced := r.skipSpace()
		switch {
		case r.accept(">"):
			return nil
		case r.accept("/>"):
			r.emptyElement = true
			return nil
		case r.pos >= len(r.text):
			return r.fault("the end of the document", "\">\" to end the tag")
		case !spaced:
			return r.fault(r.quoteNext(), "white space before an attribute, or \">\" to end the tag")
		case count == MaxAttributes:
			return r.fault("too many attributes", fmt.Sprintf("at most %d on an element", MaxAttributes))
		}
		if fault := r.readAttribute(declared); fault != nil {
			return fault
		}
	}
}

func (r *Reader) readAttribute(declared int) *Fault {
	attr := Attribute{Offset: r.pos}
	qname := r.readName()
	if qname == "" {
		return r.fault(r.quoteNext(), "the name of an attribute, or \">\" to end the tag")
	}
	var ok bool
	if attr.Name.Prefix, attr.Name.Local, ok = splitQName(qname); !ok {
		return r.faultAt(attr.Offset, fmt.Sprintf("name %q", Excerpt(qname)), wantQName)
	}
	r.skipSpace()
	if !r.accept("=") {
		return r.fault(r.quoteNext(), fmt.Sprintf("\"=\" after attribute %s", Excerpt(qname)))
	}
	r.skipSpace()
	var fault *Fault
	if attr.Value, fault = r.readValue(); fault != nil {
		return fault
	}
	if r.isDuplicate(attr.Name, declared) {
		return r.faultAt(attr.Offset, fmt.Sprintf("duplicate attribute %s", Excerpt(qname)), "each attribute at most once")
	}
	if isDeclaration, fault := r.declareNamespace(&attr); fault != nil || isDeclaration {
		return fault
	}
	r.attrs = append(r.attrs, attr)
	return nil
}

// isDuplicate reports whether the element already has the attribute or namespace
// declaration. Its own declarations are those from index declared on.
func (r *Reader) isDuplicate(name Name, declared int) bool {
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

// readValue reads a quoted value. It replaces white space by spaces and expands references.
func (r *Reader) readValue() (string, *Fault) {
	if r.pos >= len(r.text) || r.text[r.pos] != '"' && r.text[r.pos] != '\'' {
		return "", r.fault(r.quoteNext(), "a value in quotes")
	}
	quote := r.text[r.pos]
	length := strings.IndexByte(r.text[r.pos+1:], quote)
	if length < 0 {
		return "", r.fault("an unterminated attribute value", "a closing quote")
	}
	start := r.pos + 1
	raw := r.text[start : start+length]
	if i := strings.IndexByte(raw, '<'); i >= 0 {
		return "", r.faultAt(start+i, "\"<\" in an attribute value", "&lt;, or a closing quote before it")
	}
	r.pos = start + length + 1
	if strings.IndexByte(raw, '\n') >= 0 || strings.IndexByte(raw, '\t') >= 0 {
		raw = strings.NewReplacer("\n", " ", "\t", " ").Replace(raw)
	}
	return r.expandReferences(raw, start)
}

func (r *Reader) qualifyElement(qname string, offset int) (Name, *Fault) {
	prefix, local, ok := splitQName(qname)
	if !ok {
		return Name{}, r.faultAt(offset, fmt.Sprintf("name %q", Excerpt(qname)), wantQName)
	}
	namespace, bound := r.namespaceOf(prefix)
	if !bound {
		return Name{}, r.faultAt(offset, fmt.Sprintf("namespace prefix %s of <%s>, which is not declared", Excerpt(prefix), Excerpt(qname)), fmt.Sprintf("xmlns:%s on this element or an ancestor", Excerpt(prefix)))
	}
	return Name{prefix, local, namespace}, nil
}

func (r *Reader) qualifyAttributes() *Fault {
	for i := range r.attrs {
		attr := &r.attrs[i]
		if attr.Name.Prefix == "" {
			continue
		}
		namespace, bound := r.namespaceOf(attr.Name.Prefix)
		if !bound || attr.Name.Prefix == "xmlns" {
			return r.faultAt(attr.Offset, fmt.Sprintf("namespace prefix %s of an attribute, which is not declared", Excerpt(attr.Name.Prefix)), fmt.Sprintf("xmlns:%s on this element or an ancestor", Excerpt(attr.Name.Prefix)))
		}
		attr.Name.Space = namespace
		for _, other := range r.attrs[:i] {
			if other.Name.Space == namespace && other.Name.Local == attr.Name.Local {
				return r.faultAt(attr.Offset, fmt.Sprintf("duplicate attribute %s under another prefix", Excerpt(attr.Name.Local)), "each attribute at most once")
			}
		}
	}
	return nil
}
