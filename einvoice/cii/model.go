package cii

// Namespaces by the prefixes that invoices conventionally give them.
var Namespaces = map[string]string{
	"rsm": "urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100",
	"ram": "urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100",
	"udt": "urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100",
	"qdt": "urn:un:unece:uncefact:data:standard:QualifiedDataType:100",
	"xs":  "http://www.w3.org/2001/XMLSchema",
	"xsi": "http://www.w3.org/2001/XMLSchema-instance",
}

// Kind is what an element of a type may hold.
type Kind uint8

// Elements, or text of one of five kinds.
const (
	Elements Kind = iota
	Token
	String
	Decimal
	Boolean
	Base64
)

var kinds = map[string]Kind{"token": Token, "string": String, "decimal": Decimal, "boolean": Boolean, "base64Binary": Base64}

// Type is what an element may contain in one profile. Types are shared and never change.
type Type struct {
	// Name is the schema's, empty if it has none; Space is where its children belong.
	Name, Space string
	Kind        Kind
	// Children stand in this order; no name occurs twice.
	Children   []*Child
	Attributes []Attribute
}

// MaxChildren is how many children a type may have, for those who count them.
const MaxChildren = 24

// Child is an element at its place in a type.
type Child struct {
	// Name is without, QName with the conventional prefix.
	Name, QName string
	// Index is the place among the children.
	Index int
	Type  *Type
	// Min is 0 or 1; Max is 0 for any number.
	Min, Max int
}

// Attribute is an attribute that elements of a type may have, without namespace.
type Attribute struct {
	Name     string
	Kind     Kind
	Required bool
}

// Find gives the place of a child by its name, -1 if there is none, looking from a
// place on first, as documents mostly are in order.
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
