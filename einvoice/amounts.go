package einvoice

// Tax is a row of the VAT breakdown, or the VAT of a line.
type Tax struct{ *Node }

func taxesOf(settlement *Node) []Tax {
	return wrapAll(settlement.All("ApplicableTradeTax"), func(n *Node) Tax { return Tax{n} })
}

// Type is the code of the kind of tax, which is VAT.
func (t Tax) Type() *Node { return t.At("TypeCode") }

// Category is the code of the VAT category.
func (t Tax) Category() *Node { return t.At("CategoryCode") }

// Rate is the rate in per cent.
func (t Tax) Rate() *Node { return t.At("RateApplicablePercent") }

// Basis is the taxable amount.
func (t Tax) Basis() *Node { return t.At("BasisAmount") }

// Amount is the amount of the tax.
func (t Tax) Amount() *Node { return t.At("CalculatedAmount") }

// ExemptionReason is the reason, in words, why no tax is due.
func (t Tax) ExemptionReason() *Node { return t.At("ExemptionReason") }

// ExemptionCode is the code of the reason why no tax is due.
func (t Tax) ExemptionCode() *Node { return t.At("ExemptionReasonCode") }

// Exchange is the conversion of VAT to the accounting currency.
type Exchange struct{ *Node }

// Rate is the exchange rate.
func (e Exchange) Rate() *Node { return e.At("ConversionRate") }

// Date is the day of the rate.
func (e Exchange) Date() Date { return dateOf(e.At("ConversionRateDateTime")) }

// LogisticsCharge is a charge for transport or packing.
type LogisticsCharge struct{ *Node }

// Description says what it is for.
func (l LogisticsCharge) Description() *Node { return l.At("Description") }

// Amount is the amount without VAT.
func (l LogisticsCharge) Amount() *Node { return l.At("AppliedAmount") }

// Taxes are the VAT on the charge.
func (l LogisticsCharge) Taxes() []Tax {
	return wrapAll(l.All("AppliedTradeTax"), func(n *Node) Tax { return Tax{n} })
}

// AllowanceCharge is an allowance or a charge.
type AllowanceCharge struct{ *Node }

func allowanceChargesOf(settlement *Node) []AllowanceCharge {
	return wrapAll(settlement.All("SpecifiedTradeAllowanceCharge"), func(n *Node) AllowanceCharge { return AllowanceCharge{n} })
}

// Indicator is the Boolean that is true for a charge; IsCharge parses it.
func (a AllowanceCharge) Indicator() *Node { return a.At("ChargeIndicator", "Indicator") }

// IsCharge reports whether this is a charge; otherwise it is an allowance.
func (a AllowanceCharge) IsCharge() bool { return a.Indicator().IsTrue() }

// Amount is the amount without VAT.
func (a AllowanceCharge) Amount() *Node { return a.At("ActualAmount") }

// Percent is the percentage of Basis that makes Amount.
func (a AllowanceCharge) Percent() *Node { return a.At("CalculationPercent") }

// Basis is the amount that Percent applies to.
func (a AllowanceCharge) Basis() *Node { return a.At("BasisAmount") }

// Reason is the reason in words.
func (a AllowanceCharge) Reason() *Node { return a.At("Reason") }

// Tax is the VAT on the allowance or charge.
func (a AllowanceCharge) Tax() Tax { return Tax{a.At("CategoryTradeTax")} }

// Totals are the totals of an invoice.
type Totals struct{ *Node }

// LineTotal is the sum of the lines' net amounts.
func (t Totals) LineTotal() *Node { return t.At("LineTotalAmount") }

// AllowanceTotal is the sum of the allowances on the document.
func (t Totals) AllowanceTotal() *Node { return t.At("AllowanceTotalAmount") }

// ChargeTotal is the sum of the charges on the document.
func (t Totals) ChargeTotal() *Node { return t.At("ChargeTotalAmount") }

// TaxBasisTotal is the total without VAT.
func (t Totals) TaxBasisTotal() *Node { return t.At("TaxBasisTotalAmount") }

// TaxTotals are the total VAT in the invoice currency and, if that differs, in the
// accounting currency. The attribute currencyID is the currency of each.
func (t Totals) TaxTotals() []*Node { return t.All("TaxTotalAmount") }

// TaxTotal is the total VAT in a currency. An amount that names no currency counts as
// being in that currency.
func (t Totals) TaxTotal(currency string) *Node {
	for _, n := range t.TaxTotals() {
		if c := n.Attribute("currencyID"); c == "" || c == currency {
			return n
		}
	}
	return nil
}

// GrandTotal is the total with VAT.
func (t Totals) GrandTotal() *Node { return t.At("GrandTotalAmount") }

// Prepaid is the amount that has been paid in advance.
func (t Totals) Prepaid() *Node { return t.At("TotalPrepaidAmount") }

// Rounding is the amount that rounds DuePayable.
func (t Totals) Rounding() *Node { return t.At("RoundingAmount") }

// DuePayable is the amount that is due for payment.
func (t Totals) DuePayable() *Node { return t.At("DuePayableAmount") }
