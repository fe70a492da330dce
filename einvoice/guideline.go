package einvoice

import (
	"fmt"

	"platen.dev/einvoice/markup"
)

// Guidelines are the guideline identifiers that invoices of each profile declare.
var Guidelines = map[string]string{
	"minimum":  "urn:factur-x.eu:1p0:minimum",
	"basicwl":  "urn:factur-x.eu:1p0:basicwl",
	"basic":    "urn:cen.eu:en16931:2017#compliant#urn:factur-x.eu:1p0:basic",
	"en16931":  "urn:cen.eu:en16931:2017",
	"extended": "urn:cen.eu:en16931:2017#conformant#urn:factur-x.eu:1p0:extended",
}

// Paths of the elements that are checked before the schema, by local names.
const (
	guidelinePath = "CrossIndustryInvoice/ExchangedDocumentContext/GuidelineSpecifiedDocumentContextParameter/ID"
	typeCodePath  = "CrossIndustryInvoice/ExchangedDocument/TypeCode"
)

// DeclaredGuideline returns the guideline identifier that a document declares, and the
// profile that the identifier stands for. Both are empty if the document declares none
// or cannot be read; the profile is empty if the identifier is unknown.
func DeclaredGuideline(document []byte) (guideline, profile string) {
	v, err := validate(document, "extended") // the profile that contains all others
	if err != nil || v.root == nil {
		return "", ""
	}
	guideline = newInvoice("extended", v.root).Guideline().Text()
	for name, known := range Guidelines {
		if known == guideline {
			profile = name
		}
	}
	return guideline, profile
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
		return fmt.Errorf("the guideline identifier on line %d is %q, but profile %s requires %q", declared[0].SourceLine(), markup.Excerpt(declared[0].Text()), profile, want)
	}
	return nil
}

func checkTypeCode(root *Node) error {
	var codes []*Node
	for _, document := range root.All("ExchangedDocument") {
		codes = append(codes, document.All("TypeCode")...)
	}
	if len(codes) != 1 {
		return fmt.Errorf("the XML must have exactly one document type code, at /%s", typeCodePath)
	}
	if c := codes[0].Text(); c != "380" && c != "381" {
		return fmt.Errorf("the document type code on line %d is %q; only 380 (invoice) and 381 (credit note) are accepted", codes[0].SourceLine(), markup.Excerpt(c))
	}
	return nil
}
