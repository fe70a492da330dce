package inspect

import (
	"strings"

	"platen.dev/einvoice"
)

// basis is the specification against which an invoice is checked.
type basis struct {
	guideline string
	// profile is the one whose schema applies, "" for none.
	profile string
	// contradicted is set if the guideline is not that of the profile that the caller named.
	contradicted bool
	// usage is set for a specification, other than Factur-X, with its own rules in addition to EN 16931.
	usage bool
	// foreign is set for one that extends EN 16931 in its own way.
	foreign bool
}

// What guidelines say of EN 16931: a specification that complies restricts it, one that conforms extends it.
const (
	complies = "urn:cen.eu:en16931:2017#compliant#"
	conforms = "#conformant#"
)

// basisOf determines the specification of a guideline. A document without a guideline is checked against EN 16931, which reports that it is missing.
func basisOf(guideline, wanted string) basis {
	b := basis{guideline: guideline, profile: einvoice.ProfileOf(guideline)}
	folded := strings.ToLower(guideline)
	if !isFacturX(guideline) {
		b.foreign = strings.Contains(folded, conforms)
		b.usage = strings.HasPrefix(folded, complies) && !b.foreign
	}
	if guideline == einvoice.XRechnungExtension {
		// Of the schemas here, only this one has the CII elements that the extension may use.
		b.profile, b.usage, b.foreign = "extended", true, false
	}
	switch {
	case wanted != "":
		b.contradicted = guideline != "" && b.profile != wanted && !(b.usage && wanted == "en16931")
		b.profile = wanted
	case b.profile == "" && (b.usage || guideline == ""):
		b.profile = "en16931"
	}
	return b
}

// isFacturX reports whether a guideline names Factur-X or ZUGFeRD.
func isFacturX(guideline string) bool {
	folded := strings.ToLower(guideline)
	return strings.Contains(folded, "factur-x") || strings.Contains(folded, "zugferd")
}
