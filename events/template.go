package events

// TemplateID names a saved block template inside its account.
type TemplateID string

// NewTemplateID makes a random template id, `tpl_` and 8 base32 letters (40 bits).
func NewTemplateID() TemplateID { return TemplateID("tpl_" + randomName(5)) }

// PutTemplate saves a block template for e-invoices, in place of the one with its id, if
// there is one.
type PutTemplate struct {
	Template TemplateID `cbor:"1,keyasint"`
	// Name is for people.
	Name string `cbor:"2,keyasint,omitempty"`
	// Body is the template as JSON, which was checked.
	Body []byte `cbor:"3,keyasint"`
}

// DeleteTemplate deletes a saved template. Jobs that were accepted with it keep it.
type DeleteTemplate struct {
	Template TemplateID `cbor:"1,keyasint"`
}

// SetDefaultTemplate says which saved template applies to e-invoices that name none;
// an empty one means the built-in template.
type SetDefaultTemplate struct {
	Template TemplateID `cbor:"1,keyasint,omitempty"`
}

// TemplateSaved saved a block template, in place of the one with its id.
type TemplateSaved struct {
	Template TemplateID `cbor:"1,keyasint"`
	Name     string     `cbor:"2,keyasint,omitempty"`
	Body     []byte     `cbor:"3,keyasint"`
}

// TemplateDeleted deleted a saved template, which is no default any more.
type TemplateDeleted struct {
	Template TemplateID `cbor:"1,keyasint"`
}

// DefaultTemplateSet changed the default template; an empty one is the built-in one.
type DefaultTemplateSet struct {
	Template TemplateID `cbor:"1,keyasint,omitempty"`
}

func (PutTemplate) commandType() uint64        { return 9 }
func (DeleteTemplate) commandType() uint64     { return 10 }
func (SetDefaultTemplate) commandType() uint64 { return 11 }

func (TemplateSaved) eventType() uint64      { return 13 }
func (TemplateDeleted) eventType() uint64    { return 14 }
func (DefaultTemplateSet) eventType() uint64 { return 15 }
