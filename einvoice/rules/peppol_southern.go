package rules

import (
	"regexp"
	"slices"
	"strings"

	"platen.dev/einvoice/model"
)

// italianRules are about invoices from Italy.
func italianRules() []Rule {
	taxCode := regexp.MustCompile(`^[A-Z0-9]{11,16}$`)
	return concerning("For an Italian seller", func(i *model.Invoice) bool { return sellerTaxCountry(i) == "IT" },
		needs("IT-R-001", "BT-32", "The seller's tax number has eleven to sixteen capitals and digits.", "Correct the number.", atPath(sellerPath+"/cac:PartyTaxScheme"), func(t model.Term) bool {
			return trimmed(t.At("TaxScheme", "ID")) == "VAT" || taxCode.MatchString(trimmed(t.At("CompanyID")))
		}),
		needs("IT-R-002", "BT-35", "The seller's address has a street.", "Complete the address.", atPath(sellerPath), inPostalAddress("StreetName")),
		needs("IT-R-003", "BT-37", "The seller's address has a city.", "Complete the address.", atPath(sellerPath), inPostalAddress("CityName")),
		needs("IT-R-004", "BT-38", "The seller's address has a post code.", "Complete the address.", atPath(sellerPath), inPostalAddress("PostalZone")),
	)
}

func inPostalAddress(name string) func(model.Term) bool {
	return func(t model.Term) bool { return t.At("PostalAddress", name) != nil }
}

// greekRules are about invoices from Greece, whose numbers consist of six segments.
func greekRules() []Rule {
	segment := func(id, demand, fix string, holds func(i *model.Invoice, segments []string) bool) Rule {
		return Rule{"GR-R-001-" + id, "BT-1", Fatal, demand, fix, each(atPath("cbc:ID"), func(i *model.Invoice, t model.Term) bool { return holds(i, segmentsOf(t.Text())) })}
	}
	count := func(i *model.Invoice, text string) int { return len(described(i, text)) }
	named := func(t model.Term) bool { return t.At("PartyName", "Name").Text() != "" }
	return slices.Concat(concerning("For a Greek seller", fromGreece,
		segment("1", "The number of the invoice has six segments.", "Put | between them.", func(_ *model.Invoice, s []string) bool { return len(s) == 6 }),
		segment("2", "The first segment of the number is the tax number of the seller or its representative.", "Correct the number.", func(i *model.Invoice, s []string) bool {
			return len([]rune(s[0])) == 9 && isGreekTIN(s[0]) && slices.ContainsFunc([]model.Term{sellerOf(i), i.Document.At("TaxRepresentativeParty")}, func(p model.Term) bool {
				return slices.ContainsFunc(vatNumbers(p), func(number model.Term) bool { return substring(number.Text(), 3, 9) == s[0] })
			})
		}),
		segment("3", "The second segment of the number is the date of issue, written DD/MM/YYYY.", "Correct the number.", func(i *model.Invoice, s []string) bool {
			issued := i.Document.At("IssueDate")
			return isGreekDate(segmentAt(s, 2), issued.Text()) && !issued.Padded()
		}),
		segment("4", "The third segment of the number is an integer that is not negative.", "Correct the number.", func(_ *model.Invoice, s []string) bool {
			text := segmentAt(s, 3)
			return isInteger(text) && parseDecimal(text).atLeast(zero)
		}),
		segment("5", "The fourth segment of the number is a Greek type of document: 1.1, 1.6, 2.1, 2.4, 5.1 or 5.2.", "Correct the number.", func(_ *model.Invoice, s []string) bool {
			return oneOf(segmentAt(s, 4), "1.1 1.6 2.1 2.4 5.1 5.2")
		}),
		segment("6", "The fifth segment of the number is not empty.", "Correct the number.", func(_ *model.Invoice, s []string) bool { return segmentAt(s, 5) != "" }),
		segment("7", "The sixth segment of the number is not empty.", "Correct the number.", func(_ *model.Invoice, s []string) bool { return segmentAt(s, 6) != "" }),
		needs("GR-R-002", "BT-28", "The seller has the name under which it is registered.", "Give the name as the trading name.", atPath(sellerPath), named),
		needs("GR-S-011", "BT-31", "The seller has one VAT number: EL and a Greek tax number.", "Give the number.", atPath(sellerPath), hasGreekVAT).with(Warning),
		needs("GR-R-003", "BT-31", "The seller's VAT number is EL and a Greek tax number.", "Correct the number.", termsIn(func(i *model.Invoice) []model.Term { return taxNumbers(sellerOf(i), "VAT") }), isGreekVAT),
		needs("GR-R-008-3", "BT-124", "A document that is described as ##INVOICE|URL## has the address of the invoice.", "Give the external location.", termsIn(func(i *model.Invoice) []model.Term {
			return described(i, greekURL)
		}), func(t model.Term) bool { return model.Filled(t.At("Attachment", "ExternalReference", "URI")) }),
		needs("GR-R-005", "BT-45", "The buyer has a full name.", "Give the name as the trading name.", atPath(buyerPath), named),
	), concerning("For a seller in Greece", func(i *model.Invoice) bool { return fromGreece(i) && sellersAt("GR")(i) },
		whole("GR-R-004-1", "BT-122", "The invoice has one MARK number (a document that is described as ##M.AR.K##).", "Give the number.", func(i *model.Invoice) bool { return count(i, greekMark) == 1 }),
		advise("GR-S-008-1", "BT-124", Warning, "The invoice has one address (a document that is described as ##INVOICE|URL##).", "Give the address.", func(i *model.Invoice) bool { return count(i, greekURL) == 1 }),
		whole("GR-R-008-2", "BT-124", "The invoice has one address (##INVOICE|URL##) at most.", "Keep one.", func(i *model.Invoice) bool { return count(i, greekURL) <= 1 }),
		needs("GR-R-004-2", "BT-122", "The MARK number is a positive integer.", "Correct the number.", termsIn(func(i *model.Invoice) []model.Term {
			return gather(described(i, greekMark), func(t model.Term) []model.Term { return t.All("ID") })
		}), func(t model.Term) bool { return strings.IndexAny(t.Text(), "123456789") == 0 }),
	), concerning("For a Greek seller", func(i *model.Invoice) bool { return oneOf(taxCountry(sellerOf(i), nil), "GR EL") },
		needs("GR-R-009", "BT-34", "The seller's electronic address is a Greek tax number (9933).", "Correct the address.", atPath(sellerPath+"/cbc:EndpointID"), isGreekAddress),
	), concerning("Between Greek parties", func(i *model.Invoice) bool { return fromGreece(i) && oneOf(taxCountry(buyerOf(i), nil), "GR EL") },
		needs("GR-R-006", "BT-48", "The buyer has one VAT number: EL and a Greek tax number.", "Give the number.", atPath(buyerPath), hasGreekVAT),
		needs("GR-R-010", "BT-49", "The buyer's electronic address is a Greek tax number (9933).", "Correct the address.", atPath(buyerPath+"/cbc:EndpointID"), isGreekAddress),
	))
}

const greekMark, greekURL = "##M.AR.K##", "##INVOICE|URL##"

func fromGreece(i *model.Invoice) bool { return oneOf(sellerTaxCountry(i), "GR EL") }

func segmentsOf(number string) []string { return strings.Split(number, "|") }

// segmentAt is a segment, counted from 1, or empty.
func segmentAt(segments []string, n int) string {
	if n > len(segments) {
		return ""
	}
	return segments[n-1]
}

// isGreekDate reports whether a text begins with the date of issue, written DD/MM/YYYY.
func isGreekDate(text, issued string) bool {
	date, day := strings.Split(text, "/"), strings.Split(issued, "-")
	return len(date) >= 3 && len(day) >= 3 && date[0] == day[2] && date[1] == day[1] && date[2] == day[0] &&
		isDigits(day[2], 2) && isDigits(day[0], 4) && oneOf(firstTwo(day[0]), "19 20")
}

func isGreekVAT(t model.Term) bool {
	number, isGreek := strings.CutPrefix(t.Text(), "EL")
	return isGreek && isGreekTIN(number)
}

func hasGreekVAT(party model.Term) bool {
	numbers := taxNumbers(party, "VAT")
	return len(numbers) == 1 && isGreekVAT(numbers[0])
}

func isGreekAddress(t model.Term) bool {
	return t.Attribute("schemeID") == "9933" && isGreekTIN(t.Text())
}
