// Package cii holds the structure of Cross-Industry Invoices in the five profiles of
// Factur-X 1.09: the elements, their order and cardinality, their attributes, and the
// form of their text.
//
// The structure is in one table, table.txt, compiled from the official schemas. They use
// little of XML Schema: sequences in which no name occurs twice, five simple types, and
// attributes without a namespace. Where the schemas are available, a test compares every
// line of the table with them. The schemas do not restrict codes, dates or sums.
package cii
