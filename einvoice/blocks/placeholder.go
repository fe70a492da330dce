package blocks

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"platen.dev/einvoice"
)

// placeholderForm matches a name in braces. Other braces are text.
var placeholderForm = regexp.MustCompile(`\{([^{}\s]*)\}`)

// placeholders maps each placeholder to its value.
var placeholders = map[string]func(*presenter) string{
	"number":            text((*einvoice.Invoice).Number),
	"issue_date":        date((*einvoice.Invoice).IssueDate),
	"due_date":          date((*einvoice.Invoice).DueDate),
	"delivery_date":     date((*einvoice.Invoice).DeliveryDate),
	"type_code":         text((*einvoice.Invoice).TypeCode),
	"currency":          text((*einvoice.Invoice).Currency),
	"guideline":         text((*einvoice.Invoice).Guideline),
	"profile":           func(p *presenter) string { return p.invoice.Profile },
	"rate":              (*presenter).vatRates,
	"seller_name":       text(func(i *einvoice.Invoice) *einvoice.Node { return i.Seller().Name() }),
	"seller_vat_id":     text(func(i *einvoice.Invoice) *einvoice.Node { return i.Seller().VATID() }),
	"seller_tax_number": text(func(i *einvoice.Invoice) *einvoice.Node { return i.Seller().TaxID() }),
	"buyer_name":        text(func(i *einvoice.Invoice) *einvoice.Node { return i.Buyer().Name() }),
	"buyer_vat_id":      text(func(i *einvoice.Invoice) *einvoice.Node { return i.Buyer().VATID() }),
	"buyer_reference":   text((*einvoice.Invoice).BuyerReference),
	"order_number":      text(func(i *einvoice.Invoice) *einvoice.Node { return i.BuyerOrder().ID() }),
	"contract_number":   text(func(i *einvoice.Invoice) *einvoice.Node { return i.Contract().ID() }),
	"subtotal":          total(einvoice.Totals.TaxBasisTotal),
	"total":             total(einvoice.Totals.GrandTotal),
	"prepaid":           total(einvoice.Totals.Prepaid),
	"amount_due":        total(einvoice.Totals.DuePayable),
	"tax":               func(p *presenter) string { return p.money(p.totals().TaxTotal(p.currency())) },
	"payment_reference": text((*einvoice.Invoice).PaymentReference),
	"payment_terms":     (*presenter).paymentTerms,
	"iban":              firstOfMeans(einvoice.PaymentMeans.IBAN),
	"bic":               firstOfMeans(einvoice.PaymentMeans.BIC),
	"account_name":      firstOfMeans(einvoice.PaymentMeans.AccountName),
}

// Placeholders are the names that labels and texts may have in braces, in alphabetical
// order.
func Placeholders() []string { return slices.Sorted(maps.Keys(placeholders)) }

func text(get func(*einvoice.Invoice) *einvoice.Node) func(*presenter) string {
	return func(p *presenter) string { return p.text(get(p.invoice)) }
}

func date(get func(*einvoice.Invoice) einvoice.Date) func(*presenter) string {
	return func(p *presenter) string { return p.date(get(p.invoice)) }
}

func total(get func(einvoice.Totals) *einvoice.Node) func(*presenter) string {
	return func(p *presenter) string { return p.money(get(p.totals())) }
}

// firstOfMeans takes the value from the first means of payment that has one.
func firstOfMeans(get func(einvoice.PaymentMeans) *einvoice.Node) func(*presenter) string {
	return func(p *presenter) string {
		for _, means := range p.invoice.PaymentMeans() {
			if n := get(means); n != nil {
				return p.text(n)
			}
		}
		return ""
	}
}

// CheckPlaceholders refuses a text with an unknown placeholder. Its error may be shown to
// the caller.
func CheckPlaceholders(text string) error {
	for _, found := range placeholderForm.FindAllStringSubmatch(text, -1) {
		if _, known := placeholders[found[1]]; !known {
			return fmt.Errorf("unknown placeholder {%.40s}; use one of {%s}", found[1], strings.Join(Placeholders(), "}, {"))
		}
	}
	return nil
}

// expand replaces the placeholders in a text by their values.
func (p *presenter) expand(text string) string {
	return placeholderForm.ReplaceAllStringFunc(text, func(found string) string {
		if value, known := placeholders[found[1:len(found)-1]]; known {
			return value(p)
		}
		return found
	})
}
