package einvoice

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"platen.dev/document/markup"
	"platen.dev/einvoice/schema"
	"platen.dev/einvoice/ubl"
	"platen.dev/events/contract"
)

// ublProfile is the only profile of invoices in UBL.
const ublProfile = contract.UBLProfile

// IsUBL reports whether a document is an invoice or a credit note of UBL, by its root element.
func IsUBL(document []byte) bool {
	if Fits(document) != nil {
		return false
	}
	text, _ := markup.Decode(document)
	for r := markup.NewReader(text); ; {
		token, fault := r.Next()
		switch {
		case fault != nil || token.Kind == markup.EndDocument:
			return false
		case token.Kind == markup.StartElement:
			return slices.ContainsFunc(ubl.Roots(), func(root *schema.Child) bool {
				return token.Name.Local == root.Name && token.Name.Space == root.Space
			})
		}
	}
}

// checkUBLGuideline wants EN 16931, or a specification that restricts it.
func checkUBLGuideline(root *Node) error {
	declared := root.At("CustomizationID")
	want := Guidelines[ublProfile]
	folded := strings.ToLower(strings.TrimSpace(declared.Text()))
	switch {
	case declared == nil:
		return fmt.Errorf("the XML declares no guideline identifier at /%s/CustomizationID; use %s or that of a specification that complies with it", root.Element(), want)
	case folded == want, strings.HasPrefix(folded, want+"#") && !strings.Contains(folded, "factur-x") && !strings.Contains(folded, "zugferd"):
		return nil
	}
	return fmt.Errorf("the guideline identifier on line %d is %q; an invoice in UBL has %s, or one that begins with it",
		declared.SourceLine(), markup.Excerpt(declared.Text()), want)
}

func checkUBLTypeCode(root *Node, anyType bool) error {
	code, usual := root.At("InvoiceTypeCode"), "380"
	if root.Element() == "CreditNote" {
		code, usual = root.At("CreditNoteTypeCode"), "381"
	}
	if code == nil {
		return errors.New("the XML must have a document type code, at /" + root.Element() + "/" + root.Element() + "TypeCode")
	}
	return checkType(code, anyType, usual)
}
