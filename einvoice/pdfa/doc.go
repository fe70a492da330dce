// Package pdfa makes hybrid invoices: PDFs of the archival kind PDF/A-3b (ISO 19005-3)
// which carry the invoice's XML as Factur-X 1.08 wants it (sections 6.1 to 6.4), and it
// checks and reads such files.
//
// Convert takes what the browser printed, stamped or not. It reads it with pdfcpu,
// changes the objects, and writes them itself: pdfcpu's writer puts its own name and the
// time of day into the file, visits only keys of the catalogue that it knows (/AF is not
// one), and so can neither agree with the XMP packet nor give the same bytes twice.
//
// Check is independent of all that. It reads the finished bytes with package cos and
// names the rule that they break as veraPDF does, clause and test ("6.1.3-1"), or FX-…
// where the rule is one of Factur-X's own.
//
// Text for which the machine has no glyph cannot be archived (6.2.11.8). Printable
// replaces it before it is printed; Check finds what was printed all the same.
package pdfa
