package edge

import (
	"encoding/json"

	"platen.dev/edge/openapi"
	"platen.dev/edge/request"
	"platen.dev/edge/schema"
	"platen.dev/einvoice/report"
	"platen.dev/events/contract"
)

// The description of the endpoints about e-invoices.

var ruleViolation = openapi.Object{Name: "EInvoiceViolation", Fields: []openapi.Field{
	openapi.Optional("rule", schema.String{}).Doc("A business rule (docs/RULES.md), a clause of PDF/A or a rule of Factur-X; null for the schema.").Example("BR-CO-15"),
	openapi.Required("severity", schema.String{OneOf: report.Severities()}).Example("fatal"),
	openapi.Optional("term", schema.String{}).Doc("The business term or group.").Example("BT-112"),
	openapi.Optional("path", schema.String{}).Doc("Of the element."),
	openapi.Optional("line", count).Example(142),
	openapi.Optional("column", count).Doc("In characters."),
	openapi.Required("message", schema.String{}),
	openapi.Optional("fix", schema.String{}).Doc("How to mend it."),
	openapi.Optional("docs", schema.String{Format: "uri"}).Doc("Where a business rule is described.").Example("https://platen.dev/docs/rules/en16931/BR-CO-10"),
}}

func sectionFields(more ...openapi.Field) []openapi.Field {
	return append([]openapi.Field{
		openapi.Required("valid", schema.Bool{}).Doc("False if a violation is fatal."),
		openapi.Required("violations", schema.List[schema.None]{Items: ruleViolation}),
		openapi.Required("truncated", schema.Bool{}).Doc("There are more violations than these."),
	}, more...)
}

var reportSection = openapi.Object{Name: "EInvoiceReportSection", Fields: sectionFields()}

var invoiceReport = openapi.Object{Name: "EInvoiceReport", Doc: "A section is null if it does not apply, or if `unchecked` names it.", Fields: []openapi.Field{
	openapi.Optional("kind", schema.String{OneOf: report.Kinds()}).Doc("hybrid: a PDF with an invoice in it. Null: neither.").Example("cii"),
	openapi.Optional("profile", schema.String{OneOf: contract.Profiles()}).Doc("The one that the XML was checked by.").Example("en16931"),
	openapi.Optional("guideline", schema.String{}).Doc("The identifier that the XML declares.").Example("urn:cen.eu:en16931:2017"),
	openapi.Optional("valid", schema.Bool{}).Doc("Null if nothing is wrong as far as it was checked, but not all was: see `unchecked`."),
	openapi.Optional("well_formed", reportSection).Doc("XML in UTF-8."),
	openapi.Optional("schema", reportSection).Doc("The schema and guideline of the profile."),
	openapi.Optional("rules", openapi.Object{Name: "EInvoiceRules", Fields: sectionFields(
		openapi.Required("sets", schema.List[schema.None]{Items: openapi.Object{Name: "EInvoiceRuleSet", Fields: []openapi.Field{
			openapi.Required("name", schema.String{}).Example("en16931"),
			openapi.Required("version", schema.String{}).Doc("Of the official rules.").Example("1.3.16"),
		}}}),
	)}).Doc("Business rules; null if no set is for the profile."),
	openapi.Optional("pdfa", reportSection).Doc("PDF/A-3. A warning is what Platen cannot judge."),
	openapi.Optional("embedding", openapi.Object{Name: "EInvoiceEmbedding", Fields: sectionFields(append(attachmentFields(), levelField)...)}).Doc("How the XML is in the PDF."),
	openapi.Optional("match", reportSection).Doc("Whether the pages of a hybrid PDF show what its XML says. It has warnings alone, and does not decide."),
	openapi.Required("unchecked", schema.List[schema.None]{Items: openapi.Object{Name: "EInvoiceUnchecked", Fields: []openapi.Field{
		openapi.Required("section", schema.String{OneOf: report.Sections()}),
		openapi.Required("reason", schema.String{}),
	}}}),
}}

var levelField = openapi.Optional("level", schema.String{}).Doc("The conformance level of the XMP packet.").Example("EN 16931")

func attachmentFields() []openapi.Field {
	return []openapi.Field{
		openapi.Optional("file_name", schema.String{}).Example("factur-x.xml"),
		openapi.Optional("relationship", schema.String{}).Doc("AFRelationship.").Example("Alternative"),
	}
}

func texts(names ...string) (all []openapi.Field) {
	for _, name := range names {
		all = append(all, openapi.Optional(name, schema.String{}))
	}
	return all
}

var invoiceParty = openapi.Object{Name: "EInvoiceParty", Fields: texts("name", "vat_id", "tax_number", "city", "country")}

var invoiceExtract = openapi.Object{Name: "EInvoiceExtract", Fields: append(append([]openapi.Field{
	openapi.Required("xml", schema.String{}).Doc("The embedded file, in UTF-8."),
}, attachmentFields()...),
	openapi.Optional("kind", schema.String{OneOf: []string{string(report.CII), string(report.UBL)}}).Example("cii"),
	openapi.Optional("profile", schema.String{OneOf: contract.Profiles()}).Doc("Whose guideline the XML declares.").Example("en16931"),
	openapi.Optional("guideline", schema.String{}).Example("urn:cen.eu:en16931:2017"),
	openapi.Optional("facts", openapi.Object{Name: "EInvoiceFacts", Doc: "As the invoice has them, valid or not. Amounts keep their digits.", Fields: append(
		texts("number", "type_code", "issue_date", "due_date", "delivery_date", "currency", "buyer_reference", "order_number", "iban"),
		openapi.Required("seller", invoiceParty), openapi.Required("buyer", invoiceParty),
		openapi.Required("lines", count),
		openapi.Required("totals", openapi.Object{Name: "EInvoiceTotals", Fields: texts("lines", "allowances", "charges", "without_tax", "tax", "with_tax", "paid", "due")}),
	)}).Doc("Null unless the XML is a Cross-Industry Invoice."),
)}

// invoiceResponses are those of an endpoint about an e-invoice, with its own refusals of the content.
func invoiceResponses(doc string, kind schema.Kind, refused openapi.Response) []openapi.Response {
	return []openapi.Response{
		{Status: 200, Doc: doc, Headers: openapi.CommonHeaders(), Content: []openapi.Content{{Type: jsonType, Schema: kind}}},
		refusal("The key is missing or invalid.", invalidKey),
		refusal("The request is too large.", bodyTooLarge),
		encodingRefusal(), refused,
		refusal("Too many requests.", rateLimited.after(7)),
		failure(), outage(),
	}
}

func describeValidate() openapi.Operation {
	invalid := validationFailure()
	invalid.Doc, invalid.Content = "The body is not as described.", invalid.Content[:1]
	return openapi.Operation{
		ID: "validateEinvoice", Method: "POST", Path: "/einvoices/validate", Tag: "E-invoices", Summary: "Check an e-invoice",
		Doc: "An extension. Whoever made it: whatever is wrong with it is in the report. Nothing is kept or charged.",
		Body: &openapi.Body{Schema: request.InvoiceCheckKind, Examples: []openapi.Example{
			{Name: "typical", Value: json.RawMessage(`{"xml":"<?xml version=\"1.0\" encoding=\"UTF-8\"?>…"}`)},
		}},
		Responses: invoiceResponses("The report.", invoiceReport, invalid),
	}
}

func describeExtract() openapi.Operation {
	invalid := validationFailure()
	missing := refusal("The body is not as described, or the PDF has no invoice.", invoiceNotFound.with("EINVOICE_NOT_FOUND: the PDF has no embedded invoice: it has no attachments."))
	missing.Content = append(invalid.Content[:1:1], missing.Content...)
	return openapi.Operation{
		ID: "extractEinvoice", Method: "POST", Path: "/einvoices/extract", Tag: "E-invoices", Summary: "Read the e-invoice in a PDF",
		Doc:       "An extension. The XML, and what it says. Nothing is kept or charged.",
		Body:      &openapi.Body{Schema: request.InvoicePDFKind, Examples: []openapi.Example{{Name: "typical", Value: json.RawMessage(`{"pdf":"JVBERi0xLjcK"}`)}}},
		Responses: invoiceResponses("The invoice.", invoiceExtract, missing),
	}
}
