// Package pdfa makes, checks and reads hybrid invoices: PDF/A-3b files (ISO 19005-3) that
// contain the XML of the invoice as Factur-X 1.08 prescribes (sections 6.1 to 6.4).
//
// Convert takes a PDF that the browser printed, with or without a watermark. It parses
// the PDF with pdfcpu, changes the objects, and writes them itself. The writer of pdfcpu
// is not used because it puts its own name and the current time into the file, so that
// Info and the XMP packet could not agree and the same input would not give the same
// bytes, and because it drops catalog entries that it does not know, such as AF.
//
// Check shares no parser or writer with that. It parses the finished file with package
// cos and names violated rules as veraPDF does, by clause and test number ("6.1.3-1"), and
// rules of Factur-X by a name that starts with FX-.
//
// Numbers in parentheses without a standard, such as (6.2.5), are clauses of ISO 19005-3;
// those from 7 on are clauses of ISO 32000-1.
//
// PDF/A forbids text for which no installed font has a glyph (6.2.11.8). Printable
// replaces such characters before the text is printed; Check finds them if they were
// printed nevertheless.
package pdfa
