package rules

import (
	"slices"
	"strings"

	"platen.dev/einvoice/model"
)

// fr are the rules of the French reform of e-invoicing (BR-FR, flux 2). Mustang's validator has version 1.3.0 of the official ones; the rules
// BR-FR-08 and BR-FR-32 are of a later state.
func fr() []Rule {
	return slices.Concat(frDocumentRules(), frPartyRules(), frAmountRules(), frKindRules, frSharedRules)
}

// must is a fatal rule on the texts of the elements at a path.
func must(id, term, path, demand, fix string, keeps func(text string) bool) Rule {
	return Rule{id, term, Fatal, demand, fix, func(i *model.Invoice, broken func(model.Term, string)) {
		for _, t := range found(path).of(i) {
			if !keeps(t.Text()) {
				broken(t, "found "+quoted(t))
			}
		}
	}}
}

// frPlace is a place to which rules on several terms apply: the ending of the rule's identifier, and the path.
type frPlace struct{ suffix, path string }

var (
	frNumbers = []frPlace{
		{"BT-1", "ExchangedDocument/ID"},
		{"BT-25", ".../ApplicableHeaderTradeSettlement/InvoiceReferencedDocument/IssuerAssignedID"},
		{"EXT-FR-FE-136", "line/SpecifiedLineTradeSettlement/InvoiceReferencedDocument/IssuerAssignedID"},
	}
	frDates = []frPlace{
		{"BT-2", "ExchangedDocument/IssueDateTime/DateTimeString"},
		{"BT-7", ".../ApplicableHeaderTradeSettlement/ApplicableTradeTax/TaxPointDate/DateString"},
		{"BT-9", ".../ApplicableHeaderTradeSettlement/SpecifiedTradePaymentTerms/DueDateDateTime/DateTimeString"},
		{"BT-26", ".../ApplicableHeaderTradeSettlement/InvoiceReferencedDocument/FormattedIssueDateTime/DateTimeString"},
		{"BT-72", ".../ApplicableHeaderTradeDelivery/ActualDeliverySupplyChainEvent/OccurrenceDateTime/DateTimeString"},
		{"BT-73", ".../ApplicableHeaderTradeSettlement/BillingSpecifiedPeriod/StartDateTime/DateTimeString"},
		{"BT-74", ".../ApplicableHeaderTradeSettlement/BillingSpecifiedPeriod/EndDateTime/DateTimeString"},
		{"EXT-FR-FE-138", "line/SpecifiedLineTradeSettlement/InvoiceReferencedDocument/FormattedIssueDateTime/DateTimeString"},
		{"EXT-FR-FE-158", "line/SpecifiedLineTradeDelivery/ActualDeliverySupplyChainEvent/OccurrenceDateTime/DateTimeString"},
		{"EXT-FR-FE-134", "line/SpecifiedLineTradeSettlement/BillingSpecifiedPeriod/StartDateTime/DateTimeString"},
		{"EXT-FR-FE-135", "line/SpecifiedLineTradeSettlement/BillingSpecifiedPeriod/EndDateTime/DateTimeString"},
	}
	frTypes = []frPlace{
		{"BT-3", "ExchangedDocument/TypeCode"},
		{"EXT-FR-FE-02", ".../ApplicableHeaderTradeSettlement/InvoiceReferencedDocument/TypeCode"},
		{"EXT-FR-FE-137", "line/SpecifiedLineTradeSettlement/InvoiceReferencedDocument/TypeCode"},
	}
	frCategories = []frPlace{
		{"BT-95_BT-102", ".../ApplicableHeaderTradeSettlement/SpecifiedTradeAllowanceCharge/CategoryTradeTax"},
		{"BT-95_BT-118", ".../ApplicableHeaderTradeSettlement/ApplicableTradeTax"},
		{"BT-95_BT-151", "line/SpecifiedLineTradeSettlement/ApplicableTradeTax"},
	}
)

// frDocumentRules are about numbers, dates and codes.
func frDocumentRules() []Rule {
	var all []Rule
	for _, p := range frNumbers {
		all = append(all,
			must("BR-FR-01_"+p.suffix, firstTerm(p.suffix), p.path, "The number of an invoice has at most 35 characters.", "Shorten the number.", atMost(35)),
			must("BR-FR-02_"+p.suffix, firstTerm(p.suffix), p.path, "The number of an invoice has only letters, digits and + - _ /.", "Use only these.", isPlain))
	}
	for _, p := range frDates {
		all = append(all, must("BR-FR-03_"+p.suffix, firstTerm(p.suffix), p.path, "A date is a day from 2000 to 2099, written YYYYMMDD.", "Correct the date.", isDayOfCentury))
	}
	for _, p := range frTypes {
		all = append(all, must("BR-FR-04_"+p.suffix, firstTerm(p.suffix), p.path, "The type of an invoice is one of the list (fr-invoice-type).", fromList, inList("fr-invoice-type")))
	}
	for _, p := range frCategories {
		category := func(t model.Term) string { return t.At("CategoryCode").Text() }
		all = append(all,
			Rule{
				"BR-FR-15_" + p.suffix, firstTerm(p.suffix), Fatal, "A VAT category is S, E, AE, K, G, O or Z.", "Use one of these.",
				eachWith(found(p.path), mayLackCategory, func(may map[model.Term]bool, t model.Term) bool {
					return oneOf(category(t), "S E AE K G O Z") || may[t]
				}),
			},
			Rule{
				"BR-FR-15_" + p.suffix + "_LM", firstTerm(p.suffix), Fatal, "The VAT categories L and M are not used.", "Use another category.",
				each(found(p.path), is(func(t model.Term) bool { return !oneOf(category(t), "L M") })),
			})
		suffix := strings.TrimPrefix(strings.Replace(p.suffix, "BT-102", "BT-96_BT-103", 1), "BT-95_")
		suffix = strings.NewReplacer("BT-118", "BT-119", "BT-151", "BT-152").Replace(suffix)
		all = append(all, must("BR-FR-16_"+suffix, firstTerm(suffix), p.path+"/RateApplicablePercent",
			"A rate of VAT is one of the list (fr-vat-rate).", fromList, inList("fr-vat-rate")))
	}
	return all
}

// mayLackCategory returns the taxes without a category of lines that do not count.
func mayLackCategory(i *model.Invoice) map[model.Term]bool {
	all := map[model.Term]bool{}
	for _, l := range i.Lines {
		if !oneOf(l.Status.Text(), "GROUP INFORMATION") {
			continue
		}
		for _, t := range l.Taxes {
			all[t.Node] = t.Category == nil
		}
	}
	return all
}

// firstTerm is the term that the identifier of a rule ends with, the first if there are two.
func firstTerm(suffix string) string {
	term, _, _ := strings.Cut(suffix, "_")
	return term
}

func atMost(n int) func(string) bool { return func(text string) bool { return len([]rune(text)) <= n } }

func inList(list string) func(string) bool {
	return func(text string) bool { return codes(list).has(text) }
}

// oneOf reports whether a text is one of some words.
func oneOf(text, words string) bool { return slices.Contains(strings.Fields(words), text) }

// isPlain reports whether a text has only letters, digits and + - _ /, at least one.
func isPlain(text string) bool {
	return text != "" && !strings.ContainsFunc(text, func(r rune) bool {
		return (r < 'A' || r > 'Z') && (r < 'a' || r > 'z') && (r < '0' || r > '9') && !strings.ContainsRune("+-_/", r)
	})
}

// isDayOfCentury examines only the first eight characters.
func isDayOfCentury(text string) bool {
	text = text[:min(8, len(text))]
	return strings.HasPrefix(text, "20") && isCalendarDay(text)
}

func isDigits(text string, n int) bool {
	return len(text) == n && strings.Trim(text, "0123456789") == ""
}

func isFilled(text string) bool { return strings.TrimSpace(text) != "" }
