package einvoice

import (
	"errors"
	"fmt"
	"strings"

	"platen.dev/document/markup"
	"platen.dev/einvoice/cii"
	"platen.dev/einvoice/schema"
	"platen.dev/einvoice/ubl"
	"platen.dev/events/contract"
)

// Parse reads an invoice and makes all checks: those of ParseSchemaOnly and, before the
// schema, that the encoding is UTF-8, that the document declares the guideline of the
// profile, and that it is an invoice or a credit note (docs/API.md, E-invoices). Its
// errors may be shown to the caller; those of XML and of the schema are *InvalidError.
func Parse(document []byte, profile string) (*Invoice, error) {
	if encoding := markup.ForeignEncoding(document); encoding != "" {
		return nil, fmt.Errorf("the XML is encoded in %s; it must be encoded in UTF-8", markup.Excerpt(encoding))
	}
	v, err := validateCII(document, profile)
	if err != nil {
		return nil, err
	}
	if v.root == nil {
		return v.result()
	}
	if err := errors.Join(checkGuideline(v.root, profile), checkTypeCode(v.root)); err != nil {
		return nil, err
	}
	return v.result()
}

// ParseSchemaOnly reads a Cross-Industry Invoice and checks it against the schema of a
// profile, one of contract.Profiles, but not its encoding, guideline and type code. A
// document that is not valid gives an *InvalidError.
//
// The verdict is that of XML Schema on the official schemas of Factur-X 1.09, except
// that documents with a DOCTYPE, or beyond contract.MaxXML or the limits of package
// markup, are refused.
func ParseSchemaOnly(document []byte, profile string) (*Invoice, error) {
	v, err := validateCII(document, profile)
	if err != nil {
		return nil, err
	}
	return v.result()
}

// ParseUBL is ParseSchemaOnly for an invoice or a credit note of UBL, by the official schemas of UBL 2.1. What
// UBLExtensions contains is not checked, but must keep the limits.
func ParseUBL(document []byte) (*Invoice, error) {
	return parseSyntax(document, "UBL 2.1", ubl.Roots()...)
}

// parseSyntax checks a document against the schema of a name that has those roots.
func parseSyntax(document []byte, name string, roots ...*schema.Child) (*Invoice, error) {
	v, err := validate(document, name, roots...)
	if err != nil {
		return nil, err
	}
	return v.result()
}

// ErrNoInvoice means that a document is well-formed, and neither a Cross-Industry Invoice nor one of UBL.
var ErrNoInvoice = errors.New("the XML is no e-invoice")

// Skim reads what a document has of an invoice, whatever violates a schema: elements that the widest profile of its syntax knows.
// Its errors are ErrNoInvoice and those of ParseSchemaOnly for documents that are not well-formed.
func Skim(document []byte) (*Invoice, error) {
	v, err := validate(document, "e-invoices", append([]*schema.Child{cii.Root("extended")}, ubl.Roots()...)...)
	if err != nil {
		return nil, err
	}
	if v.root == nil {
		return nil, ErrNoInvoice
	}
	v.profile = "extended"
	return v.invoice(), nil
}

func validateCII(document []byte, profile string) (*validator, error) {
	root := cii.Root(profile)
	if root == nil {
		return nil, fmt.Errorf("%q is not a profile; use one of %s", markup.Excerpt(profile), strings.Join(contract.Profiles(), ", "))
	}
	v, err := validate(document, "profile "+profile, root)
	if err != nil {
		return nil, err
	}
	v.profile = profile
	return v, nil
}

// validate reads a whole document and collects its violations of the schema that has that
// name and those roots. A document that is not well-formed is an error.
func validate(document []byte, name string, roots ...*schema.Child) (*validator, error) {
	if len(document) > contract.MaxXML {
		return nil, fmt.Errorf("the XML has %d bytes; at most %d are accepted", len(document), contract.MaxXML)
	}
	text, fault := markup.Decode(document)
	v := &validator{name: name, roots: roots, text: text, lines: &lineIndex{text: text}}
	if fault != nil {
		// Reading up to the fault gives the path of the element that it is in.
		v.reader = markup.NewReader(text[:fault.Offset])
		_ = v.run()
		return nil, v.notWellFormed(fault)
	}
	v.reader = markup.NewReader(text)
	if fault := v.run(); fault != nil {
		return nil, v.notWellFormed(fault)
	}
	return v, nil
}
