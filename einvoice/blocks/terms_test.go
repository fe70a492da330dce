package blocks

import (
	"strings"
	"testing"

	"platen.dev/einvoice/cii"
	"platen.dev/einvoice/schema"
)

// Every element of the largest profile, which includes all others, has a name, and no name repeats the element's.
func TestEveryElementHasATerm(t *testing.T) {
	used, leaves := map[string]bool{}, 0
	var walk func(c *schema.Child, path []string, named bool)
	walk = func(c *schema.Child, path []string, named bool) {
		path = append(path[:len(path):len(path)], c.Name)
		name, known := termOf(path)
		if !known {
			t.Errorf("%s has no name", strings.Join(path, "/"))
		}
		if strings.ContainsAny(name, "_/") || strings.Contains(name, "Trade") || name == c.Name && strings.ToLower(name[1:]) != name[1:] {
			t.Errorf("%s is called %q", strings.Join(path, "/"), name)
		}
		for from := range path {
			if end := strings.Join(path[from:], "/"); hasTerm(end) {
				used[end] = true
				break
			}
		}
		if c.Type.Kind != schema.Elements {
			if leaves++; !named && name == "" {
				t.Errorf("nothing on %s has a name", strings.Join(path, "/"))
			}
		}
		for _, child := range c.Type.Children {
			walk(child, path, named || name != "" && c.Name != "IncludedSupplyChainTradeLineItem")
		}
	}
	walk(cii.Root("extended"), nil, false)
	if leaves < 1000 {
		t.Errorf("only %d leaves", leaves)
	}
	for path := range terms {
		if !used[path] {
			t.Errorf("no element ends in %s", path)
		}
	}
}

// An element that only UBL has is named by the words of its element name.
func TestUBLTerms(t *testing.T) {
	for name, want := range map[string]string{
		"ID": "Identifier", "UBLVersionID": "UBL version identifier", "Delivery": "Delivery", "AccountingCostCode": "Accounting cost code", "WebsiteURI": "Website URI",
		"UUID": "UUID", "OriginatorDocumentReference": "Originator document reference",
	} {
		if got := spelled(name); got != want {
			t.Errorf("%s is called %q, want %q", name, got, want)
		}
	}
}

func hasTerm(path string) bool {
	_, known := terms[path]
	return known
}
