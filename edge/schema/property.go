package schema

// Property describes a field of an object to whoever fills it in.
type Property struct {
	Name, Doc string
	Required  bool
	Kind      Kind
	// Default is the value of an absent field, Example a value for readers; nil for none.
	Default, Example any
	// Plan is the smallest plan that may set the field; "" for any.
	Plan string
}

// Properties lists the fields of a kind in the order of their declaration. It is false if the kind is not an Object.
func Properties(k Kind) ([]Property, bool) {
	o, ok := k.(interface{ properties() []Property })
	if !ok {
		return nil, false
	}
	return o.properties(), true
}

func (o Object[T]) properties() []Property {
	all := make([]Property, len(o.Fields))
	for i, f := range o.Fields {
		m := f.about()
		all[i] = Property{m.name, m.documentation(), m.always(), m.kind, m.absence, m.example, m.plan}
	}
	return all
}

// documentation is the field's own sentence, or that of its object.
func (m *member) documentation() string {
	if o, ok := m.kind.(interface{ documentation() string }); ok && m.doc == "" {
		return o.documentation()
	}
	return m.doc
}

func (o Object[T]) documentation() string { return o.Doc }
