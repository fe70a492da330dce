package rules

import (
	"regexp"
	"strings"

	"platen.dev/einvoice/model"
)

// peppolSchemes are the schemes whose identifiers have a form. The official rules check an identifier once: by the first that fits.
var peppolSchemes = []struct {
	id, scheme string
	severity   Severity
	demand     string
	holds      func(model.Term) bool
}{
	{"R040", "0088", Fatal, "A GLN (0088) is a number with the check digit of GS1.", collapsed(hasCheckDigit)},
	{"R041", "0192", Fatal, "A Norwegian organisation number (0192) has nine digits, the last a check digit.", collapsed(isNorwegianNumber)},
	{"R042", "0184", Fatal, "A Danish CVR number (0184) has eight digits, perhaps after DK.", asWritten(`^(DK)?[0-9]{8}$`)},
	{"R052", "0096", Fatal, "A Danish P number (0096) has ten digits.", asWritten(`^[0-9]{10}$`)},
	{"R053", "0198", Fatal, "A Danish SE number (0198) is DK and eight digits.", asWritten(`^DK[0-9]{8}$`)},
	{"R043", "0208", Fatal, "A Belgian enterprise number (0208) has ten digits, the last two check digits.", collapsed(isBelgianNumber)},
	{"R044", "0201", Warning, "An Italian IPA code (0201) has six letters and digits.", collapsed(isIPACode)},
	{"R045", "0210", Warning, "An Italian tax code (0210) has eleven digits or sixteen letters and digits, each in its place.", collapsed(isItalianTaxCode)},
	{"R047", "0211", Warning, "An Italian VAT number (0211) is IT and eleven digits, the last a check digit.", collapsed(isItalianVAT)},
	{"R049", "0007", Fatal, "A Swedish organisation number (0007) has ten digits, the last a check digit.", collapsed(isSwedishNumber)},
	{"R050", "0151", Fatal, "An Australian business number (0151) has eleven digits, the first two check digits.", collapsed(isABN)},
	{"R054", "0106", Warning, "A Dutch KVK number (0106) has eight digits.", collapsed(regexp.MustCompile(`^[0-9]{8}$`).MatchString)},
	{"R055", "0190", Warning, "A Dutch OIN (0190) has twenty digits.", collapsed(regexp.MustCompile(`^[0-9]{20}$`).MatchString)},
	{"R056-1", "9944", Warning, "A Dutch VAT number (9944) is NL, nine digits, B and two digits.", isDutchVAT},
}

var isDutchVAT = collapsed(regexp.MustCompile(`^NL[0-9]{9}B[0-9]{2}$`).MatchString)

// collapsed applies a condition to the text of a term with collapsed white space, asWritten to the unchanged text.
func collapsed(holds func(string) bool) func(model.Term) bool {
	return func(t model.Term) bool { return holds(trimmed(t)) }
}

func asWritten(expression string) func(model.Term) bool {
	form := regexp.MustCompile(expression)
	return func(t model.Term) bool { return form.MatchString(t.Text()) }
}

// formed is a rule on the form of identifiers.
func formed(id, term, demand string, severity Severity, s scope[model.Term], holds func(model.Term) bool) Rule {
	return Rule{"PEPPOL-COMMON-" + id, term, severity, demand, "Correct the number, or its scheme.", shown(s, is(holds))}
}

// peppolIdentifierRules are about the form of identifiers.
func peppolIdentifierRules() (all []Rule) {
	for _, s := range peppolSchemes {
		all = append(all, formed(s.id, "BT-34", s.demand, s.severity, inSchemeOf(s.scheme), s.holds))
	}
	return append(all,
		formed("R046", "BT-34", "An Italian tax code (9907) has eleven digits or sixteen letters and digits, each in its place.", Warning, termsIn(func(i *model.Invoice) []model.Term {
			return keep(i.Written["cbc:EndpointID"], func(t model.Term) bool { return t.Attribute("schemeID") == "9907" })
		}), collapsed(isItalianTaxCode)),
		formed("R056-2", "BT-31", "A VAT number that begins with NL has nine digits, B and two digits after it.", Warning, termsIn(func(i *model.Invoice) []model.Term {
			return keep(i.Written["cbc:CompanyID"], isOtherwiseDutchVAT)
		}), isDutchVAT),
		formed("R057", "BT-34", "The number of a Dutch establishment (0217) has twelve digits.", Warning, termsIn(func(i *model.Invoice) []model.Term {
			return keep(inSchemeOf("0217").of(i), func(t model.Term) bool { return !isOtherwiseDutchVAT(t) })
		}), collapsed(regexp.MustCompile(`^[0-9]{12}$`).MatchString)),
	)
}

// inSchemeOf are the identifiers of parties in a scheme.
func inSchemeOf(scheme string) scope[model.Term] {
	return termsIn(func(i *model.Invoice) []model.Term {
		return keep(partyIDs.of(i), func(t model.Term) bool { return t.Attribute("schemeID") == scheme })
	})
}

var partyIDs = termsIn(func(i *model.Invoice) []model.Term {
	ids := gather(i.Written["cac:PartyIdentification"], func(t model.Term) []model.Term { return t.All("ID") })
	return append(ids, written("cbc:EndpointID", "cbc:CompanyID").of(i)...)
})

// isOtherwiseDutchVAT reports whether an identifier is a Dutch VAT number in none of these schemes.
func isOtherwiseDutchVAT(t model.Term) bool {
	if t.QName() != "cbc:CompanyID" || trimmed(t.Parent().At("TaxScheme", "ID")) != "VAT" || !strings.HasPrefix(trimmed(t), "NL") {
		return false
	}
	for _, s := range peppolSchemes {
		if t.Attribute("schemeID") == s.scheme {
			return false
		}
	}
	return true
}
