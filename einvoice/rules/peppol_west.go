package rules

import (
	"cmp"
	"slices"

	"platen.dev/einvoice/model"
)

// dutchRules are about invoices from the Netherlands.
func dutchRules() []Rule {
	seller := func(i *model.Invoice) bool { return isAt(sellerOf(i), "NL") }
	domestic := func(i *model.Invoice) bool { return seller(i) && isAt(buyerOf(i), "NL") }
	isComplete := hasParts("StreetName", "CityName", "PostalZone")
	isRegistered := func(t model.Term) bool {
		return model.Filled(t) && slices.ContainsFunc([]string{"0106", "0190"}, func(scheme string) bool { return oneOf(scheme, t.Attribute("schemeID")) })
	}
	return slices.Concat(concerning("For a Dutch seller", seller,
		needs("NL-R-001", "BT-25", "A credit note names the preceding invoice.", "Give its number.", atPath("cbc:CreditNoteTypeCode"), func(t model.Term) bool {
			return len(below(t.Parent(), "cac:BillingReference/cac:InvoiceDocumentReference/cbc:ID")) > 0
		}),
		needs("NL-R-002", "BT-35", "The seller's address has a street, a city and a post code.", "Complete the address.", atPath(sellerPath+"/cac:PostalAddress"), isComplete),
		needs("NL-R-003", "BT-30", "The seller's number is one of KVK (0106) or OIN (0190).", "Give the number and its scheme.", legalNumbers(sellerPath), isRegistered),
		needs("NL-R-006", "BT-64", "The address of a Dutch tax representative has a street, a city and a post code.", "Complete the address.", atPath("cac:TaxRepresentativeParty"), func(t model.Term) bool {
			return !isAt(t, "NL") || isComplete(t.At("PostalAddress"))
		}),
		whole("NL-R-007", "BG-16", "The invoice says how it is paid, if the buyer has to pay.", "Give the means of payment.", func(i *model.Invoice) bool {
			return len(i.Written["cac:PaymentMeans"]) > 0 || isNothingDue(i)
		}),
		Rule{"NL-R-009", "BT-132", Fatal, "If a line names a line of the order, the invoice names the order.", "Give the number of the order.", eachOr(writtenIn("cac:OrderLineReference", "cbc:LineID"), func(i *model.Invoice) bool {
			return slices.ContainsFunc(i.Written["cac:OrderReference"], func(t model.Term) bool { return t.Parent() == i.Document && t.At("ID") != nil })
		})},
	), concerning("Between Dutch parties", domestic,
		needs("NL-R-004", "BT-50", "The buyer's address has a street, a city and a post code.", "Complete the address.", atPath(buyerPath+"/cac:PostalAddress"), isComplete),
		needs("NL-R-005", "BT-47", "The buyer's number is one of KVK (0106) or OIN (0190).", "Give the number and its scheme.", legalNumbers(buyerPath), isRegistered),
		needs("NL-R-008", "BT-81", "The means of payment is 30, 48, 49, 57, 58 or 59.", "Use one of these.", atPath("cac:PaymentMeans"), func(t model.Term) bool {
			return oneOf(trimmed(t.At("PaymentMeansCode")), "30 48 49 57 58 59")
		}),
	))
}

func isNothingDue(i *model.Invoice) bool {
	due := number(i.Totals.Due)
	if isCreditNote(i) {
		return due.atLeast(zero)
	}
	return zero.atLeast(due)
}

// germanNames maps rules of XRechnung to Peppol's names for them.
var germanNames = map[string]string{
	"BR-DE-1": "DE-R-001", "BR-DE-2": "DE-R-002", "BR-DE-3": "DE-R-003", "BR-DE-4": "DE-R-004", "BR-DE-5": "DE-R-005", "BR-DE-6": "DE-R-006",
	"BR-DE-7": "DE-R-007", "BR-DE-8": "DE-R-008", "BR-DE-9": "DE-R-009", "BR-DE-10": "DE-R-010", "BR-DE-11": "DE-R-011", "BR-DE-14": "DE-R-014",
	"BR-DE-15": "DE-R-015", "BR-DE-16": "DE-R-016", "BR-DE-17": "DE-R-017", "BR-DE-18": "DE-R-018", "BR-DE-19": "DE-R-019", "BR-DE-20": "DE-R-020",
	"BR-DE-22": "DE-R-022", "BR-DE-23-a": "DE-R-023-1", "BR-DE-23-b": "DE-R-023-2", "BR-DE-24-a": "DE-R-024-1", "BR-DE-24-b": "DE-R-024-2", "BR-DE-25-a": "DE-R-025-1",
	"BR-DE-25-b": "DE-R-025-2", "BR-DE-26": "DE-R-026", "BR-DE-27": "DE-R-027", "BR-DE-28": "DE-R-028", "BR-DE-30": "DE-R-030", "BR-DE-31": "DE-R-031",
	"BR-TMP-2": "DE-R-T02",
}

// germanRulesOfPeppol returns XRechnung's rules that Peppol applies to invoices within Germany.
func germanRulesOfPeppol() (all []Rule) {
	for _, r := range xrechnungUBL() {
		if name := germanNames[r.ID]; name != "" {
			r.ID = name
			all = append(all, r)
		}
	}
	slices.SortStableFunc(all, func(a, b Rule) int { return cmp.Compare(a.ID, b.ID) })
	return concerning("Between German parties", areGerman, all...)
}
