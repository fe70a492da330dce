package stress_test

import (
	"testing"

	"platen.dev/edge/request"
	"platen.dev/einvoice"
	"platen.dev/einvoice/blocks"
	"platen.dev/einvoice/stress"
)

// Every case is an invoice and a template that the API accepts.
func TestCases(t *testing.T) {
	cases := stress.Cases()
	if len(cases) < 60 {
		t.Errorf("there are only %d cases", len(cases))
	}
	for _, c := range cases {
		i, err := einvoice.Parse(c.XML, stress.Profile)
		if err != nil {
			t.Errorf("%s: %v", c.Name, err)
			continue
		}
		if got := len(i.Lines()); got != c.Lines {
			t.Errorf("%s has %d lines, and says %d", c.Name, got, c.Lines)
		}
		if wrong := request.CheckTemplate(c.Template, blocks.CheckPlaceholders); len(wrong) > 0 {
			t.Errorf("%s: %v", c.Name, wrong)
		}
	}
}
