package blocks

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"platen.dev/einvoice"
)

// placeholder is a name in braces. Other braces are text.
var placeholder = regexp.MustCompile(`\{([^{}\s]*)\}`)

// fillings give what a placeholder stands for: the node that says it, or a text.
var fillings = map[string]func(*sheet) string{
	"number":            text(func(i *einvoice.Invoice) *einvoice.Node { return i.Number() }),
	"issue_date":        date(func(i *einvoice.Invoice) einvoice.Date { return i.IssueDate() }),
	"due_date":          date(func(i *einvoice.Invoice) einvoice.Date { return i.DueDate() }),
	"delivery_date":     date(func(i *einvoice.Invoice) einvoice.Date { return i.DeliveryDate() }),
	"type_code":         text(func(i *einvoice.Invoice) *einvoice.Node { return i.TypeCode() }),
	"currency":          text(func(i *einvoice.Invoice) *einvoice.Node { return i.Currency() }),
	"guideline":         text(func(i *einvoice.Invoice) *einvoice.Node { return i.Guideline() }),
	"profile":           func(s *sheet) string { return s.invoice.Profile },
	"rate":              func(s *sheet) string { return s.rates() },
	"seller_name":       text(func(i *einvoice.Invoice) *einvoice.Node { return i.Seller().Name() }),
	"seller_vat_id":     text(func(i *einvoice.Invoice) *einvoice.Node { return i.Seller().VATID() }),
	"seller_tax_number": text(func(i *einvoice.Invoice) *einvoice.Node { return i.Seller().TaxID() }),
	"buyer_name":        text(func(i *einvoice.Invoice) *einvoice.Node { return i.Buyer().Name() }),
	"buyer_vat_id":      text(func(i *einvoice.Invoice) *einvoice.Node { return i.Buyer().VATID() }),
	"buyer_reference":   text(func(i *einvoice.Invoice) *einvoice.Node { return i.BuyerReference() }),
	"order_number":      text(func(i *einvoice.Invoice) *einvoice.Node { return i.Order().ID() }),
	"contract_number":   text(func(i *einvoice.Invoice) *einvoice.Node { return i.Contract().ID() }),
	"subtotal":          amount(func(t einvoice.Totals) *einvoice.Node { return t.TaxBasis() }),
	"total":             amount(func(t einvoice.Totals) *einvoice.Node { return t.Grand() }),
	"prepaid":           amount(func(t einvoice.Totals) *einvoice.Node { return t.Prepaid() }),
	"amount_due":        amount(func(t einvoice.Totals) *einvoice.Node { return t.Due() }),
	"tax":               func(s *sheet) string { return s.money(s.totals().Tax(s.currency())) },
	"payment_reference": text(func(i *einvoice.Invoice) *einvoice.Node { return i.PaymentReference() }),
	"payment_terms":     func(s *sheet) string { return s.terms() },
	"iban":              account(func(p einvoice.PaymentMeans) *einvoice.Node { return p.IBAN() }),
	"bic":               account(func(p einvoice.PaymentMeans) *einvoice.Node { return p.BIC() }),
	"account_name":      account(func(p einvoice.PaymentMeans) *einvoice.Node { return p.AccountName() }),
}

// Placeholders are the names that labels and texts may have in braces, in alphabetical order.
func Placeholders() []string {
	var names []string
	for name := range fillings {
		names = append(names, name)
	}
	slices.Sort(names)
	return names
}

func text(of func(*einvoice.Invoice) *einvoice.Node) func(*sheet) string {
	return func(s *sheet) string { return s.text(of(s.invoice)) }
}

func date(of func(*einvoice.Invoice) einvoice.Date) func(*sheet) string {
	return func(s *sheet) string { return s.date(of(s.invoice)) }
}

func amount(of func(einvoice.Totals) *einvoice.Node) func(*sheet) string {
	return func(s *sheet) string { return s.money(of(s.totals())) }
}

// account takes the first means of payment that has what is asked for.
func account(of func(einvoice.PaymentMeans) *einvoice.Node) func(*sheet) string {
	return func(s *sheet) string {
		for _, means := range s.invoice.PaymentMeans() {
			if n := of(means); n != nil {
				return s.text(n)
			}
		}
		return ""
	}
}

// CheckText refuses placeholders that nothing stands behind. Its error is fit for the
// caller's eyes.
func CheckText(text string) error {
	for _, found := range placeholder.FindAllStringSubmatch(text, -1) {
		if _, known := fillings[found[1]]; !known {
			return fmt.Errorf("unknown placeholder {%.40s}; known are {%s}", found[1], strings.Join(Placeholders(), "}, {"))
		}
	}
	return nil
}

// fill puts in what the placeholders of a text stand for.
func (s *sheet) fill(text string) string {
	return placeholder.ReplaceAllStringFunc(text, func(found string) string {
		if of, known := fillings[found[1:len(found)-1]]; known {
			return of(s)
		}
		return found
	})
}
