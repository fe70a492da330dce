package rules

import (
	"slices"
	"strings"

	"platen.dev/einvoice/model"
)

// The rules of EN 16931 that the official rules for UBL have in other words than those for CII.

var ublDocumentRules = []Rule{
	needs("BR-52", "BT-122", "Each supporting document has a reference.", "Give the document's number.", written("cac:AdditionalDocumentReference"), func(t model.Term) bool {
		return filledBelow(t, "cbc:ID")
	}),
	needs("BR-55", "BT-25", "Each reference to a preceding invoice has that invoice's number.", "Give the number of the preceding invoice.", written("cac:BillingReference"), func(t model.Term) bool {
		return len(below(t, "cac:InvoiceDocumentReference/cbc:ID")) > 0
	}),
	{
		"BR-CO-19", "BG-14", Fatal, "An invoicing period has a start, an end, a code for when VAT is due, or several of these.", "Give one of them, or leave the period out.",
		each(periods, is(func(p model.Period) bool { return hasBound(p) || len(below(p.Node, "cbc:DescriptionCode")) > 0 })),
	},
	needs("BR-CO-03", "BT-7", "The date when VAT is due and the code for it exclude each other.", "Give only one of the two.", root, func(t model.Term) bool {
		return len(below(t, "cbc:TaxPointDate")) == 0 || len(below(t, "cac:InvoicePeriod/cbc:DescriptionCode")) == 0
	}),
	{
		"BR-CO-18", "BG-23", Fatal, "The invoice has a VAT breakdown.", "Add a row for each VAT category and rate.",
		each(invoice, is(func(i *model.Invoice) bool { return len(i.Taxes) > 0 })),
	},
}

const schemeOfAddress = "Give the scheme of the address, such as EM for e-mail."

var ublPartyRules = []Rule{
	needs("BR-09", "BT-40", "The seller's address has a country.", "Give the country code of the seller.", addressOf("cac:AccountingSupplierParty"), hasCountry),
	needs("BR-11", "BT-55", "The buyer's address has a country.", "Give the country code of the buyer.", addressOf("cac:AccountingCustomerParty"), hasCountry),
	{
		"BR-17", "BT-59", Fatal, "A payee has a name and is somebody else than the seller.", "Name the payee, or leave out a payee who is the seller.",
		each(written("cac:PayeeParty"), func(i *model.Invoice, t model.Term) bool {
			seller := func(path string) []model.Term {
				return below(i.Document, "cac:AccountingSupplierParty/cac:Party/"+path)
			}
			return len(below(t, "cac:PartyName/cbc:Name")) > 0 && !shareText(below(t, "cac:PartyName/cbc:Name"), seller("cac:PartyName/cbc:Name")) &&
				!shareText(below(t, "cac:PartyIdentification/cbc:ID"), seller("cac:PartyIdentification/cbc:ID"))
		}),
	},
	needs("BR-18", "BT-62", "A tax representative of the seller has a name.", "Give the representative's name.", written("cac:TaxRepresentativeParty"), func(t model.Term) bool {
		return filledBelow(t, "cac:PartyName/cbc:Name")
	}),
	needs("BR-20", "BT-69", "The address of a tax representative has a country.", "Give the country code of the representative.",
		writtenIn("cac:TaxRepresentativeParty", "cac:PostalAddress"), hasCountry),
	{
		"BR-56", "BT-63", Fatal, "A tax representative of the seller has a VAT identifier.", "Give the representative's VAT identifier.",
		each(taxRepresentative, is(func(p model.Party) bool { return len(p.VATIDs) > 0 })),
	},
	needs("BR-57", "BT-80", "An address of delivery has a country.", "Give the country code of the delivery.", deliveryAddresses, func(t model.Term) bool {
		return t.Parent().Parent().QName() != "cac:Delivery" || len(below(t, "cac:Country/cbc:IdentificationCode")) > 0
	}),
	needs("BR-62", "BT-34", "The seller's electronic address names its scheme.", schemeOfAddress, endpointOf("cac:AccountingSupplierParty"), namesScheme),
	needs("BR-63", "BT-49", "The buyer's electronic address names its scheme.", schemeOfAddress, endpointOf("cac:AccountingCustomerParty"), namesScheme),
	{
		"BR-CO-26", "BT-31", Fatal, "The seller can be identified: by an identifier, a register number or a VAT identifier.", "Give one of the three.",
		each(invoice, is(func(i *model.Invoice) bool {
			return len(i.Seller.IDs) > 0 || len(i.Seller.GlobalIDs) > 0 || i.Seller.LegalID != nil || len(i.Seller.VATIDs) > 0
		})),
	},
	needs("BR-CO-09", "BT-31", "A VAT identifier begins with the code of its country.", "Put the country code before the number, such as DE or EL.", written("cac:PartyTaxScheme"), func(t model.Term) bool {
		return !schemeIsVAT(t) || strings.Contains(string(codes("vat-country")), firstTwo(t.At("CompanyID").Text()))
	}),
}

var deliveryAddresses = writtenIn("cac:DeliveryLocation", "cac:Address")

// addressOf is the postal address of a party, endpointOf its electronic one.
func addressOf(role string) scope[model.Term]  { return ofParty(role, "cac:PostalAddress") }
func endpointOf(role string) scope[model.Term] { return ofParty(role, "cbc:EndpointID") }

func ofParty(role, name string) scope[model.Term] {
	return termsIn(func(i *model.Invoice) []model.Term {
		return keep(i.Written[name], func(t model.Term) bool {
			return t.Parent().QName() == "cac:Party" && t.Parent().Parent().QName() == role
		})
	})
}

func hasCountry(address model.Term) bool {
	return filledBelow(address, "cac:Country/cbc:IdentificationCode")
}

func namesScheme(id model.Term) bool { _, has := attributeOf(id, "schemeID"); return has }

// shareText reports whether one of some elements has the text of one of others.
func shareText(some, others []model.Term) bool {
	texts := map[string]bool{}
	for _, t := range others {
		texts[t.Text()] = true
	}
	return slices.ContainsFunc(some, func(t model.Term) bool { return texts[t.Text()] })
}

var ublDetailRules = []Rule{
	{
		"BR-64", "BT-157", Fatal, "The standard identifier of an item names its scheme.", "Give the scheme, such as 0160 for a GTIN.",
		each(lines, is(func(l model.Line) bool { return l.ItemID == nil || namesScheme(l.ItemID) })),
	},
	{
		"BR-65", "BT-158", Fatal, "The class of an item names its classification.", "Give the list that the class is from.",
		each(terms(lines, itemClasses), is(func(class model.Term) bool { _, has := attributeOf(class, "listID"); return has })),
	},
	{"BR-50", "BT-84", Fatal, "The account of a transfer has a number.", "Give the IBAN or another account number.", each(transferAccounts, is(hasFilledAccount))},
	{"BR-61", "BT-84", Fatal, "A transfer names the account to pay to.", "Give the IBAN or another account number.", each(transfers, is(hasAccount))},
	{
		"BR-51", "BT-87", Warning, "Of a card's number only the last digits are given, at most ten characters.", "Leave out the rest of the number.",
		each(cards, is(func(p model.Payment) bool { return len([]rune(p.CardNumber.Text())) <= 10 })),
	},
}

var ublTotalRules = []Rule{
	{
		"BR-53", "BT-111", Fatal, "If VAT is accounted for in another currency, the total VAT is given in it.", "Give the total VAT in the accounting currency.",
		each(totals, func(i *model.Invoice, t model.Totals) bool {
			return i.TaxCurrency == nil || len(taxIn(t, i.TaxCurrency)) > 0
		}),
	},
	needs("BR-CO-14", "BT-110", "The total VAT is the sum of the VAT of the categories.", "Correct the total or the VAT breakdown.", totalTaxes, func(t model.Term) bool {
		rows := below(t, "cac:TaxSubtotal")
		want := sum(rows, func(row model.Term) decimal { return optional(row.At("TaxAmount")) }).round(2)
		return len(rows) == 0 || number(t.At("TaxAmount")).equals(want)
	}),
	{
		"BR-CO-15", "BT-112", Fatal, "The amount with VAT is the amount without VAT plus the total VAT in the invoice's currency.", "Correct one of the three, and name the currency of the total VAT.",
		each(totals, func(i *model.Invoice, t model.Totals) bool {
			tax := taxIn(t, i.Currency)
			return i.Currency == nil || len(tax) == 1 && number(t.WithTax).equals(number(t.WithoutTax).plus(number(tax[0])).round(2))
		}),
	},
	{
		"BR-CO-16", "BT-115", Fatal, "The amount due is the amount with VAT, less what was paid, plus the rounding.", "Correct the amount due, or what it is made of.",
		equals(totals, func(t model.Totals) model.Term { return t.Due }, func(_ *model.Invoice, t model.Totals) decimal {
			due := number(t.WithTax)
			if t.Paid != nil {
				due = due.minus(number(t.Paid)).round(2)
			}
			return due.plus(optional(t.Rounding))
		}),
	},
	{
		"BR-CO-17", "BT-117", Fatal, "The tax of a row is its taxable amount times its rate, give or take less than 1.", "Correct the tax, the taxable amount or the rate.",
		each(taxes, is(func(t model.Tax) bool {
			rate := number(t.Rate)
			if !isVAT(t) || !rate.exists() || rate.round(0).equals(zero) {
				return number(t.Amount).round(0).equals(zero)
			}
			return number(t.Amount).abs().near(number(t.Base).abs().percent(rate).round(2))
		})),
	},
	{
		"BR-48", "BT-119", Fatal, "Each row of the VAT breakdown has a rate, unless it is outside VAT.", "Give the rate, 0 if no tax is due.",
		each(taxes, is(func(t model.Tax) bool { return isVAT(t) && (t.Rate != nil || t.Category.Text() == "O") })),
	},
}

// totalTaxes are the totals of taxes of the document.
var totalTaxes = termsIn(func(i *model.Invoice) []model.Term { return below(i.Document, "cac:TaxTotal") })
