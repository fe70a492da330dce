package events

// TemplateID names a saved block template inside its account.
type TemplateID string

// NewTemplateID makes a random template id, `tpl_` and 8 base32 letters (40 bits).
func NewTemplateID() TemplateID { return TemplateID("tpl_" + randomName(5)) }

// PutTemplate saves a block template for e-invoices. It replaces the template with the
// same id, if there is one.
type PutTemplate struct {
	Template TemplateID `cbor:"1,keyasint"`
	// Name is a label for people.
	Name string `cbor:"2,keyasint,omitempty"`
	// Body is the template as JSON, already validated.
	Body []byte `cbor:"3,keyasint"`
}

// DeleteTemplate deletes a saved template. Jobs that were accepted with it keep it.
type DeleteTemplate struct {
	Template TemplateID `cbor:"1,keyasint"`
}

// SetDefaultTemplate chooses the saved template for e-invoices that name none; an empty
// id means the built-in template.
type SetDefaultTemplate struct {
	Template TemplateID `cbor:"1,keyasint,omitempty"`
}

// TemplateSaved saved a block template, or replaced the one with the same id.
type TemplateSaved struct {
	Template TemplateID `cbor:"1,keyasint"`
	Name     string     `cbor:"2,keyasint,omitempty"`
	Body     []byte     `cbor:"3,keyasint"`
}

// TemplateDeleted deleted a saved template. If it was the default, the built-in one is now.
type TemplateDeleted struct {
	Template TemplateID `cbor:"1,keyasint"`
}

// DefaultTemplateSet changed the default template; an empty id means the built-in one.
type DefaultTemplateSet struct {
	Template TemplateID `cbor:"1,keyasint,omitempty"`
}

func (PutTemplate) command()                {}
func (c PutTemplate) String() string        { return text(c) }
func (DeleteTemplate) command()             {}
func (c DeleteTemplate) String() string     { return text(c) }
func (SetDefaultTemplate) command()         {}
func (c SetDefaultTemplate) String() string { return text(c) }

func (TemplateSaved) event()                {}
func (e TemplateSaved) String() string      { return text(e) }
func (TemplateDeleted) event()              {}
func (e TemplateDeleted) String() string    { return text(e) }
func (DefaultTemplateSet) event()           {}
func (e DefaultTemplateSet) String() string { return text(e) }
