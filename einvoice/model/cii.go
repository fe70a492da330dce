package model

import (
	"slices"

	"platen.dev/einvoice"
)

// Of reads the terms of an invoice.
func Of(invoice *einvoice.Invoice) *Invoice {
	root := invoice.Root()
	context, document, transaction := root.At("ExchangedDocumentContext"), root.At("ExchangedDocument"), root.At("SupplyChainTradeTransaction")
	agreement, delivery := transaction.At("ApplicableHeaderTradeAgreement"), transaction.At("ApplicableHeaderTradeDelivery")
	settlement := transaction.At("ApplicableHeaderTradeSettlement")
	i := &Invoice{
		Root: root, Profile: invoice.Profile, Elements: map[string][]Term{},
		Guideline:         context.At("GuidelineSpecifiedDocumentContextParameter", "ID"),
		Process:           context.At("BusinessProcessSpecifiedDocumentContextParameter", "ID"),
		Number:            document.At("ID"),
		IssueDate:         document.At("IssueDateTime", "DateTimeString"),
		TypeCode:          document.At("TypeCode"),
		Notes:             notesOf(document),
		BuyerReference:    agreement.At("BuyerReference"),
		BuyerOrder:        agreement.At("BuyerOrderReferencedDocument", "IssuerAssignedID"),
		Contract:          agreement.At("ContractReferencedDocument", "IssuerAssignedID"),
		Seller:            partyOf(agreement.At("SellerTradeParty")),
		Buyer:             partyOf(agreement.At("BuyerTradeParty")),
		TaxRepresentative: partyOf(agreement.At("SellerTaxRepresentativeTradeParty")),
		Documents:         each(agreement.All("AdditionalReferencedDocument"), documentOf),
		ShipTo:            partyOf(delivery.At("ShipToTradeParty")),
		DeliveryDate:      delivery.At("ActualDeliverySupplyChainEvent", "OccurrenceDateTime", "DateTimeString"),
		Lines:             each(linesOf(transaction), lineOf),
	}
	i.index(root)
	if invoice.UBL {
		i.Document, i.Written, i.Attributed = invoice.Written(), map[string][]Term{}, map[string][]Term{}
		i.indexWritten(i.Document)
	}
	i.settle(settlement)
	for _, l := range i.Lines {
		i.LineTaxes = append(i.LineTaxes, l.Taxes...)
		i.LineAllowances = append(i.LineAllowances, l.Allowances...)
		i.LineCharges = append(i.LineCharges, l.Charges...)
	}
	return i
}

// linesOf returns the lines to which rules apply: all of CII, and those of UBL that are not sub-lines.
func linesOf(transaction Term) []Term {
	return slices.DeleteFunc(transaction.All("IncludedSupplyChainTradeLineItem"), func(t Term) bool { return einvoice.Line{Node: t}.Nesting() > 0 })
}

// index gathers the elements by name.
func (i *Invoice) index(t Term) {
	i.Elements[t.Element()] = append(i.Elements[t.Element()], t)
	for child := range t.Children() {
		i.index(child)
	}
}

func (i *Invoice) indexWritten(t Term) {
	i.Written[t.QName()] = append(i.Written[t.QName()], t)
	for _, a := range t.Attributes() {
		i.Attributed[a.Name] = append(i.Attributed[a.Name], t)
	}
	for child := range t.Children() {
		i.indexWritten(child)
	}
}

// settle reads the part on payment.
func (i *Invoice) settle(settlement Term) {
	i.Currency = settlement.At("InvoiceCurrencyCode")
	i.TaxCurrency = settlement.At("TaxCurrencyCode")
	i.CreditorID = settlement.At("CreditorReferenceID")
	i.Payee = partyOf(settlement.At("PayeeTradeParty"))
	i.Period = periodOf(settlement.At("BillingSpecifiedPeriod"))
	i.PreviousInvoices = each(settlement.All("InvoiceReferencedDocument"), func(n Term) Reference {
		return Reference{n, n.At("IssuerAssignedID"), n.At("FormattedIssueDateTime", "DateTimeString")}
	})
	i.Payments = each(settlement.All("SpecifiedTradeSettlementPaymentMeans"), paymentOf)
	i.PaymentTerms = each(settlement.All("SpecifiedTradePaymentTerms"), func(n Term) PaymentTerms {
		return PaymentTerms{n, n.At("Description"), n.At("DueDateDateTime", "DateTimeString"), n.At("DirectDebitMandateID")}
	})
	i.Allowances, i.Charges = adjustmentsOf(settlement.All("SpecifiedTradeAllowanceCharge"))
	i.Logistics = each(settlement.All("SpecifiedLogisticsServiceCharge"), func(n Term) Adjustment {
		return Adjustment{Node: n, Charge: true, Amount: n.At("AppliedAmount"), Reason: n.At("Description"), Tax: taxOf(n.At("AppliedTradeTax"))}
	})
	i.Taxes = each(settlement.All("ApplicableTradeTax"), taxOf)
	totals := settlement.At("SpecifiedTradeSettlementHeaderMonetarySummation")
	i.Totals = Totals{
		Node: totals, Lines: totals.At("LineTotalAmount"),
		Allowances: totals.At("AllowanceTotalAmount"), Charges: totals.At("ChargeTotalAmount"),
		WithoutTax: totals.At("TaxBasisTotalAmount"), Tax: totals.All("TaxTotalAmount"), WithTax: totals.At("GrandTotalAmount"),
		Paid: totals.At("TotalPrepaidAmount"), Rounding: totals.At("RoundingAmount"), Due: totals.At("DuePayableAmount"),
		Adjusted: each(settlement.All("SpecifiedFinancialAdjustment"), func(n Term) Term { return n.At("ActualAmount") }),
	}
}

// each converts each element.
func each[T any](nodes []Term, read func(Term) T) []T {
	all := make([]T, len(nodes))
	for i, n := range nodes {
		all[i] = read(n)
	}
	return all
}

func notesOf(document Term) []Note {
	return each(document.All("IncludedNote"), func(n Term) Note { return Note{n, n.At("SubjectCode"), n.At("Content")} })
}

func partyOf(n Term) Party {
	address := n.At("PostalTradeAddress")
	p := Party{
		Node: n, Name: n.At("Name"), IDs: n.All("ID"), GlobalIDs: n.All("GlobalID"), Description: n.At("Description"),
		LegalID:  n.At("SpecifiedLegalOrganization", "ID"),
		Address:  Address{address, address.At("CityName"), address.At("PostcodeCode"), address.At("CountryID")},
		Endpoint: n.At("URIUniversalCommunication", "URIID"),
		Contacts: each(n.All("DefinedTradeContact"), contactOf),
	}
	for _, registration := range n.All("SpecifiedTaxRegistration") {
		switch id := registration.At("ID"); id.Attribute("schemeID") {
		case "VA":
			p.VATIDs = append(p.VATIDs, id)
		case "FC":
			p.TaxNumbers = append(p.TaxNumbers, id)
		}
	}
	return p
}

func contactOf(n Term) Contact {
	return Contact{
		n, n.At("PersonName"), n.At("DepartmentName"),
		n.At("TelephoneUniversalCommunication", "CompleteNumber"), n.At("EmailURIUniversalCommunication", "URIID"),
	}
}

func periodOf(n Term) Period {
	return Period{n, n.At("StartDateTime", "DateTimeString"), n.At("EndDateTime", "DateTimeString")}
}

func documentOf(n Term) Document {
	return Document{n, n.At("IssuerAssignedID"), n.At("TypeCode"), n.At("Name"), n.At("AttachmentBinaryObject"), n.At("URIID"), n.At("ReferenceTypeCode")}
}

func paymentOf(n Term) Payment {
	account, debited := n.At("PayeePartyCreditorFinancialAccount"), n.At("PayerPartyDebtorFinancialAccount")
	card := n.At("ApplicableTradeSettlementFinancialCard")
	return Payment{
		Node: n, TypeCode: n.At("TypeCode"), Text: n.At("Information"),
		Account: account, IBAN: account.At("IBANID"), AccountID: account.At("ProprietaryID"),
		BIC:  n.At("PayeeSpecifiedCreditorFinancialInstitution", "BICID"),
		Card: card, CardNumber: card.At("ID"), Debited: debited, DebitedIBAN: debited.At("IBANID"),
	}
}

func adjustmentsOf(nodes []Term) (allowances, charges []Adjustment) {
	for _, n := range nodes {
		a := Adjustment{
			Node: n, Charge: n.At("ChargeIndicator", "Indicator").IsTrue(),
			Amount: n.At("ActualAmount"), Base: n.At("BasisAmount"), Percent: n.At("CalculationPercent"),
			Reason: n.At("Reason"), ReasonCode: n.At("ReasonCode"), Tax: taxOf(n.At("CategoryTradeTax")),
		}
		if a.Charge {
			charges = append(charges, a)
		} else {
			allowances = append(allowances, a)
		}
	}
	return allowances, charges
}

func taxOf(n Term) Tax {
	return Tax{
		Node: n, Type: n.At("TypeCode"), Category: n.At("CategoryCode"), Rate: n.At("RateApplicablePercent"),
		Base: n.At("BasisAmount"), Amount: n.At("CalculatedAmount"), Reason: n.At("ExemptionReason"), ReasonCode: n.At("ExemptionReasonCode"),
		TaxPointDate: n.At("TaxPointDate", "DateString"), TaxPointCode: n.At("DueDateTypeCode"),
	}
}

func lineOf(n Term) Line {
	document, product := n.At("AssociatedDocumentLineDocument"), n.At("SpecifiedTradeProduct")
	agreement, settlement := n.At("SpecifiedLineTradeAgreement"), n.At("SpecifiedLineTradeSettlement")
	net, gross := agreement.At("NetPriceProductTradePrice"), agreement.At("GrossPriceProductTradePrice")
	l := Line{
		Node: n, ID: document.At("LineID"), Parent: document.At("ParentLineID"), Status: document.At("LineStatusReasonCode"), Notes: notesOf(document),
		Quantity: n.At("SpecifiedLineTradeDelivery", "BilledQuantity"),
		Total:    settlement.At("SpecifiedTradeSettlementLineMonetarySummation", "LineTotalAmount"),
		Name:     product.At("Name"), ItemID: product.At("GlobalID"), Origin: product.At("OriginTradeCountry", "ID"),
		Classes: each(product.All("DesignatedProductClassification"), func(c Term) Term { return c.At("ClassCode") }),
		Attributes: each(product.All("ApplicableProductCharacteristic"), func(a Term) Attribute {
			return Attribute{a, a.At("Description"), a.At("Value")}
		}),
		NetPrice: net.At("ChargeAmount"), GrossPrice: gross.At("ChargeAmount"),
		BaseQuantities: present(gross.At("BasisQuantity"), net.At("BasisQuantity")),
		Documents:      each(settlement.All("AdditionalReferencedDocument"), documentOf),
		Taxes:          each(settlement.All("ApplicableTradeTax"), taxOf),
		Period:         periodOf(settlement.At("BillingSpecifiedPeriod")),
	}
	l.Allowances, l.Charges = adjustmentsOf(settlement.All("SpecifiedTradeAllowanceCharge"))
	allowances, charges := adjustmentsOf(gross.All("AppliedTradeAllowanceCharge"))
	l.PriceAdjustments = append(allowances, charges...)
	return l
}

// present drops missing terms.
func present(terms ...Term) []Term {
	var all []Term
	for _, t := range terms {
		if t != nil {
			all = append(all, t)
		}
	}
	return all
}
