package blocks

// vatBreakdown is the block vat-breakdown.
type vatBreakdown struct {
	Title string
	Rows  []vatRow
	// Stacked: each row is a list of labels and values, because the columns would be too narrow.
	Stacked bool
}

type vatRow struct{ Category, Rate, Basis, Amount, Reason string }

func (p *presenter) vatBreakdown(b Block) *vatBreakdown {
	v := &vatBreakdown{Title: p.expand(b.label("title"))}
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

// Facts are what the row says, with labels.
func (r vatRow) Facts() []field {
	return nonEmpty(field{"Category", r.Category}, field{"Rate", r.Rate}, field{"Basis", r.Basis}, field{"VAT", r.Amount}, field{"Reason", r.Reason})
}
