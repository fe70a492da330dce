package blocks

import "platen.dev/einvoice"

// vatBreakdown is the block vat-breakdown.
type vatBreakdown struct {
	Title string
	// Headings are those of category, rate, basis, VAT and reason.
	Headings [5]string
	Rows     []vatRow
	// Stacked: each row is a list of labels and values, because the columns would be too narrow.
	Stacked bool
}

type vatRow struct{ Category, Rate, Basis, Amount, Reason string }

func (p *presenter) vatBreakdown(b Block) *vatBreakdown {
	v := &vatBreakdown{Title: p.label(b, "title"), Headings: [5]string{p.Word("Category"), p.Word("Rate"), p.Word("Basis"), p.Word("VAT"), p.Word("Reason")}}
	for _, tax := range p.invoice.Taxes() {
		v.Rows = append(v.Rows, vatRow{
			Category: p.category(tax), Rate: p.percent(tax.Rate()), Basis: p.amount(tax.Basis()), Amount: p.amount(tax.Amount()), Reason: p.vatReason(tax),
		})
	}
	if len(v.Rows) == 0 {
		return nil
	}
	return v
}

// category is the name of the tax with the code of its category. That of the standard rate says no more than the rate.
func (p *presenter) category(t einvoice.Tax) string {
	name := p.text(t.Type())
	if name == "VAT" {
		name = p.reformat(t.Type(), p.Word("VAT"))
	}
	if t.Category().Text() == "S" && t.Rate() != nil {
		p.reformat(t.Category(), "")
		return name
	}
	return joinNonEmpty(" ", name, p.text(t.Category()))
}

// vatReason says why the tax is not the usual one: in the invoice's words or, if it has none, in those for the category.
func (p *presenter) vatReason(t einvoice.Tax) string {
	reason := p.text(t.ExemptionReason())
	if reason == "" {
		reason = p.Word(vatCategories[t.Category().Text()])
	}
	return joinNonEmpty(" ", reason, inParentheses(p.text(t.ExemptionCode())))
}

// vatCategories are the categories of VAT (UNTDID 5305) but for the standard rate, as the law calls them.
var vatCategories = map[string]string{
	"AE": "Reverse charge", "B": "Split payment", "E": "Exempt from VAT", "G": "Export, exempt from VAT", "K": "Intra-Community supply, exempt from VAT",
	"L": "Tax of the Canary Islands (IGIC)", "M": "Tax of Ceuta and Melilla (IPSI)", "O": "Not subject to VAT", "Z": "Zero rate",
}

// Facts returns the fields of a row, with labels.
func (v *vatBreakdown) Facts(r vatRow) []field {
	h := v.Headings
	return nonEmpty(field{h[0], r.Category}, field{h[1], r.Rate}, field{h[2], r.Basis}, field{h[3], r.Amount}, field{h[4], r.Reason})
}
