package rules

import (
	"slices"
	"strings"

	"platen.dev/einvoice/model"
)

// platen are rules of our own: warnings about faults that official rules let pass.
func platen() []Rule { return platenRules }

var platenRules = []Rule{
	caution("PLATEN-01", "", "A date is a day of the calendar.", "Correct the day or the month.", dates, func(_ *model.Invoice, t model.Term) bool {
		return !isDay(t.Text()) || isCalendarDay(strings.TrimSpace(t.Text()))
	}),
	caution("PLATEN-02", "BT-84", "An IBAN has the right length and check digits.", "Correct the IBAN.", called("IBANID", ""), func(_ *model.Invoice, t model.Term) bool {
		return !model.Filled(t) || isIBAN(t.Text())
	}),
	caution("PLATEN-03", "BT-31", "A VAT identifier is the code of a country and 2 to 12 letters or digits.", "Complete the identifier.", terms(parties, vatIDs), func(_ *model.Invoice, t model.Term) bool {
		return isVATID(t.Text())
	}),
	caution("PLATEN-04", "BT-55", "The code of a country has two characters.",
		"Give the code of ISO 3166-1, such as DE.", called("CountryID", ""), func(_ *model.Invoice, t model.Term) bool {
			return len(strings.TrimSpace(t.Text())) == 2
		}),
	caution("PLATEN-05", "BT-9", "What is due is not due before the invoice is issued.", "Correct one of the two dates.", dueDates, func(i *model.Invoice, t model.Term) bool {
		return !isDay(t.Text()) || t.Text() >= i.IssueDate.Text()
	}),
	caution("PLATEN-06", "BT-157", "A GLN or GTIN (schemes 0088 and 0160) has the right check digit.", "Correct the number.", elements("ID"), func(_ *model.Invoice, t model.Term) bool {
		return !slices.Contains([]string{"0088", "0160"}, t.Attribute("schemeID")) || hasCheckDigit(t.Text())
	}),
}

// caution is a warning about things.
func caution(id, term, demand, fix string, s scope[model.Term], keeps func(*model.Invoice, model.Term) bool) Rule {
	return Rule{id, term, Warning, demand, fix, shown(s, keeps)}
}

// shown holds if the condition holds for each thing, and shows those for which it does not.
func shown(s scope[model.Term], keeps func(*model.Invoice, model.Term) bool) finder {
	return func(i *model.Invoice, broken func(model.Term, string)) {
		for _, t := range s.of(i) {
			if !keeps(i, t) {
				broken(t, "found "+quoted(t))
			}
		}
	}
}

// dates are the dates in format 102.
var dates = termsIn(func(i *model.Invoice) []model.Term {
	return keep(slices.Concat(elements("DateTimeString").of(i), elements("DateString").of(i)), func(t model.Term) bool { return t.Attribute("format") == "102" })
})

// dueDates are those that can be compared with the date of issue.
var dueDates = terms(invoice, func(i *model.Invoice) (all []model.Term) {
	if !isDay(i.IssueDate.Text()) {
		return nil
	}
	for _, t := range i.PaymentTerms {
		all = append(all, t.DueDate)
	}
	return all
})

func isVATID(text string) bool {
	text = strings.Join(strings.Fields(text), "")
	return len(text) >= 4 && len(text) <= 14 && !strings.ContainsFunc(text, func(r rune) bool {
		return !isLetter(r) && (r < '0' || r > '9') && !strings.ContainsRune("+*", r) // Irish numbers may have + or *
	})
}
