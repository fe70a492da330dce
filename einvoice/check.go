package einvoice

import (
	"errors"
	"fmt"

	"platen.dev/einvoice/markup"
)

// Guidelines are the identifiers that the XML of each profile declares (api-spec.md, E-invoice data).
var Guidelines = map[string]string{
	"minimum":  "urn:factur-x.eu:1p0:minimum",
	"basicwl":  "urn:factur-x.eu:1p0:basicwl",
	"basic":    "urn:cen.eu:en16931:2017#compliant#urn:factur-x.eu:1p0:basic",
	"en16931":  "urn:cen.eu:en16931:2017",
	"extended": "urn:cen.eu:en16931:2017#conformant#urn:factur-x.eu:1p0:extended",
}

// Where the declarations stand, by local names.
const (
	guidelinePath = "CrossIndustryInvoice/ExchangedDocumentContext/GuidelineSpecifiedDocumentContextParameter/ID"
	typeCodePath  = "CrossIndustryInvoice/ExchangedDocument/TypeCode"
)

// Read makes the checks that come before the schema (api-spec.md, POST
// /einvoice-to-pdf): well-formed XML in UTF-8 without a DOCTYPE, an invoice, the
// guideline of the profile, and the type code of an invoice or a credit note; then
// those of Validate, in one reading. Its errors are fit for the caller's eyes; those of
// XML and of the schema are *InvalidError.
func Read(document []byte, profile string) (*Invoice, error) {
	v, err := check(document, profile)
	if err != nil {
		return nil, err
	}
	return v.verdict()
}

func check(document []byte, profile string) (*validator, error) {
	if encoding := markup.Encoding(document); encoding != "" && encoding != "UTF-8" && encoding != "UTF8" {
		return nil, fmt.Errorf("the XML is in encoding %s; it must be in UTF-8", markup.Short(encoding))
	}
	v, err := validate(document, profile)
	if err != nil {
		return nil, err
	}
	if v.top == nil {
		_, err := v.verdict()
		return nil, err
	}
	return v, errors.Join(checkGuideline(v.top, profile), checkTypeCode(v.top))
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
		return fmt.Errorf("the XML declares no guideline identifier at /%s; profile %s needs %s", guidelinePath, profile, want)
	case len(declared) > 1:
		return fmt.Errorf("the XML declares %d guideline identifiers, the second in line %d; profile %s needs %s alone", len(declared), declared[1].Line(), profile, want)
	case declared[0].Text() != want:
		return fmt.Errorf("the guideline identifier in line %d is %q, but profile %s needs %q", declared[0].Line(), markup.Short(declared[0].Text()), profile, want)
	}
	return nil
}

func checkTypeCode(root *Node) error {
	var codes []*Node
	for _, document := range root.All("ExchangedDocument") {
		codes = append(codes, document.All("TypeCode")...)
	}
	if len(codes) != 1 {
		return fmt.Errorf("the XML needs one document type code at /%s", typeCodePath)
	}
	if c := codes[0].Text(); c != "380" && c != "381" {
		return fmt.Errorf("the document type code in line %d is %q; 380 (invoice) and 381 (credit note) are accepted", codes[0].Line(), markup.Short(c))
	}
	return nil
}

// Declared is the guideline identifier that a document declares, and the profile that it
// stands for; both are empty if it declares none, the profile if it is unknown.
func Declared(document []byte) (guideline, profile string) {
	v, err := validate(document, "extended") // which has all that the others have
	if err != nil || v.top == nil {
		return "", ""
	}
	guideline = newInvoice("extended", v.top).Guideline().Text()
	for name, known := range Guidelines {
		if known == guideline {
			profile = name
		}
	}
	return guideline, profile
}
