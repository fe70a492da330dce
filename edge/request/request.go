// Package request reads the requests that make jobs: a pure step from bytes to a typed
// request, or to all that is wrong with it. It knows no server, clock, account or network.
//
// Each operation declares the fields of its body once. Validation, defaults, plan gates
// and the API description all come from that declaration (docs/API.md, Operations).
package request

import (
	"platen.dev/edge/schema"
	"platen.dev/events"
	"platen.dev/events/contract"
)

// Request is a request for a job whose form is right.
type Request struct {
	Operation events.Operation
	Body
	// Gates are the fields that are set and need a plan.
	Gates    Gates
	key      string // of the header; "" for none
	document schema.Document[Body]
}

// Body is the body of any operation, with its defaults filled in. What an operation
// does not declare is zero.
type Body struct {
	// URL, HTML and Markdown are sources as they were sent: each operation has one of
	// them, or an invoice instead.
	URL, HTML, Markdown string
	// Full is set if the HTML is rendered as it was sent, with the Assets that it names.
	Full   bool
	Assets []contract.Asset
	// Large is set if the content may have more than contract.MaxContent bytes.
	Large bool
	// PDF is set for operations that make a PDF, Image for those that make an image.
	PDF    *PDFOptions
	Image  *contract.Image
	Render *Render
	Auth   *Auth
	// Invoice is the e-invoice to be shown or, beside another source, to be embedded.
	Invoice *Invoice
	// TemplateID names a saved block template, Template is an inline one. Both may be set.
	TemplateID string
	Template   *schema.Document[BlockTemplate]
	Webhook    string
	Delivery   *Delivery
	Test       bool
	// Wait is set if the response should be the file.
	Wait bool
	Tags []events.Tag
}

// PDFOptions say what a PDF looks like (docs/API.md, PDF options).
type PDFOptions struct {
	// Print has the options as the job keeps them, except those below.
	Print events.PrintOptions
	// Header and Footer are HTML as it was sent.
	Header, Footer string
	// These are HTML as it was sent, nil for none.
	FirstHeader, FirstFooter, LastHeader, LastFooter *string
	// Password and OwnerPassword are plain text, "" for none.
	Password, OwnerPassword string
}

// Render says how a page is loaded (docs/API.md, Render options).
type Render struct {
	contract.Load
	// Headers and Cookies are in plain text.
	Headers []contract.Header
	Cookies []contract.Cookie
}

// Auth is a credential for the target page, in plain text (docs/API.md, Auth).
type Auth struct{ Type, Value string }

// Invoice is an e-invoice as it was sent (docs/API.md, E-invoices).
type Invoice struct {
	XML, Profile string
	// Format is contract.UBL, "" for contract.FacturX.
	Format string
	// Rules is contract.RulesWarn or RulesEnforce, "" for none; RuleSets are nil for those that the profile implies.
	Rules    string
	RuleSets []string
	// Match is contract.MatchWarn or MatchEnforce, "" for none.
	Match string
}

// Delivery is the address to which the file is uploaded (docs/API.md, Delivery).
type Delivery struct{ URL string }

// Sent holds the parts of a request, as they were sent.
type Sent struct {
	Body []byte
	// ContentType is the header of that name; it does not affect parsing, and only helps to explain what is wrong with a body.
	ContentType string
	// Keys are the lines of the Idempotency-Key header.
	Keys [][]byte
}

// Decode reads a request of an operation, or returns all violations. placeholder returns an error for unknown
// placeholders in a text of a block template.
func (o *Operation) Decode(sent Sent, placeholder func(text string) error) (Request, []schema.Violation) {
	document, gates, violations := o.body.Decode(sent.Body, sent.ContentType)
	key, wrongKey := idempotencyKey(sent.Keys)
	violations = append(violations, wrongKey...)
	r := Request{Operation: o.Name, Body: document.Value, Gates: gates, key: key, document: document}
	if r.Template != nil {
		violations = append(violations, checkPlaceholders(r.Template.Value, []any{"body", "template"}, placeholder)...)
	}
	if len(violations) > 0 {
		return Request{}, violations
	}
	r.Large = r.Large || len(r.Assets) > 0
	if r.PDF == nil && !o.Name.Image() { // an e-invoice has no options: its block template determines the look
		options := pdfOptions.Empty()
		r.PDF = &options
	}
	return r, nil
}
