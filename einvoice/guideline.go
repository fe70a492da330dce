package einvoice

import (
	"fmt"
	"slices"
	"strings"

	"platen.dev/document/markup"
	"platen.dev/events/contract"
)

// Guidelines maps each profile to the guideline identifier that its invoices declare.
var Guidelines = map[string]string{
	"minimum":  "urn:factur-x.eu:1p0:minimum",
	"basicwl":  "urn:factur-x.eu:1p0:basicwl",
	"basic":    "urn:cen.eu:en16931:2017#compliant#urn:factur-x.eu:1p0:basic",
	"en16931":  "urn:cen.eu:en16931:2017",
	"extended": "urn:cen.eu:en16931:2017#conformant#urn:factur-x.eu:1p0:extended",

	contract.XRechnung: "urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0",
}

// XRechnungExtension is the guideline identifier of the extension of XRechnung.
var XRechnungExtension = Guidelines[contract.XRechnung] + "#conformant#urn:xeinkauf.de:kosit:extension:xrechnung_3.0"

// Paths, by local names, of the elements that are checked before the schema.
const (
	guidelinePath = "CrossIndustryInvoice/ExchangedDocumentContext/GuidelineSpecifiedDocumentContextParameter/ID"
	typeCodePath  = "CrossIndustryInvoice/ExchangedDocument/TypeCode"
)

// Declared is the format that a document is written in, contract.UBL or "", and the profile whose guideline it declares, "" for none or if it
// cannot be read.
func Declared(document []byte) (format, profile string) {
	if IsUBL(document) {
		return contract.UBL, ublProfile
	}
	invoice, err := Skim(document)
	if err != nil {
		return "", ""
	}
	return "", ProfileOf(invoice.Guideline().Text())
}

// ProfileOf returns the profile with a guideline identifier, empty if there is none.
func ProfileOf(guideline string) string {
	for name, known := range Guidelines {
		if known == guideline {
			return name
		}
	}
	return ""
}

// AdviseOn says what to do about an invoice whose guideline identifier is not that of the wanted profile, in one
// sentence that may be shown to the caller.
func AdviseOn(guideline, wanted string) string {
	folded := strings.ToLower(guideline)
	switch profile := ProfileOf(guideline); {
	case profile != "":
		return fmt.Sprintf("that identifier is the one of profile %s: send the invoice with it", profile)
	case strings.Contains(folded, "xrechnung"):
		return fmt.Sprintf("that is XRechnung, but profile %s requires %s: have the invoice issued with it", contract.XRechnung, Guidelines[contract.XRechnung])
	case strings.HasPrefix(folded, "urn:ferd:"):
		return "that is ZUGFeRD 1, which is not supported: have the invoice issued as Factur-X (ZUGFeRD 2)"
	}
	switch profile := resembled(folded); profile {
	case "":
	case wanted:
		return "it looks like a misspelling of that identifier: correct it"
	default:
		return fmt.Sprintf("it resembles the identifier of profile %s, which is %q: if that is meant, correct it and send the invoice with that profile", profile, Guidelines[profile])
	}
	var all []string
	for _, profile := range contract.Profiles() {
		all = append(all, fmt.Sprintf("%s (%s)", Guidelines[profile], profile))
	}
	return "no supported profile has that identifier: use one of " + strings.Join(all, ", ")
}

// resembled is the profile that an identifier of Factur-X or ZUGFeRD names at its end, however it is spelt before.
func resembled(folded string) string {
	if !strings.Contains(folded, "factur-x") && !strings.Contains(folded, "zugferd") {
		return ""
	}
	last := folded[strings.LastIndexAny(folded, ":#")+1:]
	if !slices.Contains(contract.Profiles(), last) {
		return ""
	}
	return last
}

func checkGuideline(root *Node, profile string) error {
	var declared []*Node
	for _, context := range root.All("ExchangedDocumentContext") {
		for _, parameter := range context.All("GuidelineSpecifiedDocumentContextParameter") {
			declared = append(declared, parameter.All("ID")...)
		}
	}
	want := Guidelines[profile]
	switch {
	case len(declared) == 0:
		return fmt.Errorf("the XML declares no guideline identifier at /%s; profile %s requires %s", guidelinePath, profile, want)
	case len(declared) > 1:
		return fmt.Errorf("the XML declares %d guideline identifiers, the second on line %d; profile %s requires only %s", len(declared), declared[1].SourceLine(), profile, want)
	case declared[0].Text() != want:
		declared := declared[0]
		return fmt.Errorf("the guideline identifier on line %d is %q, but profile %s requires %q; %s",
			declared.SourceLine(), markup.Excerpt(declared.Text()), profile, want, AdviseOn(declared.Text(), profile))
	}
	return nil
}

// typeCodes are those that a profile allows for a document beyond 380 and 381: for XRechnung those of its rule BR-DE-17.
var typeCodes = map[string][]string{contract.XRechnung: {"326", "384", "389", "875", "876", "877"}}

func checkTypeCode(root *Node, w Wanted) error {
	var codes []*Node
	for _, document := range root.All("ExchangedDocument") {
		codes = append(codes, document.All("TypeCode")...)
	}
	if len(codes) != 1 {
		return fmt.Errorf("the XML must have exactly one document type code, at /%s", typeCodePath)
	}
	return checkType(codes[0], w.AnyType, append([]string{"380", "381"}, typeCodes[w.Profile]...)...)
}

// checkType checks the code of the document type: it must be one of usual or, if anyType is set, any code of EN 16931.
func checkType(code *Node, anyType bool, usual ...string) error {
	switch c := code.Text(); {
	case slices.Contains(usual, c), anyType && slices.Contains(TypeCodes(), strings.TrimSpace(c)):
		return nil
	case anyType:
		return fmt.Errorf("the document type code on line %d is %q, which EN 16931 does not allow (BR-CL-01)", code.SourceLine(), markup.Excerpt(c))
	case len(usual) == 1:
		return fmt.Errorf("the document type code on line %d is %q; only %s is accepted without rules", code.SourceLine(), markup.Excerpt(c), usual[0])
	case len(usual) == 2:
		return fmt.Errorf("the document type code on line %d is %q; only 380 (invoice) and 381 (credit note) are accepted", code.SourceLine(), markup.Excerpt(c))
	default:
		return fmt.Errorf("the document type code on line %d is %q; only %s are accepted", code.SourceLine(), markup.Excerpt(c), strings.Join(usual, ", "))
	}
}

// TypeCodes are the codes of UNTDID 1001 that EN 16931 allows: its rule BR-CL-01.
func TypeCodes() []string { return append(strings.Fields(invoiceTypes), creditNotes...) }

// invoiceTypes are the codes other than those of credit notes.
const invoiceTypes = "71 80 82 84 102 130 202 203 204 211 218 219 295 325 326 331 380 382 383 384 385 386 387 388 389 390 393 394 395 " +
	"456 457 471 472 473 500 501 527 553 575 623 633 751 780 817 870 875 876 877 935"
