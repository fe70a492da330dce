// Package einvoice knows UN/CEFACT Cross-Industry Invoices and Factur-X: it reads
// them, says precisely what is wrong with those that break the schema of their
// profile, and gives what valid ones say to whoever shows them.
//
// Read is the way in. An Invoice answers by what people look for in an invoice
// (Number, Seller, Lines, Totals); every answer is or holds a Node, an element of the
// document, so that Shown can tell what a page has left out.
//
// Sub-packages: markup reads XML, and cii holds the schemas' structure.
package einvoice
