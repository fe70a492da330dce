package blocks

import (
	"strings"

	"platen.dev/einvoice"
)

// pair is a label and what it says.
type pair struct{ Label, Value string }

// pairs leaves out what has no value.
func pairs(all ...pair) (there []pair) {
	for _, p := range all {
		if p.Value != "" {
			there = append(there, p)
		}
	}
	return there
}

// heading is the invoice-heading block.
type heading struct {
	Title, Name string
	Facts       []pair
}

// title is what the document is called: the label of an invoice or of a credit note.
func (s *sheet) title(b Block) string {
	if s.invoice.IsCreditNote() {
		return s.fill(b.label("title_credit_note"))
	}
	return s.fill(b.label("title"))
}

func (s *sheet) heading(b Block) *heading {
	i := s.invoice
	h := &heading{Title: s.title(b), Name: s.text(i.Title()), Facts: pairs(
		pair{s.fill(b.label("number")), s.text(i.Number())},
		pair{s.fill(b.label("issue_date")), s.date(i.IssueDate())},
		pair{s.fill(b.label("due_date")), s.date(i.DueDate())},
		pair{"Delivery date", s.date(i.DeliveryDate())},
		pair{"Period", s.period(i.Period())},
		pair{"Your reference", s.text(i.BuyerReference())},
		pair{"Order", s.reference(i.Order())},
		pair{"Order confirmation", s.reference(i.SellerOrder())},
		pair{"Contract", s.reference(i.Contract())},
		pair{"Project", s.texts(" ", i.Project().At("ID"), i.Project().At("Name"))},
		pair{"Despatch advice", s.reference(i.DespatchAdvice())},
	)}
	for _, before := range i.Preceding() {
		h.Facts = append(h.Facts, pairs(pair{"Refers to invoice", s.reference(before)})...)
	}
	return h
}

// reference shows a document's number and date.
func (s *sheet) reference(r einvoice.Reference) string {
	return joined(", ", s.text(r.ID()), s.text(r.Name()), s.date(r.IssueDate()))
}

func (s *sheet) period(p einvoice.Period) string {
	return joined(" ", joined(" – ", s.date(p.Start()), s.date(p.End())), s.text(p.Description()))
}

// joined leaves out what is empty.
func joined(separator string, parts ...string) string {
	var there []string
	for _, part := range parts {
		if part != "" {
			there = append(there, part)
		}
	}
	return strings.Join(there, separator)
}
