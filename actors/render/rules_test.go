package render

import (
	"bytes"
	"fmt"
	"os"
	"strings"
	"testing"

	"platen.dev/browserpool/page"
	"platen.dev/events"
	"platen.dev/events/contract"
)

// brokenInvoice is an invoice of a currency that does not exist, as a job has it.
func brokenInvoice(t *testing.T, rules string, sets ...string) *events.Invoice {
	t.Helper()
	xml, err := os.ReadFile("../../einvoice/rules/testdata/base.xml")
	if err != nil {
		t.Fatal(err)
	}
	xml = bytes.ReplaceAll(xml, []byte("<ram:InvoiceCurrencyCode>EUR<"), []byte("<ram:InvoiceCurrencyCode>EUX<"))
	return &events.Invoice{Profile: "basic", XML: events.Deflate(xml), Rules: rules, RuleSets: sets}
}

// Rule violations come after the page's mismatches, if asked for, up to the limit of a job's warnings.
func TestRulesAreWarnedOf(t *testing.T) {
	for name, c := range map[string]struct {
		invoice *events.Invoice
		missing int // of the page
		rules   int // the least number of warnings of rules
	}{
		"not asked for":   {brokenInvoice(t, ""), 0, 0},
		"asked for":       {brokenInvoice(t, contract.RulesWarn), 0, 2},
		"a set":           {brokenInvoice(t, contract.RulesWarn, "en16931"), 3, 2},
		"an unknown set":  {brokenInvoice(t, contract.RulesWarn, "xxl"), 0, 0},
		"room for one":    {brokenInvoice(t, contract.RulesWarn), contract.MaxWarnings - 1, 1},
		"no room":         {brokenInvoice(t, contract.RulesEnforce), contract.MaxWarnings, 0},
		"without invoice": {nil, 1, 0},
	} {
		w := &work{}
		if c.invoice != nil {
			var err error
			if w.invoice, err = readInvoice(c.invoice); err != nil {
				t.Fatal(err)
			}
		}
		for n := range c.missing {
			w.out.warnings = append(w.out.warnings, page.Warning{Code: contract.ResourceMissing, Detail: fmt.Sprint(n)})
		}
		all := w.warnings()
		rules := 0
		for n, warned := range all {
			if warned.Code == contract.RuleBroken {
				rules++
			}
			if (warned.Code == contract.RuleBroken) != (n >= c.missing) {
				t.Errorf("%s: warning %d is %v", name, n, warned)
			}
		}
		if rules < c.rules || c.rules == 0 && rules > 0 || len(all) > contract.MaxWarnings {
			t.Errorf("%s: %d warnings, %d of rules", name, len(all), rules)
		}
		if rules > 1 && !strings.Contains(fmt.Sprint(all), "BR-CL-04 (BT-5), line ") {
			t.Errorf("%s: %v", name, all)
		}
	}
}
