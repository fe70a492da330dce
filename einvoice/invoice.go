package einvoice

// Invoice is a valid invoice. It never changes, and may be shared.
type Invoice struct {
	// Profile is the one that it was read by.
	Profile string
	root    *Node
}

func newInvoice(profile string, root *Node) *Invoice { return &Invoice{profile, root} }

// Root is the document's root element; what has no method of its own is found from there.
func (i *Invoice) Root() *Node { return i.root }

func (i *Invoice) context() *Node     { return i.root.At("ExchangedDocumentContext") }
func (i *Invoice) document() *Node    { return i.root.At("ExchangedDocument") }
func (i *Invoice) transaction() *Node { return i.root.At("SupplyChainTradeTransaction") }
func (i *Invoice) agreement() *Node   { return i.transaction().At("ApplicableHeaderTradeAgreement") }
func (i *Invoice) delivery() *Node    { return i.transaction().At("ApplicableHeaderTradeDelivery") }
func (i *Invoice) settlement() *Node  { return i.transaction().At("ApplicableHeaderTradeSettlement") }

// Guideline is the identifier of the specification that the invoice follows.
func (i *Invoice) Guideline() *Node {
	return i.context().At("GuidelineSpecifiedDocumentContextParameter", "ID")
}

// BusinessProcess is the identifier of the process that the invoice is part of.
func (i *Invoice) BusinessProcess() *Node {
	return i.context().At("BusinessProcessSpecifiedDocumentContextParameter", "ID")
}

// Number is the invoice's number.
func (i *Invoice) Number() *Node { return i.document().At("ID") }

// Title is the name that the document gives itself.
func (i *Invoice) Title() *Node { return i.document().At("Name") }

// TypeCode is 380 for an invoice, 381 for a credit note.
func (i *Invoice) TypeCode() *Node { return i.document().At("TypeCode") }

// IsCreditNote tells credit notes from invoices.
func (i *Invoice) IsCreditNote() bool { return i.TypeCode().Text() == "381" }

// IssueDate is the day on which the invoice was issued.
func (i *Invoice) IssueDate() Date { return dateOf(i.document().At("IssueDateTime")) }

// Language is the language that the invoice is written in.
func (i *Invoice) Language() *Node { return i.document().At("LanguageID") }

// Notes are the document's notes.
func (i *Invoice) Notes() []Note { return notesOf(i.document()) }

// Currency is the code of the currency that amounts are in.
func (i *Invoice) Currency() *Node { return i.settlement().At("InvoiceCurrencyCode") }

// TaxCurrency is the code of the currency that VAT is accounted in, if it is another.
func (i *Invoice) TaxCurrency() *Node { return i.settlement().At("TaxCurrencyCode") }

// Seller is who sells.
func (i *Invoice) Seller() Party { return Party{i.agreement().At("SellerTradeParty")} }

// Buyer is who buys.
func (i *Invoice) Buyer() Party { return Party{i.agreement().At("BuyerTradeParty")} }

// TaxRepresentative is who answers for the seller's VAT.
func (i *Invoice) TaxRepresentative() Party {
	return Party{i.agreement().At("SellerTaxRepresentativeTradeParty")}
}

// ShipTo is who the goods go to.
func (i *Invoice) ShipTo() Party { return Party{i.delivery().At("ShipToTradeParty")} }

// Payee is who is paid, if it is not the seller.
func (i *Invoice) Payee() Party { return Party{i.settlement().At("PayeeTradeParty")} }

// BuyerReference is what the buyer wants to find on the invoice.
func (i *Invoice) BuyerReference() *Node { return i.agreement().At("BuyerReference") }

// DeliveryDate is when the delivery took place.
func (i *Invoice) DeliveryDate() Date {
	return dateOf(i.delivery().At("ActualDeliverySupplyChainEvent", "OccurrenceDateTime"))
}

// Period is the time that the invoice is for.
func (i *Invoice) Period() Period { return Period{i.settlement().At("BillingSpecifiedPeriod")} }

// Project is the project that was procured for.
func (i *Invoice) Project() *Node { return i.agreement().At("SpecifiedProcuringProject") }

// Order is the buyer's order.
func (i *Invoice) Order() Reference {
	return Reference{i.agreement().At("BuyerOrderReferencedDocument")}
}

// SellerOrder is the seller's confirmation of the order.
func (i *Invoice) SellerOrder() Reference {
	return Reference{i.agreement().At("SellerOrderReferencedDocument")}
}

// Contract is the contract that the invoice rests on.
func (i *Invoice) Contract() Reference {
	return Reference{i.agreement().At("ContractReferencedDocument")}
}

// DespatchAdvice is the advice of what was sent.
func (i *Invoice) DespatchAdvice() Reference {
	return Reference{i.delivery().At("DespatchAdviceReferencedDocument")}
}

// Supporting are the additional documents, some with an attachment.
func (i *Invoice) Supporting() []Reference {
	return wrap(i.agreement().All("AdditionalReferencedDocument"), func(n *Node) Reference { return Reference{n} })
}

// Preceding are the invoices that this one corrects or follows.
func (i *Invoice) Preceding() []Reference {
	return wrap(i.settlement().All("InvoiceReferencedDocument"), func(n *Node) Reference { return Reference{n} })
}

// Lines are the lines in the document's order, sub-lines among them.
func (i *Invoice) Lines() []Line {
	return wrap(i.transaction().All("IncludedSupplyChainTradeLineItem"), func(n *Node) Line { return Line{n} })
}

// Allowances are the allowances and charges of the whole document.
func (i *Invoice) Allowances() []Allowance { return allowancesOf(i.settlement()) }

// Taxes are the rows of the VAT breakdown.
func (i *Invoice) Taxes() []Tax { return taxesOf(i.settlement()) }

// Totals are the document's sums.
func (i *Invoice) Totals() Totals {
	return Totals{i.settlement().At("SpecifiedTradeSettlementHeaderMonetarySummation")}
}

// wrap gives nodes the meaning of a type.
func wrap[T any](nodes []*Node, as func(*Node) T) []T {
	all := make([]T, len(nodes))
	for i, n := range nodes {
		all[i] = as(n)
	}
	return all
}
