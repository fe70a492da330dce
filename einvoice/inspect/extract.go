package inspect

import (
	"cmp"
	"errors"
	"strings"
	"time"

	"platen.dev/document/markup"
	"platen.dev/einvoice"
	"platen.dev/einvoice/hybrid"
	"platen.dev/einvoice/model"
	"platen.dev/einvoice/report"
)

// Extract takes the invoice out of a PDF from any producer and reads what it says. Its errors, which may be shown, say why there is
// none.
func Extract(pdf []byte) (*report.Extract, error) {
	found, err := hybrid.Read(pdf)
	if err != nil {
		return nil, errors.New(markup.Excerpt(err.Error()))
	}
	e := &report.Extract{XML: asText(found.XML), FileName: text(found.FileName), Relationship: text(found.Relationship)}
	if einvoice.Fits(found.XML) != nil {
		return e, nil
	}
	kind, guideline := recognise(found.XML)
	e.Kind, e.Guideline = kind, text(guideline)
	if invoice, err := einvoice.Skim(found.XML); err == nil {
		e.Profile = report.Text(einvoice.ProfileOf(guideline))
		e.Facts = facts(model.Of(invoice))
	}
	return e, nil
}

// asText is a document in UTF-8.
func asText(document []byte) string {
	if markup.ForeignEncoding(document) == "" {
		return strings.ToValidUTF8(string(document), "\uFFFD")
	}
	decoded, _ := markup.Decode(document)
	return strings.ToValidUTF8(decoded, "\uFFFD")
}

func facts(i *model.Invoice) *report.Facts {
	f := &report.Facts{
		Number: term(i.Number), TypeCode: term(i.TypeCode), IssueDate: date(i.IssueDate), DeliveryDate: date(i.DeliveryDate),
		Currency: term(i.Currency), BuyerReference: term(i.BuyerReference), OrderNumber: term(i.BuyerOrder),
		Seller: party(i.Seller), Buyer: party(i.Buyer), Lines: len(i.Lines), Totals: totals(i),
	}
	var due []einvoice.Date
	for _, t := range i.PaymentTerms {
		due = append(due, einvoice.Date{Node: t.DueDate})
	}
	f.DueDate = date(einvoice.Latest(due).Node)
	for _, p := range i.Payments {
		f.IBAN = cmp.Or(f.IBAN, term(p.IBAN))
	}
	return f
}

func party(p model.Party) report.Party {
	shown := report.Party{Name: term(p.Name), City: term(p.Address.City), Country: term(p.Address.Country)}
	for _, id := range p.VATIDs {
		shown.VATID = cmp.Or(shown.VATID, term(id))
	}
	for _, id := range p.TaxNumbers {
		shown.TaxNumber = cmp.Or(shown.TaxNumber, term(id))
	}
	return shown
}

// totals returns the totals in the invoice currency: the VAT may also be stated in another one.
func totals(i *model.Invoice) report.Totals {
	t := i.Totals
	shown := report.Totals{
		Lines: term(t.Lines), Allowances: term(t.Allowances), Charges: term(t.Charges), WithoutTax: term(t.WithoutTax),
		WithTax: term(t.WithTax), Paid: term(t.Paid), Due: term(t.Due),
	}
	for _, tax := range t.Tax {
		if currency := tax.Attribute("currencyID"); currency == "" || currency == i.Currency.Text() {
			shown.Tax = cmp.Or(shown.Tax, term(tax))
		}
	}
	return shown
}

// term is a term as the invoice has it.
func term(t model.Term) report.Text { return report.Text(t.Text()) }

// date is a day as YYYY-MM-DD, a month as YYYY-MM, or the text if it is neither.
func date(t model.Term) report.Text {
	d := einvoice.Date{Node: t}
	day, is := d.Time()
	switch {
	case d.IsMonth():
		return report.Text(day.Format("2006-01"))
	case is:
		return report.Text(day.Format(time.DateOnly))
	}
	return term(t)
}
