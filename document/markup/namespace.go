package markup

import "fmt"

const (
	xmlNamespace   = "http://www.w3.org/XML/1998/namespace"
	xmlnsNamespace = "http://www.w3.org/2000/xmlns/"
)

// binding is a namespace declaration that is in scope.
type binding struct {
	prefix, namespace string
}

// declareNamespace brings a namespace declaration into scope, if attr is one.
func (r *Reader) declareNamespace(attr *Attribute) (declared bool, fault *Fault) {
	prefix := attr.Name.Local
	if attr.Name.Prefix == "" {
		if prefix != "xmlns" {
			return false, nil
		}
		prefix = ""
	} else if attr.Name.Prefix != "xmlns" {
		return false, nil
	}
	namespace := attr.Value
	switch {
	case prefix == "xml" && namespace == xmlNamespace:
		return true, nil
	case prefix == "xml" || prefix == "xmlns" || namespace == xmlNamespace || namespace == xmlnsNamespace:
		return false, r.faultAt(attr.Offset, "a declaration of a reserved prefix or namespace of XML", "another prefix and namespace")
	case prefix != "" && namespace == "":
		return false, r.faultAt(attr.Offset, fmt.Sprintf("an empty namespace for prefix %s", Excerpt(prefix)), "a namespace name")
	case len(r.bindings) == maxBindings:
		return false, r.faultAt(attr.Offset, "too many namespace declarations", fmt.Sprintf("at most %d in scope", maxBindings))
	}
	r.bindings = append(r.bindings, binding{prefix, namespace})
	return true, nil
}

// namespaceOf returns the namespace of a prefix. It must not be asked for attributes
// without a prefix: unlike elements, they have no default namespace.
func (r *Reader) namespaceOf(prefix string) (namespace string, bound bool) {
	for i := len(r.bindings) - 1; i >= 0; i-- {
		if r.bindings[i].prefix == prefix {
			return r.bindings[i].namespace, true
		}
	}
	if prefix == "xml" {
		return xmlNamespace, true
	}
	return "", prefix == ""
}

// ResolveQName resolves a qualified name in an attribute value, such as that of xsi:type.
// It reports false if the value is not a qualified name or its prefix is not declared.
func (r *Reader) ResolveQName(value string) (Name, bool) {
	prefix, local, ok := splitQName(value)
	if !ok {
		return Name{}, false
	}
	namespace, bound := r.namespaceOf(prefix)
	return Name{prefix, local, namespace}, bound
}
