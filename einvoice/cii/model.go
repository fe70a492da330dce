package cii

// Namespaces maps the conventional prefixes to namespace names.
var Namespaces = map[string]string{
	"rsm": "urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100",
	"ram": "urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100",
	"udt": "urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100",
	"qdt": "urn:un:unece:uncefact:data:standard:QualifiedDataType:100",
	"xs":  "http://www.w3.org/2001/XMLSchema",
	"xsi": "http://www.w3.org/2001/XMLSchema-instance",
}

// Kind is the kind of content that a type has.
type Kind uint8

// The kinds: child elements, or text of one of five simple types of XML Schema.
const (
	Elements Kind = iota
	Token
	String
	Decimal
	Boolean
	Base64
)

var kinds = map[string]Kind{"token": Token, "string": String, "decimal": Decimal, "boolean": Boolean, "base64Binary": Base64}

// Type is the type of an element in one profile. Types are shared and do not change.
type Type struct {
	// Name is the name in the schema, empty for an anonymous type. Space is the namespace
	// of the child elements.
	Name, Space string
	Kind        Kind
	// Children are in the required order; no name occurs twice.
	Children   []*Child
	Attributes []Attribute
}

// MaxChildren is an upper bound of the children that a type has.
const MaxChildren = 24

// Child is a child element of a type.
type Child struct {
	// Name is the local name; QName has the conventional prefix as well.
	Name, QName string
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
