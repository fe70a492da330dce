// Package rules checks e-invoices by business rules: what EN 16931 and its national and
// Factur-X specialisations demand beyond a schema, such as sums that add up, codes that exist and
// terms that a kind of VAT requires.
//
// Check applies sets of rules to an invoice. Each set is a table (the files named after it). A row has the
// rule's identifier as the official specification gives it, the business term it is about, what it demands and how
// to keep it, in words of ours, and its condition on package model. What only concerns the
// syntax asks the elements of the Cross-Industry Invoice. What Factur-X demands of single
// elements is a table for each profile, in the folder facturx; codes are in the folder codes.
//
// The verdicts are those of the official rules, whose versions Sets names.
// TestOracle compares them where official verdicts are present, TestOfficialMutants with the official
// rules themselves.
package rules
