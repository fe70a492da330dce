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

// Wanted describes the required form of an invoice.
type Wanted struct {
	// UBL is set if it must be in UBL rather than in CII. Then its profile is en16931.
	UBL     bool
	Profile string
	// AnyType is set if any type code of EN 16931 is allowed, not only 380 and 381.
	AnyType bool
}

// WantedBy returns the requirements for a format (contract.UBL or not), a profile, and a mode of business rules, "" for none.
func WantedBy(format, profile, rules string) Wanted {
	return Wanted{UBL: format == contract.UBL, Profile: profile, AnyType: rules != ""}
}

// Parse reads a Cross-Industry Invoice or credit note of a profile, as ParseWanted does.
func Parse(document []byte, profile string) (*Invoice, error) {
	return ParseWanted(document, Wanted{Profile: profile})
}

// ParseWanted reads an invoice and makes all checks: those of ParseSchemaOnly or ParseUBL and, before the
// schema, that the encoding is UTF-8 and the XML 1.0, that the document declares the guideline of the
// profile, and that it has a type code that is wanted (docs/API.md, E-invoices). Its
// errors may be shown to the caller; those of XML and of the schema are *InvalidError.
func ParseWanted(document []byte, want Wanted) (*Invoice, error) {
	if len(document) > contract.MaxXML {
		return nil, fmt.Errorf("the XML has %d bytes; at most %d are accepted", len(document), contract.MaxXML)
	}
	if encoding := markup.ForeignEncoding(document); encoding != "" {
		return nil, fmt.Errorf("the XML is encoded in %s; it must be encoded in UTF-8", markup.Excerpt(encoding))
	}
	v, err := want.validate(document)
	if err != nil {
		return nil, err
	}
	if version := v.reader.Version(); version != "1.0" {
		return nil, fmt.Errorf("the XML declares version %s; it must be XML 1.0, as many programs read no other", markup.Excerpt(version))
	}
	if v.root == nil {
		return v.result()
	}
	if err := want.check(v.root); err != nil {
		return nil, err
	}
	return v.result()
}

func (w Wanted) validate(document []byte) (*validator, error) {
	switch {
	case !w.UBL:
		return validateCII(document, w.Profile)
	case w.Profile != ublProfile:
		return nil, fmt.Errorf("an invoice in UBL has the profile %s, not %q", ublProfile, markup.Excerpt(w.Profile))
	}
	return validate(document, "UBL 2.1", ubl.Roots()...)
}

func (w Wanted) check(root *Node) error {
	if w.UBL {
		return errors.Join(checkUBLGuideline(root), checkUBLTypeCode(root, w.AnyType))
	}
	return errors.Join(checkGuideline(root, w.Profile), checkTypeCode(root, w))
}

// ParseSchemaOnly reads a Cross-Industry Invoice and checks it against the schema of a
// profile, one of contract.Profiles, but not its encoding, guideline and type code. A
// document that is not valid gives an *InvalidError.
//
// The verdict is that of XML Schema on the official schemas of Factur-X 1.09, except that documents are refused that
// have a DOCTYPE, do not fit (Fits), or exceed the limits of package markup.
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
var ErrNoInvoice = errors.New("the XML is not an e-invoice")

// Skim reads an invoice despite violations of the schema: all elements that the widest profile of its syntax knows. Its errors
// are ErrNoInvoice and those of ParseSchemaOnly for documents that are not well-formed.
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

// validate reads a whole document and collects its violations of the schema with a name and roots. It returns an error
// if the document is not well-formed.
func validate(document []byte, name string, roots ...*schema.Child) (*validator, error) {
	if err := Fits(document); err != nil {
		return nil, err
	}
	text, fault := markup.Decode(document)
	v := &validator{name: name, roots: roots, text: text, lines: &lineIndex{text: text}}
	if fault != nil {
		// Reading up to the fault yields the path of its element.
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
