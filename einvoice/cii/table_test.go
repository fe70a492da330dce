package cii

import (
	"testing"

	"platen.dev/einvoice/schema"
)

// TestProfiles needs no schemas: it checks that the table can be parsed and that it agrees
// with well-known facts about the profiles.
func TestProfiles(t *testing.T) {
	if Root("comfort") != nil {
		t.Error("comfort is a profile")
	}
	for i, profile := range Profiles() {
		root := Root(profile)
		if root != Root(profile) {
			t.Errorf("%s: the table is parsed twice", profile)
		}
		transaction := root.Type.Children[2].Type
		if hasLines := transaction.Children[0].Name == "IncludedSupplyChainTradeLineItem"; hasLines != (i >= 2) {
			t.Errorf("%s: has invoice lines: %v", profile, hasLines)
		}
		seen := map[*schema.Type]bool{}
		walk(t, root.QName, root.Type, seen)
	}
}

// walk checks that names are unique among the children of each type, which Find relies on.
func walk(t *testing.T, path string, typ *schema.Type, seen map[*schema.Type]bool) {
	if seen[typ] {
		return
	}
	seen[typ] = true
	names := map[string]bool{}
	for _, c := range typ.Children {
		if names[c.Name] {
			t.Errorf("%s has %s twice", path, c.Name)
		}
		names[c.Name] = true
		walk(t, path+"/"+c.QName, c.Type, seen)
	}
}
