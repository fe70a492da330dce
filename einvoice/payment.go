package einvoice

// DueDate is the date by which all is to be paid: the latest due date in the payment terms, since earlier ones are those of discounts and
// instalments. Only the profile extended has several.
func (i *Invoice) DueDate() Date {
	var all []Date
	for _, terms := range i.PaymentTerms() {
		all = append(all, terms.DueDate())
	}
	return Latest(all)
}

// PaymentMeans are the means by which the invoice may be paid.
func (i *Invoice) PaymentMeans() []PaymentMeans {
	return wrapAll(i.settlement().All("SpecifiedTradeSettlementPaymentMeans"), func(n *Node) PaymentMeans { return PaymentMeans{n} })
}

// PaymentTerms are the payment terms.
func (i *Invoice) PaymentTerms() []PaymentTerms {
	return wrapAll(i.settlement().All("SpecifiedTradePaymentTerms"), func(n *Node) PaymentTerms { return PaymentTerms{n} })
}

// PaymentReference is the remittance information that the payer should give.
func (i *Invoice) PaymentReference() *Node { return i.settlement().At("PaymentReference") }

// CreditorReference is the creditor identifier for direct debits.
func (i *Invoice) CreditorReference() *Node { return i.settlement().At("CreditorReferenceID") }

// PaymentMeans is a means of payment.
type PaymentMeans struct{ *Node }

// TypeCode is the kind of payment by UNTDID 4461, such as 58 for a SEPA credit transfer.
func (p PaymentMeans) TypeCode() *Node { return p.At("TypeCode") }

// Information describes the means of payment in words.
func (p PaymentMeans) Information() *Node { return p.At("Information") }

// IBAN is the IBAN of the account to pay to.
func (p PaymentMeans) IBAN() *Node { return p.At("PayeePartyCreditorFinancialAccount", "IBANID") }

// AccountID identifies the account to pay to if it has no IBAN.
func (p PaymentMeans) AccountID() *Node {
	return p.At("PayeePartyCreditorFinancialAccount", "ProprietaryID")
}

// AccountName is the name of the account to pay to.
func (p PaymentMeans) AccountName() *Node {
	return p.At("PayeePartyCreditorFinancialAccount", "AccountName")
}

// BIC is the BIC of the bank to pay to.
func (p PaymentMeans) BIC() *Node {
	return p.At("PayeeSpecifiedCreditorFinancialInstitution", "BICID")
}

// DebitedIBAN is the IBAN of the account that a direct debit is taken from.
func (p PaymentMeans) DebitedIBAN() *Node { return p.At("PayerPartyDebtorFinancialAccount", "IBANID") }

// CardNumber is the last digits of the number of the payment card.
func (p PaymentMeans) CardNumber() *Node { return p.At("ApplicableTradeSettlementFinancialCard", "ID") }

// CardHolder is the name of the card's holder.
func (p PaymentMeans) CardHolder() *Node {
	return p.At("ApplicableTradeSettlementFinancialCard", "CardholderName")
}

// PaymentTerms are terms of payment.
type PaymentTerms struct{ *Node }

// Description is the terms in words.
func (p PaymentTerms) Description() *Node { return p.At("Description") }

// DueDate is the date on which payment is due.
func (p PaymentTerms) DueDate() Date { return dateOf(p.At("DueDateDateTime")) }

// Mandate is the identifier of the mandate for direct debits.
func (p PaymentTerms) Mandate() *Node { return p.At("DirectDebitMandateID") }

// ThirdPartyPayments are the amounts that the buyer pays to the seller for third parties: the extension of XRechnung has them in UBL.
func (i *Invoice) ThirdPartyPayments() []ThirdPartyPayment {
	if i.Guideline().Text() != XRechnungExtension {
		return nil
	}
	return wrapAll(i.root.All("cac:PrepaidPayment"), func(n *Node) ThirdPartyPayment { return ThirdPartyPayment{n} })
}

// ThirdPartyPayment is such an amount. CII has no elements for it.
type ThirdPartyPayment struct{ *Node }

// Kind is the kind of payment.
func (t ThirdPartyPayment) Kind() *Node { return t.At("cbc:ID") }

// Amount is the amount that is paid; it adds to the amount due.
func (t ThirdPartyPayment) Amount() *Node { return t.At("cbc:PaidAmount") }

// Description describes its purpose.
func (t ThirdPartyPayment) Description() *Node { return t.At("cbc:InstructionID") }
