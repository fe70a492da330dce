package einvoice

// Line is a line of an invoice. Its Line method counts the lines of the document.
type Line struct{ *Node }

func (l Line) document() *Node   { return l.At("AssociatedDocumentLineDocument") }
func (l Line) product() *Node    { return l.At("SpecifiedTradeProduct") }
func (l Line) agreement() *Node  { return l.At("SpecifiedLineTradeAgreement") }
func (l Line) settlement() *Node { return l.At("SpecifiedLineTradeSettlement") }

// ID is the line's number.
func (l Line) ID() *Node { return l.document().At("LineID") }

// ParentID is the number of the line that this one is a part of, nil for a line of its own.
func (l Line) ParentID() *Node { return l.document().At("ParentLineID") }

// Status is a code of what the line is, as new or changed.
func (l Line) Status() *Node { return l.document().At("LineStatusCode") }

// Reason refines Status: DETAIL, GROUP or INFORMATION.
func (l Line) Reason() *Node { return l.document().At("LineStatusReasonCode") }

// Notes are the line's notes.
func (l Line) Notes() []Note { return notesOf(l.document()) }

// Name is the product's.
func (l Line) Name() *Node { return l.product().At("Name") }

// Description is the product's.
func (l Line) Description() *Node { return l.product().At("Description") }

// ProductIDs are the identifiers of the product, with the seller's and the buyer's numbers.
func (l Line) ProductIDs() []*Node {
	p := l.product()
	return given(p.At("GlobalID"), p.At("SellerAssignedID"), p.At("BuyerAssignedID"))
}

// Characteristics are the product's properties.
func (l Line) Characteristics() []Characteristic {
	return wrap(l.product().All("ApplicableProductCharacteristic"), func(n *Node) Characteristic { return Characteristic{n} })
}

// Classifications are the product's classes; attributes name the list.
func (l Line) Classifications() []*Node {
	var codes []*Node
	for _, c := range l.product().All("DesignatedProductClassification") {
		codes = append(codes, given(c.At("ClassCode"))...)
	}
	return codes
}

// Origin is the code of the country that the product comes from.
func (l Line) Origin() *Node { return l.product().At("OriginTradeCountry", "ID") }

// Quantity is what is billed; its attribute unitCode is the unit.
func (l Line) Quantity() *Node { return l.At("SpecifiedLineTradeDelivery", "BilledQuantity") }

// NetPrice is the price without VAT, with allowances.
func (l Line) NetPrice() Price { return Price{l.agreement().At("NetPriceProductTradePrice")} }

// GrossPrice is the price before allowances on it.
func (l Line) GrossPrice() Price { return Price{l.agreement().At("GrossPriceProductTradePrice")} }

// Order is the line of the buyer's order.
func (l Line) Order() Reference {
	return Reference{l.agreement().At("BuyerOrderReferencedDocument")}
}

// Tax is the VAT of the line; Taxes has all of it where there may be more.
func (l Line) Tax() Tax { return Tax{l.settlement().At("ApplicableTradeTax")} }

// Taxes are all taxes of the line.
func (l Line) Taxes() []Tax { return taxesOf(l.settlement()) }

// Period is the time that the line is for.
func (l Line) Period() Period { return Period{l.settlement().At("BillingSpecifiedPeriod")} }

// Allowances are the allowances and charges of the line.
func (l Line) Allowances() []Allowance { return allowancesOf(l.settlement()) }

// Total is the line's net amount.
func (l Line) Total() *Node {
	return l.settlement().At("SpecifiedTradeSettlementLineMonetarySummation", "LineTotalAmount")
}

// Price is a price, of one unit or of a basis quantity.
type Price struct{ *Node }

// Amount is the price.
func (p Price) Amount() *Node { return p.At("ChargeAmount") }

// Basis is how much the price is for.
func (p Price) Basis() *Node { return p.At("BasisQuantity") }

// Allowances are what was taken from the price, or put on it.
func (p Price) Allowances() []Allowance {
	return wrap(p.All("AppliedTradeAllowanceCharge"), func(n *Node) Allowance { return Allowance{n} })
}

// Characteristic is a property of a product.
type Characteristic struct{ *Node }

// Description names the property.
func (c Characteristic) Description() *Node { return c.At("Description") }

// Value is what it is.
func (c Characteristic) Value() *Node { return c.At("Value") }

// Measure is what it is as a number with a unit (unitCode).
func (c Characteristic) Measure() *Node { return c.At("ValueMeasure") }
