package request

import (
	"platen.dev/edge/schema"
	"platen.dev/einvoice/rules"
	"platen.dev/events/contract"
)

// InvoiceCheck is an e-invoice to check, from any source (docs/API.md, Checking e-invoices).
type InvoiceCheck struct {
	// XML or PDF is set, the other is nil.
	XML *string
	PDF []byte
	// Profile is "" for the one that the XML declares; Sets are nil for those that the profile implies.
	Profile string
	Sets    []string
}

// Bytes returns the size of the invoice.
func (c InvoiceCheck) Bytes() int {
	if c.XML != nil {
		return len(*c.XML)
	}
	return len(c.PDF)
}

// InvoiceCheckKind and InvoicePDFKind are the declarations of the bodies.
var (
	InvoiceCheckKind = schema.Object[InvoiceCheck]{
		Name: "EInvoiceCheck", Doc: "An invoice from any producer: as XML, or in a PDF.",
		Fields: []schema.Field[InvoiceCheck]{
			schema.Pointer("xml", schema.String{}, func(c *InvoiceCheck) **string { return &c.XML }).
				Doc("Either this,").Example("<?xml version=\"1.0\"?>…"),
			schema.At("pdf", schema.Bytes{}, func(c *InvoiceCheck) *[]byte { return &c.PDF }).Doc("or a PDF with an invoice in it, in base64."),
			schema.At("profile", schema.String{OneOf: contract.Profiles()}, func(c *InvoiceCheck) *string { return &c.Profile }).
				Doc("The profile to check by; otherwise the one whose guideline the XML declares."),
			ruleSetsField(func(c *InvoiceCheck) *[]string { return &c.Sets }),
		},
		Rules: []schema.Rule[InvoiceCheck]{{Field: "xml", Check: func(c *InvoiceCheck) string {
			if (c.XML == nil) == (c.PDF == nil) {
				return "send either xml or pdf"
			}
			return ""
		}}},
	}
	InvoicePDFKind = schema.Object[InvoiceCheck]{
		Name: "EInvoicePdf",
		Fields: []schema.Field[InvoiceCheck]{
			schema.At("pdf", schema.Bytes{}, func(c *InvoiceCheck) *[]byte { return &c.PDF }).Required().Doc("A PDF with an invoice in it, in base64."),
		},
	}
)

// DecodeInvoice reads a body by one of these declarations, or returns all violations.
func DecodeInvoice(kind schema.Object[InvoiceCheck], sent Sent) (InvoiceCheck, []schema.Violation) {
	document, _, violations := kind.Decode(sent.Body, sent.ContentType)
	return document.Value, violations
}

// ruleSetsField names sets of business rules.
func ruleSetsField[T any](place func(*T) *[]string) schema.Field[T] {
	return schema.At("rule_sets", schema.List[string]{Items: schema.String{OneOf: ruleSets()}, Most: contract.MaxRuleSets}, place).
		Doc("An extension: the sets of business rules; otherwise those that the guideline implies.")
}

func ruleSets() (names []string) {
	for _, s := range rules.Sets() {
		names = append(names, s.Name)
	}
	return names
}

// ruleSetsFor are the names of the sets that have rules for a format.
func ruleSetsFor(format string) (names []string) {
	for _, s := range rules.Sets() {
		if s.IsFor(format == contract.UBL) {
			names = append(names, s.Name)
		}
	}
	return names
}
