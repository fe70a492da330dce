package model

import (
	"strings"

	"platen.dev/einvoice"
)

// Term is a business term as the invoice has it, or nil. For a group it is the element that
// contains its terms.
type Term = *einvoice.Node

// Filled reports whether a term is present and contains more than white space.
func Filled(t Term) bool { return strings.TrimSpace(t.Text()) != "" }

// Invoice is a document by the terms of EN 16931.
type Invoice struct {
	Root    Term
	Profile string
	// Elements are all elements of CII by their local names, in document order.
	Elements map[string][]Term
	// Written are the elements of a UBL invoice as written, by their names with a prefix; Attributed are those with an
	// attribute, by its name; Document is the root. All are empty for an invoice in CII.
	Written, Attributed map[string][]Term
	Document            Term

	Guideline Term // BT-24
	Process   Term // BT-23

	Number         Term // BT-1
	IssueDate      Term // BT-2
	TypeCode       Term // BT-3
	Currency       Term // BT-5
	TaxCurrency    Term // BT-6
	BuyerReference Term // BT-10
	BuyerOrder     Term // BT-13
	Contract       Term // BT-12
	Notes          []Note

	Seller            Party // BG-4
	Buyer             Party // BG-7
	Payee             Party // BG-10
	TaxRepresentative Party // BG-11
	ShipTo            Party // BG-13

	DeliveryDate Term   // BT-72
	Period       Period // BG-14

	PreviousInvoices []Reference // BG-3
	Documents        []Document  // BG-24, and BT-17, BT-18
	Payments         []Payment   // BG-16
	PaymentTerms     []PaymentTerms
	CreditorID       Term // BT-90

	Allowances []Adjustment // BG-20
	Charges    []Adjustment // BG-21
	Logistics  []Adjustment // charges for logistics, of Factur-X alone
	Taxes      []Tax        // BG-23
	Totals     Totals       // BG-22
	Lines      []Line       // BG-25

	// The parts of all lines, in one list each, because most rules examine all lines at once.
	LineTaxes                   []Tax
	LineAllowances, LineCharges []Adjustment
}

// Note is a note on the document (BG-1).
type Note struct {
	Node    Term
	Subject Term // BT-21
	Text    Term // BT-22
}

// Party is a company or a person.
type Party struct {
	Node        Term
	Name        Term
	IDs         []Term // identifiers without a scheme
	GlobalIDs   []Term // identifiers with a scheme
	LegalID     Term
	VATIDs      []Term // registrations for VAT
	TaxNumbers  []Term // numbers at the local tax office
	Description Term   // BT-33, of the seller
	Address     Address
	Endpoint    Term // the electronic address
	Contacts    []Contact
}

// Address is a postal address.
type Address struct {
	Node                    Term
	City, Postcode, Country Term
}

// Contact is a person or department to ask.
type Contact struct {
	Node                            Term
	Person, Department, Phone, Mail Term
}

// Period is a time span: BG-14 of the invoice, BG-26 of a line.
type Period struct{ Node, Start, End Term }

// Reference names a preceding invoice (BG-3).
type Reference struct{ Node, Number, Date Term }

// Document is a further document.
type Document struct {
	Node       Term
	Number     Term // BT-122, BT-17 or BT-18
	TypeCode   Term // 916 supports the invoice (BG-24), 50 is a tender (BT-17), 130 is the invoiced object (BT-18)
	Name       Term // BT-123
	Attachment Term // BT-125
	URI        Term // BT-124
	Scheme     Term // BT-18-1
}

// Payment is a means of payment.
type Payment struct {
	Node            Term
	TypeCode        Term // BT-81
	Text            Term // BT-82
	Account         Term // BG-17
	IBAN, AccountID Term // BT-84
	BIC             Term // BT-86
	Card            Term // BG-18
	CardNumber      Term // BT-87
	DebitedIBAN     Term // BT-91
	Debited         Term // BG-19
}

// PaymentTerms are terms of payment.
type PaymentTerms struct {
	Node        Term
	Description Term // BT-20
	DueDate     Term // BT-9
	Mandate     Term // BT-89
}

// Adjustment is an allowance or a charge, on the document or on a line.
type Adjustment struct {
	Node               Term
	Charge             bool
	Amount             Term // BT-92, BT-99; BT-136, BT-141
	Base               Term // BT-93, BT-100; BT-137, BT-142
	Percent            Term
	Reason, ReasonCode Term
	Tax                Tax
}

// Tax is a VAT category with its rate, and in the VAT breakdown with its amounts.
type Tax struct {
	Node         Term
	Type         Term
	Category     Term // BT-118; BT-95, BT-102, BT-151
	Rate         Term // BT-119; BT-96, BT-103, BT-152
	Base         Term // BT-116
	Amount       Term // BT-117
	Reason       Term // BT-120
	ReasonCode   Term // BT-121
	TaxPointDate Term // BT-7
	TaxPointCode Term // BT-8
}

// Totals are the totals of the document.
type Totals struct {
	Node       Term
	Lines      Term   // BT-106
	Allowances Term   // BT-107
	Charges    Term   // BT-108
	WithoutTax Term   // BT-109
	Tax        []Term // BT-110 and BT-111, told apart by their currency
	WithTax    Term   // BT-112
	Paid       Term   // BT-113
	Rounding   Term   // BT-114
	Due        Term   // BT-115
	Adjusted   []Term // amounts that change what is due, of Factur-X alone
}

// Line is a line of the invoice.
type Line struct {
	Node             Term
	ID               Term   // BT-126
	Parent           Term   // the line that this one is part of (BT-X-304)
	Status           Term   // DETAIL, GROUP or INFORMATION (BT-X-8)
	Notes            []Note // BT-127
	Quantity         Term   // BT-129
	Total            Term   // BT-131
	Name             Term   // BT-153
	ItemID           Term   // BT-157
	Classes          []Term // BT-158
	Origin           Term   // BT-159
	Attributes       []Attribute
	NetPrice         Term   // BT-146
	GrossPrice       Term   // BT-148
	BaseQuantities   []Term // BT-149
	PriceAdjustments []Adjustment
	Documents        []Document // BT-128
	Taxes            []Tax
	Period           Period
	Allowances       []Adjustment // BG-27
	Charges          []Adjustment // BG-28
}

// Attribute is a property of an item (BG-32).
type Attribute struct{ Node, Name, Value Term }
