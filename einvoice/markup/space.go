package markup

import "fmt"

const (
	xmlSpace   = "http://www.w3.org/XML/1998/namespace"
	xmlnsSpace = "http://www.w3.org/2000/xmlns/"
)

// binding is one namespace declaration in force.
type binding struct {
	prefix, space string
}

// declare puts a namespace declaration in force, if attr is one.
func (r *Reader) declare(attr *Attribute) (declared bool, fault *Fault) {
	prefix := attr.Name.Local
	if attr.Name.Prefix == "" {
		if prefix != "xmlns" {
			return false, nil
		}
		prefix = ""
	} else if attr.Name.Prefix != "xmlns" {
		return false, nil
	}
	space := attr.Value
	switch {
	case prefix == "xml" && space == xmlSpace:
		return true, nil
	case prefix == "xml" || prefix == "xmlns" || space == xmlSpace || space == xmlnsSpace:
		return false, r.faultAt(attr.Offset, "a declaration of the reserved namespace prefix or name of XML", "a prefix and a namespace of one's own")
	case prefix != "" && space == "":
		return false, r.faultAt(attr.Offset, fmt.Sprintf("an empty namespace for prefix %s", Short(prefix)), "a namespace name")
	case len(r.bindings) == maxBindings:
		return false, r.faultAt(attr.Offset, "one more namespace declaration", fmt.Sprintf("at most %d in force", maxBindings))
	}
	r.bindings = append(r.bindings, binding{prefix, space})
	return true, nil
}

// resolve gives the namespace of a prefix. Unlike elements, attributes have none
// without a prefix.
func (r *Reader) resolve(prefix string) (space string, bound bool) {
	for i := len(r.bindings) - 1; i >= 0; i-- {
		if r.bindings[i].prefix == prefix {
			return r.bindings[i].space, true
		}
	}
	if prefix == "xml" {
		return xmlSpace, true
	}
	return "", prefix == ""
}

// Resolve gives the namespace of a qualified name in a value, as xsi:type has it.
func (r *Reader) Resolve(value string) (Name, bool) {
	prefix, local, ok := split(value)
	if !ok {
		return Name{}, false
	}
	space, bound := r.resolve(prefix)
	return Name{prefix, local, space}, bound
}
