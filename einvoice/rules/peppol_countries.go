package rules

import (
	"strings"

	"platen.dev/einvoice/model"
)

// The paths of the parties of UBL, from the root.
const (
	sellerPath = "cac:AccountingSupplierParty/cac:Party"
	buyerPath  = "cac:AccountingCustomerParty/cac:Party"
)

func sellerOf(i *model.Invoice) model.Term { return i.Document.At("AccountingSupplierParty", "Party") }

func buyerOf(i *model.Invoice) model.Term { return i.Document.At("AccountingCustomerParty", "Party") }

// concerning limits rules to the invoices for which a condition holds, and makes them say so.
func concerning(whom string, concerned func(*model.Invoice) bool, rules ...Rule) (all []Rule) {
	for _, r := range rules {
		all = append(all, r.where(whom).onlyIf(concerned))
	}
	return all
}

// countryCode returns the country code of a party's address, unchanged.
func countryCode(party model.Term) string {
	return party.At("PostalAddress", "Country", "IdentificationCode").Text()
}

// isAt reports whether the address of a party is in a country, in any case.
func isAt(party model.Term, country string) bool {
	return strings.EqualFold(strings.TrimSpace(countryCode(party)), country)
}

func areGerman(i *model.Invoice) bool { return isAt(sellerOf(i), "DE") && isAt(buyerOf(i), "DE") }

// sellersAt and bothAt return a condition: that the seller, or both seller and buyer, have exactly that country.
func sellersAt(country string) func(*model.Invoice) bool {
	return func(i *model.Invoice) bool { return countryCode(sellerOf(i)) == country }
}

func bothAt(country string) func(*model.Invoice) bool {
	return func(i *model.Invoice) bool {
		return countryCode(sellerOf(i)) == country && countryCode(buyerOf(i)) == country
	}
}

// taxCountry is the country of a party's VAT number, of its tax representative's, or of its address. The official rules cannot say
// what it is if one of them has several VAT numbers; then no rule of a country applies.
func taxCountry(party, representative model.Term) string {
	for _, p := range []model.Term{party, representative} {
		numbers := vatNumbers(p)
		if len(numbers) > 1 {
			return ""
		}
		if len(numbers) == 1 && numbers[0].Text() != "" {
			return strings.ToUpper(strings.TrimSpace(firstTwo(numbers[0].Text())))
		}
	}
	return strings.ToUpper(strings.TrimSpace(countryCode(party)))
}

func sellerTaxCountry(i *model.Invoice) string {
	return taxCountry(sellerOf(i), i.Document.At("TaxRepresentativeParty"))
}

// vatNumbers returns the numbers of a party for the tax spelled VAT, including nil for a missing number.
func vatNumbers(party model.Term) (all []model.Term) {
	for _, t := range party.All("PartyTaxScheme") {
		if t.At("TaxScheme", "ID").Text() == "VAT" {
			all = append(all, t.At("CompanyID"))
		}
	}
	return all
}

// taxNumbers are the numbers of a party for a tax, for which white space does not count.
func taxNumbers(party model.Term, tax string) (all []model.Term) {
	for _, t := range party.All("PartyTaxScheme") {
		if number := t.At("CompanyID"); trimmed(t.At("TaxScheme", "ID")) == tax && number != nil {
			all = append(all, number)
		}
	}
	return all
}

// legalNumbers are the numbers of parties in registers.
func legalNumbers(party string) scope[model.Term] {
	return atPath(party + "/cac:PartyLegalEntity/cbc:CompanyID")
}

// hasParts reports whether an element has children of these names.
func hasParts(names ...string) func(model.Term) bool {
	return func(t model.Term) bool {
		for _, name := range names {
			if t.At(name) == nil {
				return false
			}
		}
		return true
	}
}

// described are the supporting documents of a description.
func described(i *model.Invoice, text string) []model.Term {
	return keep(i.Document.All("AdditionalDocumentReference"), func(t model.Term) bool { return isDescribed(t, text) })
}

func isDescribed(document model.Term, text string) bool {
	for _, t := range document.All("DocumentDescription") {
		if t.Text() == text {
			return true
		}
	}
	return false
}

// substring is XPath's: at most n characters, starting at position from, which counts from 1.
func substring(text string, from, n int) string {
	characters := []rune(text)
	from = min(from-1, len(characters))
	return string(characters[from:min(from+n, len(characters))])
}
