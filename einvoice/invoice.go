package einvoice

import (
	"slices"
	"strings"

	"platen.dev/einvoice/cii"
)

// Invoice is a valid invoice. It does not change, and may be shared between goroutines.
//
// One of UBL is read as a Cross-Industry Invoice with the same terms (ubl/binding.txt): its
// nodes are elements of CII that have the path and the line of their source.
type Invoice struct {
	// Profile is the profile whose schema the invoice conforms to: en16931 for one of UBL.
	Profile string
	// UBL: the invoice is written in UBL.
	UBL           bool
	root, written *Node
}

func newInvoice(profile string, document *Node) *Invoice {
	if document.child.Space != cii.Namespaces["rsm"] {
		return &Invoice{Profile: ublProfile, UBL: true, root: bind(document), written: document}
	}
	return &Invoice{Profile: profile, root: document, written: document}
}

// Root is the root element, in CII.
func (i *Invoice) Root() *Node { return i.root }

// Written is the root element as it is written, in UBL or CII.
func (i *Invoice) Written() *Node { return i.written }

func (i *Invoice) context() *Node     { return i.root.At("ExchangedDocumentContext") }
func (i *Invoice) document() *Node    { return i.root.At("ExchangedDocument") }
func (i *Invoice) transaction() *Node { return i.root.At("SupplyChainTradeTransaction") }
func (i *Invoice) agreement() *Node   { return i.transaction().At("ApplicableHeaderTradeAgreement") }
func (i *Invoice) delivery() *Node    { return i.transaction().At("ApplicableHeaderTradeDelivery") }
func (i *Invoice) settlement() *Node  { return i.transaction().At("ApplicableHeaderTradeSettlement") }

// TestIndicator is the Boolean that is true for a test, which is not an invoice in law.
func (i *Invoice) TestIndicator() *Node { return i.context().At("TestIndicator", "Indicator") }

// Guideline is the identifier of the specification that the invoice follows.
func (i *Invoice) Guideline() *Node {
	return i.context().At("GuidelineSpecifiedDocumentContextParameter", "ID")
}

// Number is the invoice number.
func (i *Invoice) Number() *Node { return i.document().At("ID") }

// Title is the document's own name for itself.
func (i *Invoice) Title() *Node { return i.document().At("Name") }

// TypeCode is the kind of document by UNTDID 1001, such as 380 for an invoice and 381 for a credit note.
func (i *Invoice) TypeCode() *Node { return i.document().At("TypeCode") }

// IsCreditNote reports whether the document is a credit note, of whatever kind.
func (i *Invoice) IsCreditNote() bool {
	return i.written.Element() == "CreditNote" || slices.Contains(creditNotes, i.TypeCode().Text())
}

// creditNotes are the type codes that EN 16931 calls credit notes.
var creditNotes = strings.Fields("81 83 261 262 296 308 381 396 420 458 502 503 532")

// IssueDate is the date of the invoice.
func (i *Invoice) IssueDate() Date { return dateOf(i.document().At("IssueDateTime")) }

// Notes are the notes on the whole document.
func (i *Invoice) Notes() []Note { return notesOf(i.document()) }

// Currency is the code of the invoice currency.
func (i *Invoice) Currency() *Node { return i.settlement().At("InvoiceCurrencyCode") }

// Seller is the seller.
func (i *Invoice) Seller() Party { return Party{i.agreement().At("SellerTradeParty")} }

// Buyer is the buyer.
func (i *Invoice) Buyer() Party { return Party{i.agreement().At("BuyerTradeParty")} }

// TaxRepresentative is the seller's representative for VAT.
func (i *Invoice) TaxRepresentative() Party {
	return Party{i.agreement().At("SellerTaxRepresentativeTradeParty")}
}

// ShipTo is the recipient of the delivery.
func (i *Invoice) ShipTo() Party { return Party{i.delivery().At("ShipToTradeParty")} }

// Payee is the party to be paid, if it is not the seller.
func (i *Invoice) Payee() Party { return Party{i.settlement().At("PayeeTradeParty")} }

// BuyerReference is the reference that the buyer asked for.
func (i *Invoice) BuyerReference() *Node { return i.agreement().At("BuyerReference") }

// DeliveryDate is the actual date of the delivery.
func (i *Invoice) DeliveryDate() Date {
	return dateOf(i.delivery().At("ActualDeliverySupplyChainEvent", "OccurrenceDateTime"))
}

// Period is the billing period.
func (i *Invoice) Period() Period { return Period{i.settlement().At("BillingSpecifiedPeriod")} }

// Project is the procuring project.
func (i *Invoice) Project() *Node { return i.agreement().At("SpecifiedProcuringProject") }

// BuyerOrder is the buyer's purchase order.
func (i *Invoice) BuyerOrder() Reference {
	return Reference{i.agreement().At("BuyerOrderReferencedDocument")}
}

// SellerOrder is the seller's sales order, which confirms the purchase order.
func (i *Invoice) SellerOrder() Reference {
	return Reference{i.agreement().At("SellerOrderReferencedDocument")}
}

// Contract is the contract that the invoice is based on.
func (i *Invoice) Contract() Reference {
	return Reference{i.agreement().At("ContractReferencedDocument")}
}

// DespatchAdvice is the despatch advice of the delivery.
func (i *Invoice) DespatchAdvice() Reference {
	return Reference{i.delivery().At("DespatchAdviceReferencedDocument")}
}

// DeliveryNote is the delivery note.
func (i *Invoice) DeliveryNote() Reference {
	return Reference{i.delivery().At("DeliveryNoteReferencedDocument")}
}

// PrecedingInvoices are the invoices that this one corrects or follows.
func (i *Invoice) PrecedingInvoices() []Reference {
	return wrapAll(i.settlement().All("InvoiceReferencedDocument"), func(n *Node) Reference { return Reference{n} })
}

// Lines are the invoice lines in document order, including sub-lines.
func (i *Invoice) Lines() []Line {
	return wrapAll(i.transaction().All("IncludedSupplyChainTradeLineItem"), func(n *Node) Line { return Line{n} })
}

// AllowanceCharges are the allowances and charges on the whole document.
func (i *Invoice) AllowanceCharges() []AllowanceCharge {
	return allowanceChargesOf(i.settlement())
}

// LogisticsCharges are the charges for logistics on the whole document.
func (i *Invoice) LogisticsCharges() []LogisticsCharge {
	return wrapAll(i.settlement().All("SpecifiedLogisticsServiceCharge"), func(n *Node) LogisticsCharge { return LogisticsCharge{n} })
}

// TaxExchange is the conversion of VAT to the accounting currency.
func (i *Invoice) TaxExchange() Exchange {
	return Exchange{i.settlement().At("TaxApplicableTradeCurrencyExchange")}
}

// Taxes are the rows of the VAT breakdown.
func (i *Invoice) Taxes() []Tax { return taxesOf(i.settlement()) }

// Totals are the totals of the document.
func (i *Invoice) Totals() Totals {
	return Totals{i.settlement().At("SpecifiedTradeSettlementHeaderMonetarySummation")}
}

// wrapAll wraps each node in a type.
func wrapAll[T any](nodes []*Node, wrap func(*Node) T) []T {
	all := make([]T, len(nodes))
	for i, n := range nodes {
		all[i] = wrap(n)
	}
	return all
}
