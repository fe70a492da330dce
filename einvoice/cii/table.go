package cii

import (
	_ "embed"
	"sync"

	"platen.dev/einvoice/schema"
	"platen.dev/events/contract"
)

// Namespaces maps the conventional prefixes to namespace names.
var Namespaces = map[string]string{
	"rsm": "urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100",
	"ram": "urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100",
	"udt": "urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100",
	"qdt": "urn:un:unece:uncefact:data:standard:QualifiedDataType:100",
}

//go:embed table.txt
var table string

// Profiles are those of Factur-X, each a column of the table, in their order.
func Profiles() []string { return []string{"minimum", "basicwl", "basic", "en16931", "extended"} }

// Root returns the root element in a profile, or nil if there is no such profile. XRechnung has the elements of EN 16931, like the
// profile of that name.
func Root(profile string) *schema.Child {
	if profile == contract.XRechnung {
		profile = "en16931"
	}
	return roots()[profile]
}

var roots = sync.OnceValue(func() map[string]*schema.Child {
	all := map[string]*schema.Child{}
	for column, profile := range Profiles() {
		all[profile] = schema.Read(table, column, Namespaces).Root("rsm:CrossIndustryInvoice")
	}
	return all
})
