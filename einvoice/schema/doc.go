// Package schema describes what elements a kind of invoice has: their order and
// cardinality, their attributes, and the form of their text.
//
// A description is a table, which Read turns into types. Packages cii and ubl have the
// tables of their syntaxes, compiled from the official schemas, which use little of XML
// Schema: sequences in which no name occurs twice, some simple types, attributes without
// a namespace, and one place for content of any kind.
package schema
