// Package cii holds the structure of Cross-Industry Invoices in the five profiles of
// Factur-X 1.09, as a table of package schema.
//
// Where the official schemas are available, a test compares every line of the table with
// them. They do not restrict codes, dates or sums.
package cii
