// Package model has the business terms of EN 16931 in one invoice, independent of its syntax. Rules use the model,
// never the syntax.
//
// A Term is nil if the invoice lacks it. Each keeps its path and line, so that a rule can say where it is broken. Of
// reads the terms of a Cross-Industry Invoice, to which package einvoice converts those in UBL.
package model
