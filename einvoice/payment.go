package einvoice

// DueDate is when the invoice is to be paid: the first due date of its terms.
func (i *Invoice) DueDate() Date {
	for _, terms := range i.PaymentTerms() {
		if due := terms.DueDate(); due.Node != nil {
			return due
		}
	}
	return Date{}
}

// PaymentMeans are the ways in which the invoice may be paid.
func (i *Invoice) PaymentMeans() []PaymentMeans {
	return wrap(i.settlement().All("SpecifiedTradeSettlementPaymentMeans"), func(n *Node) PaymentMeans { return PaymentMeans{n} })
}

// PaymentTerms are the conditions of payment.
func (i *Invoice) PaymentTerms() []PaymentTerms {
	return wrap(i.settlement().All("SpecifiedTradePaymentTerms"), func(n *Node) PaymentTerms { return PaymentTerms{n} })
}

// PaymentReference is what the payer should write on the payment.
func (i *Invoice) PaymentReference() *Node { return i.settlement().At("PaymentReference") }

// CreditorReference is the identifier of the creditor for direct debits.
func (i *Invoice) CreditorReference() *Node { return i.settlement().At("CreditorReferenceID") }

// PaymentMeans is a way to pay.
type PaymentMeans struct{ *Node }

// Type is the code of the way.
func (p PaymentMeans) Type() *Node { return p.At("TypeCode") }

// Information is the way in words.
func (p PaymentMeans) Information() *Node { return p.At("Information") }

// IBAN is the account to pay to.
func (p PaymentMeans) IBAN() *Node { return p.At("PayeePartyCreditorFinancialAccount", "IBANID") }

// AccountID is the account to pay to where there is no IBAN.
func (p PaymentMeans) AccountID() *Node {
	return p.At("PayeePartyCreditorFinancialAccount", "ProprietaryID")
}

// AccountName is whose account it is.
func (p PaymentMeans) AccountName() *Node {
	return p.At("PayeePartyCreditorFinancialAccount", "AccountName")
}

// BIC is the bank of the account.
func (p PaymentMeans) BIC() *Node {
	return p.At("PayeeSpecifiedCreditorFinancialInstitution", "BICID")
}

// DebitedIBAN is the account that a direct debit takes from.
func (p PaymentMeans) DebitedIBAN() *Node { return p.At("PayerPartyDebtorFinancialAccount", "IBANID") }

// CardNumber is the end of the number of the card that was used.
func (p PaymentMeans) CardNumber() *Node { return p.At("ApplicableTradeSettlementFinancialCard", "ID") }

// CardHolder is whose card it was.
func (p PaymentMeans) CardHolder() *Node {
	return p.At("ApplicableTradeSettlementFinancialCard", "CardholderName")
}

// PaymentTerms are conditions of payment.
type PaymentTerms struct{ *Node }

// Description is the conditions in words.
func (p PaymentTerms) Description() *Node { return p.At("Description") }

// DueDate is when to pay.
func (p PaymentTerms) DueDate() Date { return dateOf(p.At("DueDateDateTime")) }

// Mandate is the identifier of the mandate for direct debits.
func (p PaymentTerms) Mandate() *Node { return p.At("DirectDebitMandateID") }
