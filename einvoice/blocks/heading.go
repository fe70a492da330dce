package blocks

import (
	"cmp"
	"html/template"
	"strings"

	"platen.dev/einvoice"
	"platen.dev/events/contract"
)

// heading is the block invoice-heading.
type heading struct {
	Title, Name string
	// Test marks a test invoice, empty for others.
	Test string
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
	if strings.EqualFold(h.Name, h.Title) {
		h.Name = "" // said already
		p.reformat(i.Title(), h.Title)
	}
	if test := i.TestIndicator(); test.IsTrue() {
		h.Test = p.reformat(test, p.Word("Test invoice"))
	}
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

// titles are those of documents (UNTDID 1001) that are something else to their reader than an invoice or a credit note. Directive
// 2006/112/EC, article 226 (10a), demands the word for self-billing, which in German is Gutschrift.
var titles = map[string]string{
	"80": "Debit note", "84": "Debit note", "383": "Debit note", "527": "Self-billing debit note",
	"261": "Self-billing credit note", "502": "Self-billing credit note",
	"389": "Self-billing invoice", "501": "Self-billing invoice",
	"384": "Corrected invoice", "472": "Corrected invoice", "471": "Corrected self-billing invoice", "473": "Corrected self-billing invoice",
	"386": "Prepayment invoice", "500": "Self-billing prepayment invoice",
	"325": "Pro forma invoice", "326": "Partial invoice", "385": "Consolidated invoice",
	"751": "Invoice information for accounting",
	"875": "Partial construction invoice", "876": "Partial final construction invoice", "877": "Final construction invoice",
}

// title is the template's label for an invoice or for a credit note or, without one, what the document is.
func (p *presenter) title(b Block) string {
	label, english := titleOf(p.invoice)
	if _, own := b.Labels[label]; own {
		return p.label(b, label)
	}
	return p.Word(english)
}

// titleOf returns the name of the label for a document, and what it is in English.
func titleOf(i *einvoice.Invoice) (label, english string) {
	label = "title"
	if i.IsCreditNote() {
		label = "title_credit_note"
	}
	return label, cmp.Or(titles[i.TypeCode().Text()], defaultLabels[Heading][label])
}

// reference formats a reference to a document: its number, name and date.
func (p *presenter) reference(r einvoice.Reference) string {
	return joinNonEmpty(", ", p.text(r.ID()), p.text(r.Name()), p.date(r.IssueDate()))
}
