// Package einvoice knows UN/CEFACT Cross-Industry Invoices and Factur-X.
//
// So far it makes the checks that come before the schema: whether a document is an
// invoice in XML at all, and declares the profile and document type that it should.
package einvoice

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
)

// Guidelines are the identifiers that the XML of each profile declares (api-spec.md, E-invoice data).
var Guidelines = map[string]string{
	"minimum":  "urn:factur-x.eu:1p0:minimum",
	"basicwl":  "urn:factur-x.eu:1p0:basicwl",
	"basic":    "urn:cen.eu:en16931:2017#compliant#urn:factur-x.eu:1p0:basic",
	"en16931":  "urn:cen.eu:en16931:2017",
	"extended": "urn:cen.eu:en16931:2017#conformant#urn:factur-x.eu:1p0:extended",
}

const (
	rootSpace = "urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100"
	// maxDepth is far beyond the depth of any invoice.
	maxDepth = 64
)

// Where the declarations stand, by local names.
const (
	guidelinePath = "CrossIndustryInvoice/ExchangedDocumentContext/GuidelineSpecifiedDocumentContextParameter/ID"
	typeCodePath  = "CrossIndustryInvoice/ExchangedDocument/TypeCode"
)

// Check makes the checks that come before the schema (api-spec.md, POST
// /einvoice-to-pdf): well-formed XML in UTF-8 without a DOCTYPE, an invoice, the
// guideline of the profile, and the type code of an invoice or a credit note. Its
// errors are fit for the caller's eyes.
func Check(document []byte, profile string) error {
	found, err := declarations(document)
	if err != nil {
		return err
	}
	guideline, want := found[guidelinePath], Guidelines[profile]
	switch {
	case guideline == nil:
		return fmt.Errorf("the XML declares no guideline identifier at /%s; profile %s needs %s", guidelinePath, profile, want)
	case len(guideline) > 1 || strings.TrimSpace(guideline[0]) != want:
		return fmt.Errorf("the guideline identifier is %q, but profile %s needs %q", short(strings.TrimSpace(guideline[0])), profile, want)
	}
	code := found[typeCodePath]
	if len(code) != 1 {
		return fmt.Errorf("the XML needs one document type code at /%s", typeCodePath)
	}
	if c := strings.TrimSpace(code[0]); c != "380" && c != "381" {
		return fmt.Errorf("the document type code is %q; 380 (invoice) and 381 (credit note) are accepted", short(c))
	}
	return nil
}

// declarations reads a whole document and gives the texts at the two paths.
func declarations(document []byte) (map[string][]string, error) {
	d := xml.NewDecoder(bytes.NewReader(document))
	found := map[string][]string{}
	var path []string
	var text strings.Builder
	roots := 0
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			if roots != 1 {
				return nil, errors.New("the document holds no XML element")
			}
			return found, nil
		}
		if err != nil {
			return nil, fmt.Errorf("the XML is not well-formed: %w", err)
		}
		switch t := token.(type) {
		case xml.Directive:
			return nil, errors.New("a DOCTYPE is not allowed")
		case xml.StartElement:
			if len(path) == 0 {
				if roots++; roots > 1 {
					return nil, errors.New("the document has a second root element")
				}
				if t.Name.Local != "CrossIndustryInvoice" || t.Name.Space != rootSpace {
					return nil, fmt.Errorf("the root element is %q of namespace %q, not CrossIndustryInvoice of %q", short(t.Name.Local), short(t.Name.Space), rootSpace)
				}
			}
			if path = append(path, t.Name.Local); len(path) > maxDepth {
				return nil, fmt.Errorf("elements are nested deeper than %d", maxDepth)
			}
			text.Reset()
		case xml.CharData:
			if len(path) == 0 && len(bytes.TrimSpace(t)) > 0 {
				return nil, errors.New("there is text outside the root element")
			}
			text.Write(t)
		case xml.EndElement:
			if at := strings.Join(path, "/"); at == guidelinePath || at == typeCodePath {
				found[at] = append(found[at], text.String())
			}
			path = path[:len(path)-1]
		}
	}
}

// short keeps what a caller sent short in a message.
func short(s string) string {
	if len(s) > 100 {
		return s[:100] + "…"
	}
	return s
}
