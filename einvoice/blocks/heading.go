package blocks

import "platen.dev/einvoice"

// heading is the block invoice-heading.
type heading struct {
	Title, Name string
	Fields      []field
}

func (p *presenter) heading(b Block) *heading {
	i := p.invoice
	h := &heading{Title: p.title(b), Name: p.text(i.Title()), Fields: nonEmpty(
		field{p.expand(b.label("number")), p.text(i.Number())},
		field{p.expand(b.label("issue_date")), p.date(i.IssueDate())},
		field{p.expand(b.label("due_date")), p.date(i.DueDate())},
		field{"Delivery date", p.date(i.DeliveryDate())},
		field{"Period", p.period(i.Period())},
		field{"Your reference", p.text(i.BuyerReference())},
		field{"Order", p.reference(i.BuyerOrder())},
		field{"Order confirmation", p.reference(i.SellerOrder())},
		field{"Contract", p.reference(i.Contract())},
		field{"Project", p.joinTexts(" ", i.Project().At("ID"), i.Project().At("Name"))},
		field{"Despatch advice", p.reference(i.DespatchAdvice())},
		field{"Delivery note", p.reference(i.DeliveryNote())},
	)}
	for _, preceding := range i.PrecedingInvoices() {
		h.Fields = append(h.Fields, nonEmpty(field{"Refers to invoice", p.reference(preceding)})...)
	}
	return h
}

// title is the label for an invoice or for a credit note.
func (p *presenter) title(b Block) string {
	if p.invoice.IsCreditNote() {
		return p.expand(b.label("title_credit_note"))
	}
	return p.expand(b.label("title"))
}

// reference formats a reference to a document: its number, name and date.
func (p *presenter) reference(r einvoice.Reference) string {
	return joinNonEmpty(", ", p.text(r.ID()), p.text(r.Name()), p.date(r.IssueDate()))
}
