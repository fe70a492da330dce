// Package cii holds the structure of Cross-Industry Invoices in the five profiles of
// Factur-X 1.09: which elements stand where, in which order and how often, with which
// attributes, and what their texts may be.
//
// It is kept in one table (table.txt), drawn up from the facts of the schemas, whose
// vocabulary is small: sequences in which every name occurs once, text of five kinds,
// attributes without namespace. A test holds every line of it to the official schemas
// where they are at hand. Codes, dates and sums are not the schemas' business.
package cii
