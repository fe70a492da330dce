package einvoice

// Tax is a row of the VAT breakdown, or the VAT of a line. Amounts are decimal numbers
// exactly as given.
type Tax struct{ *Node }

func taxesOf(settlement *Node) []Tax {
	return wrap(settlement.All("ApplicableTradeTax"), func(n *Node) Tax { return Tax{n} })
}

// Type is the kind of tax, VAT.
func (t Tax) Type() *Node { return t.At("TypeCode") }

// Category is the code of the VAT category.
func (t Tax) Category() *Node { return t.At("CategoryCode") }

// Rate is the rate in per cent.
func (t Tax) Rate() *Node { return t.At("RateApplicablePercent") }

// Basis is the amount that is taxed.
func (t Tax) Basis() *Node { return t.At("BasisAmount") }

// Amount is the tax.
func (t Tax) Amount() *Node { return t.At("CalculatedAmount") }

// ExemptionReason says why no tax is due, in words.
func (t Tax) ExemptionReason() *Node { return t.At("ExemptionReason") }

// ExemptionCode says why no tax is due, as a code.
func (t Tax) ExemptionCode() *Node { return t.At("ExemptionReasonCode") }

// PointDate is when the tax falls due.
func (t Tax) PointDate() Date { return dateOf(t.At("TaxPointDate")) }

// PointCode is which event makes the tax fall due, as a code.
func (t Tax) PointCode() *Node { return t.At("DueDateTypeCode") }

// Allowance is an allowance or a charge.
type Allowance struct{ *Node }

func allowancesOf(settlement *Node) []Allowance {
	return wrap(settlement.All("SpecifiedTradeAllowanceCharge"), func(n *Node) Allowance { return Allowance{n} })
}

// Indicator is true for a charge; IsCharge reads it.
func (a Allowance) Indicator() *Node { return a.At("ChargeIndicator", "Indicator") }

// IsCharge tells charges from allowances.
func (a Allowance) IsCharge() bool {
	text := a.Indicator().Text()
	return text == "true" || text == "1"
}

// Amount is the allowance or charge without VAT.
func (a Allowance) Amount() *Node { return a.At("ActualAmount") }

// Percent is its part of Basis in per cent.
func (a Allowance) Percent() *Node { return a.At("CalculationPercent") }

// Basis is the amount that Percent is of.
func (a Allowance) Basis() *Node { return a.At("BasisAmount") }

// Reason says why, in words.
func (a Allowance) Reason() *Node { return a.At("Reason") }

// ReasonCode says why, as a code.
func (a Allowance) ReasonCode() *Node { return a.At("ReasonCode") }

// Tax is the VAT on it.
func (a Allowance) Tax() Tax { return Tax{a.At("CategoryTradeTax")} }

// Totals are the sums of an invoice.
type Totals struct{ *Node }

// Lines is the sum of the lines' net amounts.
func (t Totals) Lines() *Node { return t.At("LineTotalAmount") }

// Allowances is the sum of the document's allowances.
func (t Totals) Allowances() *Node { return t.At("AllowanceTotalAmount") }

// Charges is the sum of the document's charges.
func (t Totals) Charges() *Node { return t.At("ChargeTotalAmount") }

// TaxBasis is the sum without VAT.
func (t Totals) TaxBasis() *Node { return t.At("TaxBasisTotalAmount") }

// Taxes are the VAT in the invoice's currency, and perhaps in the accounting one; their
// attribute currencyID says which.
func (t Totals) Taxes() []*Node { return t.All("TaxTotalAmount") }

// Tax is the VAT in a currency. An amount that names no currency is taken for it.
func (t Totals) Tax(currency string) *Node {
	for _, n := range t.Taxes() {
		if c := n.Attribute("currencyID"); c == "" || c == currency {
			return n
		}
	}
	return nil
}

// Grand is the sum with VAT.
func (t Totals) Grand() *Node { return t.At("GrandTotalAmount") }

// Prepaid is what was paid already.
func (t Totals) Prepaid() *Node { return t.At("TotalPrepaidAmount") }

// Rounding is what was put on to round the amount due.
func (t Totals) Rounding() *Node { return t.At("RoundingAmount") }

// Due is what is to be paid.
func (t Totals) Due() *Node { return t.At("DuePayableAmount") }
