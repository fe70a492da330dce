package einvoice

import "strings"

// Line is a line of an invoice.
type Line struct{ *Node }

func (l Line) document() *Node   { return l.At("AssociatedDocumentLineDocument") }
func (l Line) product() *Node    { return l.At("SpecifiedTradeProduct") }
func (l Line) agreement() *Node  { return l.At("SpecifiedLineTradeAgreement") }
func (l Line) delivery() *Node   { return l.At("SpecifiedLineTradeDelivery") }
func (l Line) settlement() *Node { return l.At("SpecifiedLineTradeSettlement") }

// ID is the identifier of the line.
func (l Line) ID() *Node { return l.document().At("LineID") }

// ParentID is the identifier of the line that this one is a sub-line of, nil for a line
// at the top level.
func (l Line) ParentID() *Node { return l.document().At("ParentLineID") }

// Nesting returns how many UBL lines enclose the line: 0 at the top level, and in CII, whose sub-lines have a ParentID.
func (l Line) Nesting() (depth int) {
	if l.source == nil {
		return 0
	}
	for at := l.source; strings.HasPrefix(at.Element(), "Sub"); at = at.Parent() {
		depth++
	}
	return depth
}

// Notes are the notes on the line.
func (l Line) Notes() []Note { return notesOf(l.document()) }

// Name is the name of the product.
func (l Line) Name() *Node { return l.product().At("Name") }

// Description is the description of the product.
func (l Line) Description() *Node { return l.product().At("Description") }

// ProductIDs returns the product's global identifier and the seller's and buyer's identifiers, as far as they are present.
func (l Line) ProductIDs() []*Node {
	p := l.product()
	return nonNil(p.At("GlobalID"), p.At("SellerAssignedID"), p.At("BuyerAssignedID"))
}

// Characteristics are the properties of the product.
func (l Line) Characteristics() []Characteristic {
	return wrapAll(l.product().All("ApplicableProductCharacteristic"), func(n *Node) Characteristic { return Characteristic{n} })
}

// Quantity is the quantity billed; its attribute unitCode is the unit.
func (l Line) Quantity() *Node { return l.delivery().At("BilledQuantity") }

// BuyerOrder is the buyer's purchase order.
func (l Line) BuyerOrder() Reference {
	return Reference{l.agreement().At("BuyerOrderReferencedDocument")}
}

// SellerOrder is the seller's sales order, which confirms the purchase order.
func (l Line) SellerOrder() Reference {
	return Reference{l.agreement().At("SellerOrderReferencedDocument")}
}

// Contract is the contract that the line is based on.
func (l Line) Contract() Reference { return Reference{l.agreement().At("ContractReferencedDocument")} }

// DespatchAdvice is the despatch advice of the delivery.
func (l Line) DespatchAdvice() Reference {
	return Reference{l.delivery().At("DespatchAdviceReferencedDocument")}
}

// DeliveryNote is the delivery note.
func (l Line) DeliveryNote() Reference {
	return Reference{l.delivery().At("DeliveryNoteReferencedDocument")}
}

// NetPrice is the price without VAT, after allowances on the price.
func (l Line) NetPrice() Price { return Price{l.agreement().At("NetPriceProductTradePrice")} }

// GrossPrice is the price without VAT, before allowances on the price.
func (l Line) GrossPrice() Price { return Price{l.agreement().At("GrossPriceProductTradePrice")} }

// Tax is the VAT of the line.
func (l Line) Tax() Tax { return Tax{l.settlement().At("ApplicableTradeTax")} }

// Period is the billing period of the line.
func (l Line) Period() Period { return Period{l.settlement().At("BillingSpecifiedPeriod")} }

// AllowanceCharges are the allowances and charges on the line.
func (l Line) AllowanceCharges() []AllowanceCharge { return allowanceChargesOf(l.settlement()) }

// Total is the net amount of the line.
func (l Line) Total() *Node {
	return l.settlement().At("SpecifiedTradeSettlementLineMonetarySummation", "LineTotalAmount")
}

// Price is the price of one unit or of a basis quantity.
type Price struct{ *Node }

// Amount is the price.
func (p Price) Amount() *Node { return p.At("ChargeAmount") }

// Basis is the quantity that the price is for.
func (p Price) Basis() *Node { return p.At("BasisQuantity") }

// AllowanceCharges are the allowances and charges on the price.
func (p Price) AllowanceCharges() []AllowanceCharge {
	return wrapAll(p.All("AppliedTradeAllowanceCharge"), func(n *Node) AllowanceCharge { return AllowanceCharge{n} })
}

// Characteristic is a property of a product.
type Characteristic struct{ *Node }

// Description is the name of the property.
func (c Characteristic) Description() *Node { return c.At("Description") }

// Value is the value of the property as text.
func (c Characteristic) Value() *Node { return c.At("Value") }

// Measure is the value of the property as a number; its attribute unitCode is the unit.
func (c Characteristic) Measure() *Node { return c.At("ValueMeasure") }
