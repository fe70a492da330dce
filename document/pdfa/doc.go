// Package pdfa makes and checks files that conform to PDF/A-2b, PDF/A-3b (ISO 19005-2 and -3) and PDF/UA-1
// (ISO 14289-1).
//
// Convert takes a PDF that the browser printed, with or without a watermark. It parses the PDF with pdfcpu,
// changes the objects, and has package pack write them.
//
// Check shares no parser or writer with that. It parses the finished file with package cos and names violated
// rules as veraPDF does, by clause and test number ("6.1.3-1").
//
// Numbers in parentheses without a standard, such as (6.2.5), are clauses of ISO 19005-3, which has those of
// part 2 as well; those from 7 on are clauses of ISO 32000-1, or of ISO 14289-1 where structure is concerned.
//
// PDF/A forbids text for which no installed font has a glyph (6.2.11.8). Printable
// replaces such characters before the text is printed; Check finds them if they were
// printed nevertheless.
package pdfa
