package schema

// The namespaces of XML Schema itself.
const (
	XSD = "http://www.w3.org/2001/XMLSchema"
	XSI = "http://www.w3.org/2001/XMLSchema-instance"
)

// Kind is the kind of content that a type has.
type Kind uint8

// The kinds: child elements, text of a simple type of XML Schema, or one element of
// another namespace, whose content is not checked.
const (
	Elements Kind = iota
	Token
	String
	NormalizedString
	Decimal
	Boolean
	Base64
	Date
	Time
	URI
	Language
	Any
)

var kinds = map[string]Kind{
	"token": Token, "string": String, "normalizedString": NormalizedString, "decimal": Decimal, "boolean": Boolean, "base64Binary": Base64,
	"date": Date, "time": Time, "anyURI": URI, "language": Language, "any": Any,
}

// KindOf returns the kind of a simple type of XML Schema, and whether it is supported.
func KindOf(name string) (kind Kind, known bool) {
	kind, known = kinds[name]
	return kind, known
}

// IsText reports whether the content is text.
func (k Kind) IsText() bool { return k != Elements && k != Any }

// Type is the type of an element. Types are shared and do not change. They may contain
// themselves.
type Type struct {
	// Name is the name in the schema, empty for an anonymous type, and Space its namespace.
	Name, Space string
	Kind        Kind
	// Children are in the required order; no name occurs twice.
	Children   []*Child
	Attributes []Attribute
}

// IsEmpty reports whether an element of the type has no content.
func (t *Type) IsEmpty() bool { return t.Kind == Elements && len(t.Children) == 0 }

// MaxChildren is an upper bound of the children that a type has.
const MaxChildren = 104

// Child is a child element of a type.
type Child struct {
	// Name is the local name, Space the namespace; QName has the conventional prefix.
	Name, Space, QName string
	// Index is the position among the children of the type.
	Index int
	Type  *Type
	// Min and Max are how often the child may occur. Min is 0 or 1; Max is 0 if unbounded.
	Min, Max int
}

// Attribute is an attribute of a type. It has no namespace.
type Attribute struct {
	Name     string
	Kind     Kind
	Required bool
}

// Find returns the index of the child with a local name, or -1. It starts at index from,
// because most elements of a document are in order.
func (t *Type) Find(name string, from int) int {
	for i := from; i < len(t.Children); i++ {
		if t.Children[i].Name == name {
			return i
		}
	}
	for i := range min(from, len(t.Children)) {
		if t.Children[i].Name == name {
			return i
		}
	}
	return -1
}
