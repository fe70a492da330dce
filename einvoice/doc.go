// Package einvoice parses UN/CEFACT Cross-Industry Invoices (CII) in the profiles of
// Factur-X, and invoices and credit notes of UBL 2.1, which it reads as CII. It names every
// violation of a schema with its position, and gives access to what valid invoices contain.
//
// Parse is the entry point. An Invoice has a method for each part that readers look for
// (Number, Seller, Lines, Totals). Each returns a Node, which is an element of the
// document, or a type that wraps one; so a page can record in ShownNodes what it shows
// and find out what it has left out.
//
// Sub-packages: cii and ubl hold the structure of their schemas as tables of package schema,
// blocks renders an invoice as HTML, and hybrid makes and checks hybrid PDFs.
package einvoice
