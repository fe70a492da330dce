package blocks

import (
	"html/template"

	"platen.dev/einvoice"
	"platen.dev/events/contract"
)

// heading is the block invoice-heading.
type heading struct {
	Title, Name string
	// Logo is a picture, empty for none; Seller is its owner.
	Logo   template.URL
	Seller string
	Fields []field
}

func (p *presenter) heading(b Block) *heading {
	i := p.invoice
	h := &heading{Title: p.title(b), Name: p.text(i.Title()), Fields: nonEmpty(
		field{p.label(b, "number"), p.text(i.Number())},
		field{p.label(b, "issue_date"), p.date(i.IssueDate())},
		field{p.label(b, "due_date"), p.date(i.DueDate())},
		field{p.Word("Delivery date"), p.date(i.DeliveryDate())},
		field{p.Word("Period"), p.period(i.Period())},
		field{p.Word("Your reference"), p.text(i.BuyerReference())},
		field{p.Word("Order"), p.reference(i.BuyerOrder())},
		field{p.Word("Order confirmation"), p.reference(i.SellerOrder())},
		field{p.Word("Contract"), p.reference(i.Contract())},
		field{p.Word("Project"), p.joinTexts(" ", i.Project().At("ID"), i.Project().At("Name"))},
		field{p.Word("Despatch advice"), p.reference(i.DespatchAdvice())},
		field{p.Word("Delivery note"), p.reference(i.DeliveryNote())},
	)}
	for _, preceding := range i.PrecedingInvoices() {
		h.Fields = append(h.Fields, nonEmpty(field{p.Word("Refers to invoice"), p.reference(preceding)})...)
	}
	return h
}

// logo is a picture that HTML may show, empty if it is none.
func logo(uri string) template.URL {
	normal, err := contract.ParsePicture(uri, contract.MaxLogo)
	if err != nil {
		return "" // none: invalid ones were refused with the template
	}
	return template.URL(normal) // safe: a data URI in base64
}

// title is the label for an invoice or for a credit note.
func (p *presenter) title(b Block) string {
	if p.invoice.IsCreditNote() {
		return p.label(b, "title_credit_note")
	}
	return p.label(b, "title")
}

// reference formats a reference to a document: its number, name and date.
func (p *presenter) reference(r einvoice.Reference) string {
	return joinNonEmpty(", ", p.text(r.ID()), p.text(r.Name()), p.date(r.IssueDate()))
}
