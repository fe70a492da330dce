package hybrid

import (
	"time"

	"platen.dev/document/pdfa"
	"platen.dev/document/xmp"
)

// Invoice is the XML to embed in a PDF, and the metadata of the PDF.
type Invoice struct {
	// XML is embedded unchanged.
	XML []byte
	// Profile is one of contract.Profiles.
	Profile string
	// UBL: the XML is an invoice of UBL. Factur-X does not know it, so the file does not claim to be one.
	UBL bool
	// Title should not be empty, as PDF viewers show it; the others may be.
	Title, Author, Subject, Keywords string
	// Creator is the program that made the document; empty means "Platen".
	Creator string
	// Language is a BCP 47 tag such as "de"; empty means that of the PDF, if it declares one.
	Language string
	// Now is the date of the file and of the embedded XML, to the second.
	Now time.Time
	// Accessible makes the file a PDF/UA-1 as well.
	Accessible bool
}

// The names of the embedded XML: Factur-X's for XRechnung and for all other invoices, and Platen's own for UBL.
const (
	FileName          = "factur-x.xml"
	FileNameXRechnung = "xrechnung.xml"
	UBLFileName       = "invoice.xml"
)

// namespace is that of Factur-X in XMP. Its prefix must be fx (Factur-X 1.08, 6.3).
const namespace = "urn:factur-x:pdfa:CrossIndustryDocument:invoice:1p0#"

// Convert converts a printed PDF to a PDF/A-3b with the invoice embedded, as pdfa.Convert does. Its objects
// are written as text, which the oldest readers of invoices can read.
func Convert(pdf []byte, in Invoice) ([]byte, error) {
	p, err := in.profile()
	if err != nil {
		return nil, err
	}
	creator := in.Creator
	if creator == "" {
		creator = "Platen" // not the browser, which did not make the invoice
	}
	d := pdfa.Document{
		Claim: in.claim(),
		Title: in.Title, Author: in.Author, Subject: in.Subject, Keywords: in.Keywords, Creator: creator, Language: in.Language, Now: in.Now,
		Attachment: &pdfa.Attachment{Name: p.fileName, Type: "text/xml", Description: "Electronic invoice", Relationship: p.relationship, Data: in.XML},
		Extensions: []xmp.Extension{extension(p)},
		Plain:      true,
	}
	if in.UBL {
		d.Attachment.Name, d.Attachment.Description, d.Extensions = UBLFileName, "UBL invoice", nil
	}
	return pdfa.Convert(pdf, d)
}

func (in Invoice) claim() pdfa.Claim { return pdfa.Claim{Part: 3, Accessible: in.Accessible} }

// extension returns the part of the XMP packet about the invoice.
func extension(p profile) xmp.Extension {
	return xmp.Extension{
		Name: "Factur-X PDFA Extension Schema", Namespace: namespace, Prefix: "fx",
		Properties: []xmp.Property{
			{Name: "DocumentFileName", Type: "Text", Description: "The name of the embedded XML document", Value: p.fileName},
			{Name: "DocumentType", Type: "Text", Description: "The type of the hybrid document in capital letters, e.g. INVOICE or ORDER", Value: "INVOICE"},
			{Name: "Version", Type: "Text", Description: "The actual version of the standard applying to the embedded XML document", Value: "1.0"},
			{Name: "ConformanceLevel", Type: "Text", Description: "The conformance level of the embedded XML document", Value: p.level},
		},
	}
}
