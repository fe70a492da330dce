package blocks

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
			Category: p.joinTexts(" ", tax.Type(), tax.Category()), Rate: p.percent(tax.Rate()), Basis: p.amount(tax.Basis()), Amount: p.amount(tax.Amount()),
			Reason: p.joinTexts(" ", tax.ExemptionReason(), tax.ExemptionCode()),
		})
	}
	if len(v.Rows) == 0 {
		return nil
	}
	return v
}

// Facts returns the fields of a row, with labels.
func (v *vatBreakdown) Facts(r vatRow) []field {
	h := v.Headings
	return nonEmpty(field{h[0], r.Category}, field{h[1], r.Rate}, field{h[2], r.Basis}, field{h[3], r.Amount}, field{h[4], r.Reason})
}
