// Package ubl holds the structure of invoices and credit notes of UBL 2.1, as a table of
// package schema.
//
// Where the official schemas are available, a test compares every line of the table with
// them.
package ubl

import (
	_ "embed"
	"sync"

	"platen.dev/einvoice/schema"
)

// Namespaces maps the conventional prefixes to namespace names. The prefix ubl is for invoices, cn for credit notes.
var Namespaces = map[string]string{
	"ubl": "urn:oasis:names:specification:ubl:schema:xsd:Invoice-2",
	"cn":  "urn:oasis:names:specification:ubl:schema:xsd:CreditNote-2",
	"cac": "urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2",
	"cbc": "urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2",
	"ext": "urn:oasis:names:specification:ubl:schema:xsd:CommonExtensionComponents-2",
	"udt": "urn:oasis:names:specification:ubl:schema:xsd:UnqualifiedDataTypes-2",
}

//go:embed table.txt
var table string

// Roots are the root elements: those of invoices and of credit notes.
func Roots() []*schema.Child { return roots() }

var roots = sync.OnceValue(func() []*schema.Child {
	types := schema.Read(table, 0, Namespaces)
	return []*schema.Child{types.Root("ubl:Invoice"), types.Root("cn:CreditNote")}
})
