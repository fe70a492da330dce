// Package model has the business terms of EN 16931 as one invoice uses them, whatever the
// syntax that it is written in. Rules ask the model and never the syntax.
//
// A Term is nil if the invoice lacks it. Each keeps its path and line, so that a rule can say
// where it is broken. Of reads the terms where a Cross-Industry Invoice has
// them, which package einvoice has found for one of UBL.
package model
